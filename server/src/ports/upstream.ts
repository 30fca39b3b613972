import type { FrameholdError } from '../model/errors.ts';

/** The external time-series database, over HTTP. */
export interface Upstream {
  /**
   * Sends GET /exec with this query string, as it is, and hands the answer to the receiver as it comes. Gives the function that ends the
   * forwarded request: then the receiver is not called any more. (A signal for each query took a tenth
   * of the proxy's time.)
   */
  exec(rawQuery: string, receiver: UpstreamReceiver): () => void;
  /**
   * The rows of one SELECT as a Parquet file, given to `write` in order and under back-pressure; resolves when all of it was written.
   * The database's null values are null in it. sql_refused if the text is not one SELECT; sql_invalid in the database's own words if it
   * refuses it; url_too_long, tsdb_failed, tsdb_timeout, overloaded; whatever `write` throws ends the request.
   */
  exportParquet(
    request: ExportRequest,
    write: (chunk: Uint8Array) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void>;
  close(): Promise<void>;
}

export interface ExportRequest {
  /** In the database's own SQL. */
  readonly query: string;
  /** none: the columns only. */
  readonly rows: 'all' | 'none';
  /** As `UpstreamReceiver.begin`. */
  readonly begin: () => void;
}

export interface UpstreamFlow {
  pause(): void;
  resume(): void;
}

/** `begin` and `head` once, then any number of `data`, then `end`; or `failed` at any point, and nothing after it. */
export interface UpstreamReceiver {
  /** Called when a connection is free, before anything is sent. An error that it throws goes to `failed`, and nothing is sent. */
  begin(): void;
  head(status: number, contentType: string | undefined, flow: UpstreamFlow): void;
  data(chunk: Uint8Array): void;
  end(): void;
  /** tsdb_failed, tsdb_timeout, overloaded or url_too_long, or what `begin` threw. After `head` it can no longer become an error answer. */
  failed(error: FrameholdError): void;
}
