export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface PageOptions extends CallOptions {
  readonly limit?: number;
  /** `next` of the page before. */
  readonly cursor?: string;
}
