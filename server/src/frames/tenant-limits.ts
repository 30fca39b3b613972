import { FrameholdError } from './errors.ts';

/** null: no bound. */
export interface TenantBounds {
  /** Statements that wait or run. */
  readonly queriesMax: number | null;
  /** Puts and reads under way. */
  readonly streamsMax: number | null;
  readonly requestsPerSecond: number | null;
  /** Requests that may come at once after a pause. */
  readonly requestsBurst: number;
}

interface Bucket {
  /** Requests that may still come now. */
  left: number;
  at: number;
}

/** Above this many, tenants that have not asked for a while are forgotten: they would have a full bucket again anyway. */
const bucketsKept = 10_000;

/** What one tenant may use at once, so that others find room. Nothing waits here: who is above its bound is told to come back. */
export class TenantLimits {
  readonly #bounds: TenantBounds;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();
  readonly #open = { queries: new Map<string, number>(), streams: new Map<string, number>() };

  /** `now` in milliseconds, on a clock that never goes back. */
  constructor(bounds: TenantBounds, now: () => number = () => performance.now()) {
    this.#bounds = bounds;
    this.#now = now;
  }

  /** Counts one request. Throws rate_limited. */
  request(tenant: string): void {
    const { requestsPerSecond, requestsBurst } = this.#bounds;
    if (requestsPerSecond === null) return;
    const now = this.#now();
    const bucket = this.#buckets.get(tenant) ?? { left: requestsBurst, at: now };
    const left = Math.min(requestsBurst, bucket.left + ((now - bucket.at) / 1_000) * requestsPerSecond);
    // Deleted and set again: the ones at the front have not asked for the longest time.
    this.#buckets.delete(tenant);
    this.#buckets.set(tenant, { left: left < 1 ? left : left - 1, at: now });
    this.#forget();
    if (left >= 1) return;
    const retryAfterSeconds = Math.max(1, Math.ceil((1 - left) / requestsPerSecond));
    throw new FrameholdError(
      'rate_limited',
      `The tenant may ask ${requestsPerSecond} times a second, and asks more often.`,
      {
        hint: `Wait ${retryAfterSeconds} s. The bounds are tenant.requests_per_second and tenant.requests_burst.`,
        retryAfterSeconds,
      },
    );
  }

  /** Gives the function that leaves again; calling that twice does nothing. Throws rate_limited. */
  enter(what: 'queries' | 'streams', tenant: string): () => void {
    const max = what === 'queries' ? this.#bounds.queriesMax : this.#bounds.streamsMax;
    if (max === null) return () => {};
    const open = this.#open[what];
    const count = open.get(tenant) ?? 0;
    if (count >= max)
      throw new FrameholdError('rate_limited', `The tenant has ${count} ${what} open, as many as it may.`, {
        hint: `Try again when one has ended. The bound is tenant.${what}_max.`,
      });
    open.set(tenant, count + 1);
    let inside = true;
    return () => {
      if (!inside) return;
      inside = false;
      const left = (open.get(tenant) ?? 1) - 1;
      if (left === 0) open.delete(tenant);
      else open.set(tenant, left);
    };
  }

  #forget(): void {
    for (const oldest of this.#buckets.keys()) {
      if (this.#buckets.size <= bucketsKept) return;
      this.#buckets.delete(oldest);
    }
  }
}
