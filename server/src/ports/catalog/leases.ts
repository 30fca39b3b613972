/**
 * Work that one process at a time does. A lease ends by itself, so that the work of a process that died is done by another. Leases only save work:
 * work that two processes do at once is recorded once.
 */
export interface LeaseCatalog {
  /**
   * Takes a lease on the work until then. null if another lease holds. Otherwise how often the work was leased since it was last done, this time
   * included: work that ends its process each time is recognised by that.
   */
  lease(work: string, owner: string, until: number, now: number): Promise<number | null>;
  /** Ends the lease of this owner: the work is done, has failed (it stays counted), or was not tried (it does not). */
  endLease(work: string, owner: string, outcome: LeaseOutcome, now: number): Promise<void>;
  /** Ends all leases of an owner that has started again. They stay counted. */
  endLeases(owner: string, now: number): Promise<void>;
}

export type LeaseOutcome = 'done' | 'failed' | 'untried';

/** Names of work on one part. The catalog does not offer a part for work that is leased. */
export const partWork = {
  transcode: (partId: string) => `settle/${partId}`,
  /** By the first part of the run. */
  compact: (partId: string) => `merge/${partId}`,
  recompress: (partId: string) => `squeeze-arrow/${partId}`,
} as const;
