import type { KeptResults, PartResult } from './kept-results.ts';
import type { Part } from './parts.ts';
import { runPart } from './run-part.ts';

export interface Night {
  readonly root: string;
  readonly kept: KeptResults;
  /** Null if the working tree has changes: what was found then says nothing about a commit. */
  readonly commit: string | null;
  /** Also parts that have a result are run. */
  readonly again: boolean;
  /** Results of other commits count. */
  readonly ofAnyCommit: boolean;
  readonly interrupted: AbortSignal;
  readonly print: (line: string) => void;
}

export interface PartState {
  readonly part: Part;
  /** Null if it has not run. */
  readonly result: PartResult | null;
}

/** Runs the parts that have no result yet, whether others fail or not, and gives the state of all. */
export async function runParts(parts: readonly Part[], night: Night): Promise<PartState[]> {
  const isLeft = (part: Part) => night.again || keptState(part, night).result === null;
  const isAnythingLeft = parts.some((part) => !part.isPreparation && isLeft(part));
  const states: PartState[] = [];
  for (const part of parts) {
    const isRun = part.isPreparation ? isAnythingLeft : isLeft(part);
    states.push(isRun && !night.interrupted.aborted ? await freshState(part, night) : keptState(part, night));
  }
  return states;
}

export function keptState(
  part: Part,
  { kept, commit, ofAnyCommit }: Pick<Night, 'kept' | 'commit' | 'ofAnyCommit'>,
): PartState {
  return { part, result: kept.find(part.name, commit, ofAnyCommit) };
}

async function freshState(part: Part, night: Night): Promise<PartState> {
  const { root, kept, commit, interrupted, print } = night;
  const log = kept.logOf(part.name);
  print(`${part.name}: about ${part.minutes} minutes; ${log}`);
  const result = await runPart(part, { root, log, commit }, interrupted);
  if (result !== null) kept.keep(result);
  print(
    result === null
      ? `${part.name}: interrupted`
      : `${part.name}: ${result.isPassed ? 'passed' : 'failed'} after ${result.seconds} s`,
  );
  return { part, result };
}
