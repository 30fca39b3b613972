import { FrameholdError } from '../../model/errors.ts';

/** How many connections each tenant has, so that one cannot have all of them. */
export class TenantConnections {
  readonly #max: () => number;
  readonly #refused: (setting: string, limit: number) => void;
  readonly #open = new Map<string, number>();

  constructor(max: () => number, refused: (setting: string, limit: number) => void) {
    this.#max = max;
    this.#refused = refused;
  }

  /** Gives the function that leaves. */
  enter(tenant: string): () => void {
    const count = this.#open.get(tenant) ?? 0;
    const max = this.#max();
    if (count >= max) {
      this.#refused('postgres.tenant_connections_max', max);
      throw new FrameholdError('rate_limited', `The tenant has ${count} connections, which is its limit.`, {
        sqlState: '53300',
        hint: 'Close connections that are not used, or share them in a pool. The limit is postgres.tenant_connections_max.',
      });
    }
    this.#open.set(tenant, count + 1);
    return () => {
      const left = (this.#open.get(tenant) ?? 1) - 1;
      if (left === 0) this.#open.delete(tenant);
      else this.#open.set(tenant, left);
    };
  }
}
