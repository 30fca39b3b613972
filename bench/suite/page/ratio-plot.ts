import type { CaseResult } from '../case-result.ts';
import { figureText } from '../figure-text.ts';
import { targetText } from '../verdict.ts';
import { logScale } from './scale.ts';
import { element, line, text } from './svg.ts';

const width = 1040;
const labels = 330;
const right = 190;
const rowHeight = 40;
const top = 34;
const bottom = 26;
const barHeight = 14;

const words = { met: 'met', missed: 'missed', none: 'no target' } as const;

/** A bar a case, from the peer (1) to Framehold: its length is the factor between them. Marks: the target, and the quartiles of the rounds. */
export function ratioPlot(title: string, results: readonly CaseResult[]): string {
  const height = top + results.length * rowHeight + bottom;
  const limits = results.flatMap((result) => ratioLimit(result) ?? []);
  const values = results.flatMap(({ ratio }) => [ratio.low, ratio.median, ratio.high]);
  const scale = logScale([1, ...limits, ...values], [labels, width - right]);
  const grid = scale.ticks.map((tick) =>
    [
      line(scale.at(tick), top - 8, scale.at(tick), height - bottom, { class: tick === 1 ? 'peer' : 'grid' }),
      text(scale.at(tick), height - 8, figureTick(tick), { class: 'muted', 'text-anchor': 'middle' }),
    ].join(''),
  );
  const rows = results.map((result, index) => row(result, top + index * rowHeight, scale.at));
  const heading = text(scale.at(1), top - 14, 'the peer', { class: 'muted', 'text-anchor': 'middle' });
  return element(
    'svg',
    { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': title },
    [`<title>${title}</title>`, ...grid, heading, ...rows].join('\n'),
  );
}

function row(result: CaseResult, y: number, at: (value: number) => number): string {
  const { ratio, verdict, targets } = result;
  const middle = y + rowHeight / 2;
  const [one, end] = [at(1), at(ratio.median)];
  const limit = ratioLimit(result);
  const tip = `${result.name}: ${ratio.median.toFixed(3)}, quartiles ${ratio.low.toFixed(3)} to ${ratio.high.toFixed(3)}`;
  const parts = [
    `<title>${tip}</title>`,
    text(0, middle - 3, result.title, { class: 'name' }),
    text(0, middle + 12, `beside ${result.peerName}`, { class: 'muted' }),
    element('rect', {
      x: Math.min(one, end),
      y: middle - barHeight / 2,
      width: Math.max(1, Math.abs(end - one)),
      height: barHeight,
      rx: 2,
      class: `bar ${verdict}`,
    }),
    line(at(ratio.low), middle, at(ratio.high), middle, { class: 'whisker' }),
    ...[ratio.low, ratio.high].map((edge) =>
      line(at(edge), middle - 4, at(edge), middle + 4, { class: 'whisker' }),
    ),
    ...(limit === null ? [] : [targetMark(at(limit), middle)]),
    text(width - right + 12, middle - 3, `${figureText(ratio.median)}  ${words[verdict]}`, {
      class: `value ${verdict}`,
    }),
    text(width - right + 12, middle + 12, targets.map(targetText).join(', '), { class: 'muted' }),
  ];
  return element('g', {}, parts.join(''));
}

function targetMark(x: number, middle: number): string {
  return line(x, middle - 13, x, middle + 13, { class: 'target' });
}

/** The limit of the ratio itself, if it has one. */
function ratioLimit({ targets }: CaseResult): number | null {
  const target = targets.find((each) => each.of === 'ratio');
  if (target === undefined) return null;
  return 'atLeast' in target ? target.atLeast : target.atMost;
}

function figureTick(tick: number): string {
  return String(Number(tick.toPrecision(3)));
}
