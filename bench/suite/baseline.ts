import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * CPU ratios that CI compares with: measured at the size of the share, and only comparable with that. They are the middle of four to seven runs in different
 * hours: one run on a shared machine may be a fifth off, for one of the two sides as well.
 */
export interface Baseline {
  readonly cpuRatios: Readonly<Record<string, number>>;
}

export const baselineFile = join(import.meta.dirname, '..', 'baseline.json');

/** A ratio may be this much worse: runs on shared machines differ by up to a fifth. */
const allowedGrowth = 1.3;

export interface Comparison {
  readonly name: string;
  /** Null if the baseline lacks the case. */
  readonly before: number | null;
  readonly now: number;
  /** `now` as a share of `before`; less is better. */
  readonly growth: number | null;
  readonly outcome: 'kept' | 'worse' | 'unknown';
}

/** A figure that is not a number is worse than any other. A case without a baseline is unknown, and does not pass silently. */
export function compareWithBaseline(name: string, cpuRatio: number, baseline: Baseline): Comparison {
  const before = baseline.cpuRatios[name] ?? null;
  if (before === null) return { name, before, now: cpuRatio, growth: null, outcome: 'unknown' };
  const growth = cpuRatio / before;
  return { name, before, now: cpuRatio, growth, outcome: growth <= allowedGrowth ? 'kept' : 'worse' };
}

export function readBaseline(): Baseline {
  return JSON.parse(readFileSync(baselineFile, 'utf8')) as Baseline;
}

export function writeBaseline(cpuRatios: Readonly<Record<string, number>>): void {
  const rounded = Object.entries(cpuRatios).map(([name, ratio]) => [name, Number(ratio.toPrecision(3))]);
  writeFileSync(baselineFile, `${JSON.stringify({ cpuRatios: Object.fromEntries(rounded) }, null, 2)}\n`);
}
