/** What a client of a long run did, and what it was told. Times are of one monotonic clock, in seconds. */
export interface Operation {
  /** Every row that a write stores carries its id. */
  readonly id: string;
  readonly name: string;
  readonly kind: 'create' | 'replace' | 'append' | 'drop' | 'read' | 'sql';
  readonly invoked: number;
  readonly answered: number;
  /**
   * `absent`: there is no such frame. `refused`: an answer that says that nothing was changed. `unknown`: no answer, or a refusal after an
   * earlier try had none, which may still take effect.
   */
  readonly outcome: 'ok' | 'refused' | 'absent' | 'unknown';
  /** The version that a write made, or that a read found. SQL does not say it. */
  readonly version?: number;
  /** Rows that a write stores. */
  readonly rows?: number;
  /** A write that must be the next after this version. */
  readonly ifVersion?: number;
  /** A read of one version, whichever is the newest. */
  readonly pinned?: boolean;
  /** What a read found, in its order; SQL answers in any order. */
  readonly content?: readonly Run[];
}

/** Neighbouring rows of one write: the number of the first and of the last. A whole write of n rows is [id, 0, n - 1]. */
export type Run = readonly [id: string, first: number, last: number];

export interface Fault {
  /**
   * `lost`: what was acknowledged is not there. `doubled`: a write has two effects, or two writes won where one may. `disorder`: an answer
   * is older than one that was given before it was asked for. `wrong`: rows that no order of the operations explains.
   */
  readonly kind: 'lost' | 'doubled' | 'disorder' | 'wrong';
  readonly name: string;
  readonly detail: string;
}
