import type { Clock } from '../model/clock.ts';
import type { FrameholdError } from '../model/errors.ts';

export interface FailedQuery {
  readonly id: string;
  readonly tenant: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly rows: number;
  readonly error: Pick<FrameholdError, 'kind' | 'hint' | 'place'> & { readonly detail: string };
}

/** Long enough for a program to ask after it has noticed that its answer was cut off. */
export const failureKeptMs = 10 * 60_000;
/** Of all tenants, and of one: a tenant that sends bad statements in a loop must not displace those of others. */
export const failuresMax = 1_000;
export const failuresOfTenantMax = 100;
/** A database may quote any amount of a statement. */
const detailMax = 4_000;

type BegunQuery = Pick<FailedQuery, 'id' | 'tenant' | 'startedAt' | 'rows'>;

export function failureOf(
  { id, tenant, startedAt, rows }: BegunQuery,
  { kind, message, hint, place }: FrameholdError,
  endedAt: number,
): FailedQuery {
  const detail = message.length > detailMax ? `${message.slice(0, detailMax)}…` : message;
  return { id, tenant, startedAt, endedAt, rows, error: { kind, detail, hint, place } };
}

/** Statements that failed recently: an answer that was cut off could not say why. */
export class FailedQueries {
  /** In the order in which they failed. */
  readonly #failed = new Map<string, FailedQuery>();
  readonly #now: Clock;

  constructor(now: Clock) {
    this.#now = now;
  }

  add(query: BegunQuery, error: FrameholdError): void {
    const { id, tenant } = query;
    // A later one with the same id moves to the end.
    this.#failed.delete(keyOf(tenant, id));
    this.#failed.set(keyOf(tenant, id), failureOf(query, error, this.#now()));
    this.#forget(tenant);
  }

  /** Of this tenant; null: of any. */
  find(tenant: string | null, id: string): readonly FailedQuery[] {
    const found = [...this.#failed.values()].filter(
      (each) => each.id === id && (tenant === null || each.tenant === tenant),
    );
    return found.filter(({ endedAt }) => endedAt > this.#now() - failureKeptMs);
  }

  #forget(tenant: string): void {
    const own = [...this.#failed.values()].filter((each) => each.tenant === tenant);
    const oldest = own.length > failuresOfTenantMax ? own[0] : undefined;
    if (oldest) this.#failed.delete(keyOf(tenant, oldest.id));
    for (const [key, { endedAt }] of this.#failed) {
      if (this.#failed.size <= failuresMax && endedAt > this.#now() - failureKeptMs) break;
      this.#failed.delete(key);
    }
  }
}

/** Tenants choose ids on their own. */
export function keyOf(tenant: string, id: string): string {
  return `${tenant}\0${id}`;
}
