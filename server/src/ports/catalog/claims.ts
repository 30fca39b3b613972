/**
 * Work that one process at a time does. A claim ends by itself, so that the work of a process that died is done by another. Claims only save work:
 * work that two processes do at once is recorded once.
 */
export interface ClaimCatalog {
  /**
   * Claims the work until then. null if another claim holds. Otherwise how often the work was claimed since it was last done, this time
   * included: work that ends its process each time is recognised by that.
   */
  claim(work: string, owner: string, until: number, now: number): Promise<number | null>;
  /** Ends the claim of this owner: the work is done, has failed (it stays counted), or was not tried (it does not). */
  endClaim(work: string, owner: string, outcome: ClaimOutcome, now: number): Promise<void>;
  /** Ends all claims of an owner that has started again. They stay counted. */
  endClaims(owner: string, now: number): Promise<void>;
}

export type ClaimOutcome = 'done' | 'failed' | 'untried';

/** Names of work on one part. The catalog does not offer a part for work that is claimed. */
export const partWork = {
  transcode: (partId: string) => `settle/${partId}`,
  /** By the first part of the run. */
  compact: (partId: string) => `merge/${partId}`,
  recompressArrow: (partId: string) => `squeeze-arrow/${partId}`,
  recompressParquet: (partId: string) => `squeeze-parquet/${partId}`,
} as const;
