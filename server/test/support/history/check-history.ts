import { FrameHistory } from './frame-history.ts';
import type { Fault, Operation } from './operation.ts';

export interface Verdict {
  readonly faults: readonly Fault[];
  /** Answers whose rows were compared with what the writes before them say. */
  readonly compared: number;
}

/**
 * Compares everything that clients were told with what one server, doing one thing at a time, could have told them. Versions number the
 * writes of a name in the order in which they took effect, so no order has to be searched for. Every fault is real; an operation without an answer
 * excuses what it may have done.
 */
export function checkHistory(operations: readonly Operation[]): Verdict {
  const byName = Map.groupBy(operations, (operation) => operation.name);
  const faults: Fault[] = [];
  let compared = 0;
  for (const [name, own] of byName) {
    const history = new FrameHistory(name, own);
    faults.push(...history.faults());
    compared += history.compared;
  }
  return { faults, compared };
}
