import type { FrameholdError } from '../errors.ts';

/** The external time-series database, asked over HTTP. */
export interface Upstream {
  /**
   * Sends GET /exec with this query string, as it is, and hands the answer to the receiver as it comes.
   * Aborting the signal ends the forwarded request; the receiver hears nothing more then.
   */
  exec(rawQuery: string, receiver: UpstreamReceiver, signal: AbortSignal): void;
  close(): Promise<void>;
}

export interface UpstreamFlow {
  pause(): void;
  resume(): void;
}

/** `head` once, then any number of `data`, then `end`; or `failed` at any point, and nothing after it. */
export interface UpstreamReceiver {
  head(status: number, contentType: string | undefined, flow: UpstreamFlow): void;
  data(chunk: Uint8Array): void;
  end(): void;
  /** tsdb_failed, tsdb_timeout or overloaded. After `head` it can no longer become an error answer. */
  failed(error: FrameholdError): void;
}
