import type { CaseResult } from './case-result.ts';
import { figureText, secondsText } from './figure-text.ts';
import { targetText } from './verdict.ts';

const verdicts = { met: 'met', missed: 'MISSED', none: '' } as const;

/** What the columns of the printed table are called. CPU is that of one unit of work: a request, a gigabyte. */
export const resultHeadings = [
  'case',
  'Framehold',
  'peer',
  'unit',
  'ratio',
  'spread',
  'CPU',
  'CPU of peer',
  'CPU ratio',
  'MB',
  'MB of peer',
  'p99 ms',
  'target',
  'verdict',
];

/** In the order of the headings. */
export function resultCells(result: CaseResult): string[] {
  const { framehold, peer } = result;
  return [
    result.name,
    figureText(framehold.value.median),
    figureText(peer.value.median),
    result.unit,
    result.ratio.median.toFixed(2),
    result.spread.toFixed(2),
    secondsText(framehold.cpuSecondsPerUnit),
    secondsText(peer.cpuSecondsPerUnit),
    result.cpuRatio.toFixed(2),
    framehold.peakMegabytes.toFixed(0),
    peer.peakMegabytes.toFixed(0),
    framehold.p99Ms === null ? '' : framehold.p99Ms.toFixed(1),
    result.targets.map(targetText).join(', '),
    verdicts[result.verdict],
  ];
}

/** Names and texts to the left, figures to the right. */
export function resultTable(results: readonly CaseResult[]): string {
  const rows = [resultHeadings, ...results.map(resultCells)];
  const toTheLeft = new Set([0, 3, 12, 13]);
  const widths = resultHeadings.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          toTheLeft.has(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
