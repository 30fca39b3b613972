import { FrameholdError } from '../errors.ts';
import { shareOf } from './node-share.ts';

/** `queries`: statements that wait or run. `streams`: puts and reads. */
type Counted = 'queries' | 'streams';

/** What each tenant has open at once. A tenant at its limit is refused and does not wait, so that others find room. */
export class TenantSlots {
  readonly #what: Counted;
  readonly #maxOf: (tenant: string) => number | null;
  readonly #nodes: () => number;
  readonly #open = new Map<string, number>();
  /** Of slots that are taken without need. */
  readonly #spare = new Map<string, Set<() => void>>();

  /** `maxOf` is called each time, so that a new limit counts at once; null: no limit. `nodes`: how many share it. */
  constructor(what: Counted, maxOf: (tenant: string) => number | null, nodes: () => number = () => 1) {
    this.#nodes = nodes;
    this.#what = what;
    this.#maxOf = maxOf;
  }

  /** Gives the function that leaves again; calling that twice does nothing. Throws rate_limited. */
  enter(tenant: string): () => void {
    const whole = this.#maxOf(tenant);
    const nodes = this.#nodes();
    const max = whole === null ? null : shareOf(whole, nodes);
    if (max !== null && this.count(tenant) >= max) this.#giveUpOne(tenant);
    const count = this.count(tenant);
    if (max !== null && count >= max)
      throw new FrameholdError(
        'rate_limited',
        `The tenant has ${count} ${this.#what} open${nodes > 1 ? ` on this one of ${nodes} nodes` : ''}, which is its limit.`,
        { hint: `Try again when one has ended. The limit is tenant.${this.#what}_max.` },
      );
    this.#open.set(tenant, count + 1);
    let inside = true;
    return () => {
      if (!inside) return;
      inside = false;
      const left = this.count(tenant) - 1;
      if (left === 0) this.#open.delete(tenant);
      else this.#open.set(tenant, left);
    };
  }

  /**
   * What is in a slot that it does not need now: when the tenant is at its limit, `giveUp` is called for the next one that enters, and leaves in the same
   * turn. Gives the function that takes this back.
   */
  spare(tenant: string, giveUp: () => void): () => void {
    const spare = this.#spare.get(tenant) ?? new Set();
    this.#spare.set(tenant, spare.add(giveUp));
    return () => {
      spare.delete(giveUp);
      if (spare.size === 0 && this.#spare.get(tenant) === spare) this.#spare.delete(tenant);
    };
  }

  #giveUpOne(tenant: string): void {
    for (const giveUp of this.#spare.get(tenant) ?? []) {
      giveUp();
      return;
    }
  }

  count(tenant: string): number {
    return this.#open.get(tenant) ?? 0;
  }
}
