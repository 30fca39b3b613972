import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CaseResult } from './case-result.ts';
import type { Machine } from './machine.ts';
import { targetText } from './verdict.ts';

/** The newest full run of a case. A member is null if it was not written down. */
export interface RecordedCase {
  readonly title: string;
  readonly unit: string;
  readonly peerName: string;
  readonly framehold: number;
  readonly peer: number | null;
  readonly ratio: number | null;
  readonly spread: number | null;
  readonly cpuRatio: number | null;
  readonly p99Ms: number | null;
  readonly target: string;
  readonly verdict: CaseResult['verdict'];
  readonly at: string;
  readonly commit: string;
  readonly machine: string;
}

export type RecordedCases = Readonly<Record<string, RecordedCase>>;

/** Git tracks it: earlier runs are its history. */
export const recordedCasesFile = join(import.meta.dirname, '..', 'bench-results.json');

export function readRecordedCases(file = recordedCasesFile): RecordedCases {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** Replaces the cases of this run, and keeps the others: a run may measure some of them. */
export function recordCases(
  machine: Machine,
  results: readonly CaseResult[],
  file = recordedCasesFile,
): void {
  const measured = results.map((result) => [result.name, recordedCase(machine, result)] as const);
  const all = { ...readRecordedCases(file), ...Object.fromEntries(measured) };
  writeFileSync(file, `${JSON.stringify(all, null, 2)}\n`);
}

function recordedCase(machine: Machine, result: CaseResult): RecordedCase {
  const { processor, cores, memoryGigabytes, node, load } = machine;
  return {
    title: result.title,
    unit: result.unit,
    peerName: result.peerName,
    framehold: rounded(result.framehold.value.median),
    peer: rounded(result.peer.value.median),
    ratio: rounded(result.ratio.median),
    spread: rounded(result.spread),
    cpuRatio: rounded(result.cpuRatio),
    p99Ms: result.framehold.p99Ms === null ? null : rounded(result.framehold.p99Ms),
    target: result.targets.map(targetText).join(', '),
    verdict: result.verdict,
    at: machine.at,
    commit: machine.commit,
    machine: `${cores} × ${processor}, ${memoryGigabytes} GB, Node ${node}, load ${load} at the start`,
  };
}

/** More digits than this differ from run to run. */
function rounded(figure: number): number {
  return Number(figure.toPrecision(4));
}
