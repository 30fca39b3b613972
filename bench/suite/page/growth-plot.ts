import { logScale } from './scale.ts';
import { element, line, text } from './svg.ts';

export interface Curve {
  readonly name: string;
  readonly kind: 'framehold' | 'peer';
  readonly points: readonly (readonly [x: number, y: number])[];
}

const width = 470;
const height = 300;
const left = 64;
const right = 86;
const top = 14;
const bottom = 44;
/** Between the names of two curves that end at about the same place. */
const nameDistance = 14;

/** Both axes are logarithmic: what grows in proportion is a straight line, and what grows faster than its peer comes nearer to it or leaves it. */
export function growthPlot(title: string, xLabel: string, yLabel: string, curves: readonly Curve[]): string {
  const all = curves.flatMap(({ points }) => points);
  const x = logScale(
    all.map(([each]) => each),
    [left, width - right],
  );
  const y = logScale(
    all.map(([, each]) => each),
    [height - bottom, top],
  );
  const parts = [
    `<title>${title}</title>`,
    ...y.ticks.flatMap((tick) => [
      line(left, y.at(tick), width - right, y.at(tick), { class: 'grid' }),
      text(left - 6, y.at(tick) + 4, tickText(tick), { class: 'muted', 'text-anchor': 'end' }),
    ]),
    ...x.ticks.map((tick) =>
      text(x.at(tick), height - bottom + 16, tickText(tick), { class: 'muted', 'text-anchor': 'middle' }),
    ),
    text((left + width - right) / 2, height - 8, xLabel, { class: 'muted', 'text-anchor': 'middle' }),
    text(0, 0, yLabel, {
      class: 'muted',
      'text-anchor': 'middle',
      transform: `translate(12 ${(top + height - bottom) / 2}) rotate(-90)`,
    }),
    ...curves.map((curve) => drawCurve(curve, x.at, y.at)),
    ...names(curves, y.at).map(({ name, kind, at }) =>
      text(width - right + 8, at, name, { class: `name ${kind}` }),
    ),
  ];
  return element(
    'svg',
    { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': title },
    parts.join('\n'),
  );
}

function drawCurve(
  { name, kind, points }: Curve,
  x: (value: number) => number,
  y: (value: number) => number,
): string {
  const path = points.map(([px, py]) => `${x(px).toFixed(1)},${y(py).toFixed(1)}`).join(' ');
  const dots = points.map(([px, py]) =>
    element(
      'circle',
      { cx: x(px), cy: y(py), r: 3.5, class: kind },
      `<title>${name}: ${px}, ${py.toPrecision(3)}</title>`,
    ),
  );
  return element('polyline', { points: path, class: kind }) + dots.join('');
}

/** Beside the end of each curve, and apart from each other. */
function names(curves: readonly Curve[], y: (value: number) => number) {
  const ends = curves
    .flatMap(({ name, kind, points }) => {
      const last = points.at(-1);
      return last === undefined ? [] : [{ name, kind, at: y(last[1]) + 4 }];
    })
    .sort((a, b) => a.at - b.at);
  let before = Number.NEGATIVE_INFINITY;
  return ends.map((end) => {
    const at = Math.max(end.at, before + nameDistance);
    before = at;
    return { ...end, at };
  });
}

const prefixes: readonly (readonly [number, string])[] = [
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
  [1, ''],
];

/** 1k, 10M, 0.002. */
export function tickText(tick: number): string {
  const [unit, prefix] = prefixes.find(([each]) => tick >= each) ?? [1, ''];
  return tick >= 1 ? `${Number((tick / unit).toPrecision(3))}${prefix}` : String(Number(tick.toPrecision(3)));
}
