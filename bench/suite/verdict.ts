/** Whether a case reached what is wanted. */

/**
 * A limit of the ratio to the peer, of Framehold's own figure, of its response time, or of the memory of its
 * own process.
 */
export type Target = {
  readonly of: 'ratio' | 'value' | 'p99Ms' | 'ownMegabytes';
} & ({ readonly atLeast: number } | { readonly atMost: number });

export interface Figures {
  readonly ratio: number;
  readonly value: number;
  readonly p99Ms: number | null;
  readonly ownMegabytes: number | null;
}

export type Verdict = 'met' | 'missed' | 'none';

/** `none` without targets. A figure that was not measured misses its target. */
export function verdictOf(targets: readonly Target[], figures: Figures): Verdict {
  if (targets.length === 0) return 'none';
  return targets.every((target) => isMet(target, figures)) ? 'met' : 'missed';
}

function isMet(target: Target, figures: Figures): boolean {
  const figure = figures[target.of];
  if (figure === null) return false;
  return 'atLeast' in target ? figure >= target.atLeast : figure <= target.atMost;
}

const names = { ratio: '', value: 'itself ', p99Ms: 'p99 ', ownMegabytes: 'memory ' } as const;
const units = { ratio: '', value: '', p99Ms: ' ms', ownMegabytes: ' MB' } as const;

/** As it is printed: `≥ 0.5`, `p99 ≤ 20 ms`. */
export function targetText(target: Target): string {
  const limit = 'atLeast' in target ? `≥ ${target.atLeast}` : `≤ ${target.atMost}`;
  return `${names[target.of]}${limit}${units[target.of]}`;
}
