import { FrameholdError } from './errors.ts';

/** null: no limit. */
export interface TenantBounds {
  /** Statements that wait or run. */
  readonly queriesMax: number | null;
  /** Puts and reads under way. */
  readonly streamsMax: number | null;
  readonly requestsPerSecond: number | null;
  /** Requests that may come at once after a pause. */
  readonly requestsBurst: number;
}

/** What a tenant does now, and what it asked since the server started. */
export interface TenantActivity {
  readonly requests: number;
  readonly requestsRefused: number;
  readonly queries: number;
  readonly streams: number;
}

interface Bucket {
  /** Requests that may still come now. */
  left: number;
  at: number;
  requests: number;
  refused: number;
}

/** Above this many, tenants that have not asked for a while are forgotten: they have a full bucket again anyway, and are counted from 0. */
const bucketsKept = 10_000;

/** What one tenant may use at once, so that others find room. Nothing waits here: who is above its bound is told to come back. */
export class TenantLimits {
  readonly #boundsOf: (tenant: string) => TenantBounds;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();
  readonly #open = { queries: new Map<string, number>(), streams: new Map<string, number>() };

  /** Asked each time, so that a limit counts from the moment it is set. `now` in milliseconds, on a clock that never goes back. */
  constructor(boundsOf: (tenant: string) => TenantBounds, now: () => number = () => performance.now()) {
    this.#boundsOf = boundsOf;
    this.#now = now;
  }

  /** Counts one request. Throws rate_limited. */
  request(tenant: string): void {
    const { requestsPerSecond, requestsBurst } = this.#boundsOf(tenant);
    const now = this.#now();
    const bucket = this.#bucket(tenant, requestsBurst, now);
    bucket.requests += 1;
    const { at } = bucket;
    bucket.at = now;
    if (requestsPerSecond === null) {
      // A limit that is set later begins with a full bucket.
      bucket.left = Number.POSITIVE_INFINITY;
      return;
    }
    const left = Math.min(requestsBurst, bucket.left + ((now - at) / 1_000) * requestsPerSecond);
    bucket.left = left < 1 ? left : left - 1;
    if (left >= 1) return;
    bucket.refused += 1;
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
    const { queriesMax, streamsMax } = this.#boundsOf(tenant);
    const max = what === 'queries' ? queriesMax : streamsMax;
    const open = this.#open[what];
    const count = open.get(tenant) ?? 0;
    if (max !== null && count >= max)
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

  activity(tenant: string): TenantActivity {
    const { requests = 0, refused = 0 } = this.#buckets.get(tenant) ?? {};
    return {
      requests,
      requestsRefused: refused,
      queries: this.#open.queries.get(tenant) ?? 0,
      streams: this.#open.streams.get(tenant) ?? 0,
    };
  }

  /** Those that have asked for something since the server started. */
  get tenants(): Iterable<string> {
    return this.#buckets.keys();
  }

  #bucket(tenant: string, left: number, now: number): Bucket {
    const bucket = this.#buckets.get(tenant) ?? { left, at: now, requests: 0, refused: 0 };
    // Deleted and set again: the ones at the front have not asked for the longest time.
    this.#buckets.delete(tenant);
    this.#buckets.set(tenant, bucket);
    this.#forget();
    return bucket;
  }

  #forget(): void {
    for (const oldest of this.#buckets.keys()) {
      if (this.#buckets.size <= bucketsKept) return;
      this.#buckets.delete(oldest);
    }
  }
}
