import { LruCache } from '../../base/lru-cache.ts';
import { FrameholdError } from '../../model/errors.ts';
import { shareOf } from '../../model/limits/node-share.ts';
import type { TenantLimitValues } from '../../model/limits/tenant-limit-values.ts';

type Rate = Pick<TenantLimitValues, 'requestsPerSecond' | 'requestsBurst'>;

interface Bucket {
  /** Requests that may still come now. */
  left: number;
  at: number;
  requests: number;
  refused: number;
}

/** Above this many, tenants without recent requests are forgotten: their buckets are full again anyway, and their count restarts at 0. */
const bucketsKept = 10_000;

/** How many requests each tenant may send: a token bucket per tenant. */
export class RateLimit {
  readonly #rateOf: (tenant: string) => Rate;
  readonly #now: () => number;
  readonly #nodes: () => number;
  readonly #buckets = new LruCache<Bucket>({ entriesMax: bucketsKept });

  /**
   * `rateOf` is called each time, so that a new limit counts at once. `now` in milliseconds, on a clock that never goes back. `nodes`: how many
   * share the requests of a tenant; each of them allows its part.
   */
  constructor(
    rateOf: (tenant: string) => Rate,
    now: () => number = () => performance.now(),
    nodes: () => number = () => 1,
  ) {
    this.#rateOf = rateOf;
    this.#now = now;
    this.#nodes = nodes;
  }

  /** Counts one request. Throws rate_limited. */
  count(tenant: string): void {
    const whole = this.#rateOf(tenant);
    const nodes = this.#nodes();
    const requestsPerSecond = whole.requestsPerSecond === null ? null : whole.requestsPerSecond / nodes;
    const requestsBurst = shareOf(whole.requestsBurst, nodes);
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
      `The tenant may send ${whole.requestsPerSecond} requests a second${nodes > 1 ? ` to ${nodes} nodes together` : ''}, and sends more.`,
      {
        hint: `Wait ${retryAfterSeconds} s. The limits are tenant.requests_per_second and tenant.requests_burst.`,
        retryAfterSeconds,
      },
    );
  }

  /** Since the server started. */
  requestsOf(tenant: string): { readonly requests: number; readonly requestsRefused: number } {
    const { requests = 0, refused = 0 } = this.#buckets.peek(tenant) ?? {};
    return { requests, requestsRefused: refused };
  }

  /** Those that have sent a request since the server started. */
  get tenants(): Iterable<string> {
    return this.#buckets.keys();
  }

  #bucket(tenant: string, left: number, now: number): Bucket {
    const known = this.#buckets.get(tenant);
    if (known !== undefined) return known;
    const bucket = { left, at: now, requests: 0, refused: 0 };
    this.#buckets.set(tenant, bucket);
    return bucket;
  }
}
