import type { TargetName } from './targets.ts';

/** What a fuzzing thread is started with. */
export interface FuzzOrder {
  readonly target: TargetName;
  readonly samples: readonly Uint8Array[];
  readonly seed: number;
  readonly from: number;
  /** The case after the last one. */
  readonly to: number;
  readonly folder: string;
  /** Shared with the watcher, so that it sees how far a thread got that does not answer. */
  readonly state: Int32Array;
}

/** Places in the shared state. */
export const stateFields = { caseIndex: 0, accepted: 1, refused: 2, trapped: 3, length: 4 } as const;

export interface Finding {
  readonly target: TargetName;
  readonly seed: number;
  readonly caseIndex: number;
  readonly what: string;
}
