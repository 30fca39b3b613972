import type { Caller } from '../access/caller.ts';
import type { FrameholdError } from '../errors.ts';
import type { UpstreamReceiver } from '../ports/upstream.ts';

/** Queries that are forwarded to the external database as they are. */
export interface UpstreamProxy {
  /**
   * Forwards a query string and hands the answer to the receiver as it comes. Resolves when the answer is complete, was cut off, or the signal has
   * aborted. Rejects only before `head`: access_denied, unauthenticated, rate_limited, tsdb_not_configured, and the errors of `Upstream.exec`.
   */
  forward(caller: Caller, rawQuery: string, receiver: ProxyReceiver, signal: AbortSignal): Promise<void>;
}

/** `head` once, then any number of `data`, then `end` or `cut`. */
export interface ProxyReceiver extends Pick<UpstreamReceiver, 'head' | 'data' | 'end'> {
  /** The rest of the answer will not come. */
  cut(error: FrameholdError): void;
}
