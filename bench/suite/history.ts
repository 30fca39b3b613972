import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CaseResult } from './case-result.ts';
import type { Machine } from './machine.ts';

interface HistoryLine {
  readonly at: string;
  readonly commit: string;
  /** By case: the ratio to the peer, and that of CPU time. */
  readonly ratios: Readonly<Record<string, { readonly ratio: number; readonly cpuRatio: number }>>;
}

/** Adds a line for a run to history.jsonl, so that ratios can be followed over commits. */
export function appendHistory(folder: string, machine: Machine, results: readonly CaseResult[]): void {
  const line: HistoryLine = {
    at: machine.at,
    commit: machine.commit,
    ratios: Object.fromEntries(
      results.map(({ name, ratio, cpuRatio }) => [
        name,
        { ratio: rounded(ratio.median), cpuRatio: rounded(cpuRatio) },
      ]),
    ),
  };
  appendFileSync(join(folder, 'history.jsonl'), `${JSON.stringify(line)}\n`);
}

function rounded(ratio: number): number {
  return Number(ratio.toPrecision(3));
}
