import type { Caller } from '../../model/caller.ts';
import type { FrameholdError } from '../../model/errors.ts';
import type { UpstreamReceiver } from '../../ports/upstream.ts';

/** Queries that are forwarded to the external database as they are. */
export interface UpstreamProxy {
  /**
   * Forwards a query string and hands the answer to the receiver as it comes. Gives the function to call if the caller leaves before the end:
   * then the receiver is not called any more. Throws access_denied, unauthenticated, rate_limited or tsdb_not_configured before anything is
   * sent.
   */
  forward(caller: Caller, rawQuery: string, receiver: ProxyReceiver): () => void;
}

/** `head` once, then any number of `data`, then `end`; or `failed` at any point, and nothing after it. */
export interface ProxyReceiver extends Pick<UpstreamReceiver, 'head' | 'data' | 'end'> {
  /** Whether the caller has left already: then nothing is sent, and nothing else of the receiver is called. */
  readonly hasLeft: boolean;
  /** unauthenticated if the credential has ended, and the errors of `Upstream.exec`. */
  failed(error: FrameholdError): void;
}
