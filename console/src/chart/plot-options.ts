import type uPlot from 'uplot';
import type { ChartKind } from './chart-choice.ts';
import type { ChartPoints } from './chart-points.ts';

export interface PlotLook {
  readonly colors: readonly string[];
  readonly text: string;
  readonly line: string;
  readonly surface: string;
  readonly font: string;
}

export interface PlotRequest {
  readonly points: ChartPoints;
  readonly kind: ChartKind;
  readonly look: PlotLook;
  readonly width: number;
  readonly height: number;
  readonly onCursor: (index: number | null) => void;
}

/** What uPlot needs to draw the points. */
export function plotOptions(plot: typeof uPlot, request: PlotRequest): uPlot.Options {
  const { points, kind, look, width, height, onCursor } = request;
  const isTime = points.xRole === 'time';
  const isCategory = points.xRole === 'category';
  const isBars = kind === 'bar' || kind === 'histogram';
  const axis = {
    stroke: look.text,
    font: look.font,
    grid: { stroke: look.line, width: 1 },
    ticks: { show: false },
  };
  return {
    width,
    height,
    // Times are those of the server's texts: UTC.
    tzDate: (seconds) => plot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
    padding: [12, 16, 0, 0],
    legend: { show: false },
    cursor: {
      drag: { x: !isCategory, y: false },
      focus: { prox: 24 },
      points: { size: 7, width: 2 },
    },
    scales: {
      x: { time: isTime, range: xRange(points, isBars) },
      y: { range: (_, low, high) => yRange(low, high, isBars || kind === 'area') },
    },
    axes: [
      {
        ...axis,
        grid: { show: !isCategory, stroke: look.line, width: 1 },
        ...(isCategory ? categoryAxis(points, width) : {}),
        ...(isTime ? { values: timeMarks as uPlot.Axis.Values, space: 70 } : {}),
        ...(!isCategory && !isTime ? { values: (_: uPlot, marks: number[]) => markTexts(marks) } : {}),
      },
      { ...axis, size: axisSize, values: (_, marks) => markTexts(marks) },
    ],
    ...bandsOf(points, look),
    series: [
      {},
      ...points.series.map((series, index) =>
        seriesOptions(plot, { kind, index, name: series.name, count: points.series.length, points, look }),
      ),
      ...bandSeries(points),
    ],
    hooks: {
      setCursor: [(drawn) => onCursor(drawn.cursor.idx ?? null)],
    },
  };
}

/** The data as uPlot wants it: x, the series, and the edges of a band. */
export function plotData(points: ChartPoints): uPlot.AlignedData {
  const bands = points.series.flatMap(({ band }) => (band === undefined ? [] : [band.low, band.high]));
  return [points.x, ...points.series.map(({ values }) => values), ...bands] as unknown as uPlot.AlignedData;
}

interface SeriesRequest {
  readonly kind: ChartKind;
  readonly index: number;
  readonly name: string;
  readonly count: number;
  readonly points: ChartPoints;
  readonly look: PlotLook;
}

function seriesOptions(plot: typeof uPlot, request: SeriesRequest): uPlot.Series {
  const { kind, index, name, count, points, look } = request;
  const color = look.colors[index % look.colors.length] ?? look.text;
  const common = { label: name, stroke: color, width: 1.75, spanGaps: false };
  const { paths } = plot;
  if (kind === 'scatter')
    return {
      ...common,
      paths: () => null,
      points: { show: true, size: 5, width: 0, fill: `${color}b3`, stroke: color },
    };
  if (kind === 'bar' || kind === 'histogram') {
    const built = barPaths(plot, points, kind, index, count);
    return {
      ...common,
      width: 0,
      fill: `${color}e6`,
      ...(built === undefined ? {} : { paths: built }),
      points: { show: false },
    };
  }
  const isSparse = points.x.length <= 60;
  return {
    ...common,
    // Later series are dashed too: colour is not the only difference.
    ...(index >= 4 ? { dash: [6, 3] } : {}),
    ...(kind === 'area' ? { fill: `${color}33` } : {}),
    ...(paths.linear === undefined ? {} : { paths: paths.linear() }),
    points: { show: isSparse, size: 5, fill: look.surface, stroke: color },
  };
}

/** Bars of several series stand beside each other. */
function barPaths(
  plot: typeof uPlot,
  points: ChartPoints,
  kind: ChartKind,
  index: number,
  count: number,
): uPlot.Series.PathBuilder | undefined {
  if (points.binWidth !== null && count === 1) {
    const width = points.binWidth;
    return plot.paths.bars?.({
      align: 1,
      disp: {
        x0: { unit: 1, values: () => points.x as number[] },
        size: { unit: 1, values: () => points.x.map(() => width * (kind === 'histogram' ? 0.95 : 0.85)) },
      },
    });
  }
  const slot = points.binWidth ?? smallestGap(points.x);
  const all = slot * barShare(points);
  const width = all / count;
  const offset = points.binWidth === null ? -all / 2 : (slot - all) / 2;
  return plot.paths.bars?.({
    align: 1,
    disp: {
      x0: { unit: 1, values: () => points.x.map((x) => x + offset + index * width) },
      size: { unit: 1, values: () => points.x.map(() => width * 0.94) },
    },
  });
}

/** Of the room between two places. A few bars would be walls if they took all of it. */
function barShare(points: ChartPoints): number {
  return points.xRole === 'category' ? Math.min(0.76, 0.2 + 0.08 * points.x.length) : 0.8;
}

function smallestGap(x: readonly number[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (let index = 1; index < x.length; index++) {
    const gap = (x[index] as number) - (x[index - 1] as number);
    if (gap > 0) least = Math.min(least, gap);
  }
  return Number.isFinite(least) ? least : 1;
}

/** The edges of a band are series without lines. */
function bandSeries(points: ChartPoints): uPlot.Series[] {
  return points.series.flatMap(({ band }) =>
    band === undefined ? [] : [hiddenSeries('least'), hiddenSeries('greatest')],
  );
}

function hiddenSeries(label: string): uPlot.Series {
  return { label, stroke: 'transparent', width: 0, points: { show: false } };
}

function bandsOf(points: ChartPoints, look: PlotLook): { readonly bands?: uPlot.Band[] } {
  const at = points.series.length + 1;
  if (points.series[0]?.band === undefined) return {};
  return { bands: [{ series: [at + 1, at], fill: `${look.colors[0]}2e` }] };
}

function categoryAxis(points: ChartPoints, width: number): Partial<uPlot.Axis> {
  const room = (width - 90) / Math.max(1, points.x.length);
  const isTurned = room < 64;
  const characters = isTurned ? 14 : Math.max(6, Math.floor(room / 7));
  return {
    splits: () => points.x as number[],
    values: (_, marks) => marks.map((mark) => shortened(points.xTexts[mark] ?? '', characters)),
    ...(isTurned ? { rotate: -50, size: 92 } : {}),
    gap: 6,
  };
}

function shortened(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, characters - 1)}…`;
}

function xRange(points: ChartPoints, isBars: boolean): uPlot.Range.Function {
  if (points.xRole === 'category') return () => [-0.6, points.x.length - 0.4];
  const width = points.binWidth ?? (isBars ? smallestGap(points.x) : 0);
  if (!isBars || points.x.length === 0)
    return (_, low, high) => (low === high ? [low - 1, high + 1] : [low, high]);
  const before = points.binWidth === null ? width / 2 : 0;
  const after = points.binWidth === null ? width / 2 : width;
  const [first, last] = [points.x[0] as number, points.x.at(-1) as number];
  return (_, low, high) => [low <= first ? low - before : low, high >= last ? high + after : high];
}

/** Bars and areas begin at zero: their length is what is compared. So does a line that comes near it. */
function yRange(low: number | null, high: number | null, isFromZero: boolean): [number, number] {
  if (low === null || high === null) return [0, 1];
  if (low === high && (low === 0 || !isFromZero))
    return [low - (Math.abs(low) * 0.1 || 1), high + (Math.abs(high) * 0.1 || 1)];
  const span = high - low;
  const beginsAtZero = low >= 0 && (isFromZero || low < span * 0.2);
  const endsAtZero = high <= 0 && (isFromZero || -high < span * 0.2);
  const room = (beginsAtZero ? high : endsAtZero ? -low : span) * 0.06;
  return [beginsAtZero ? 0 : low - room, endsAtZero ? 0 : high + room];
}

/** Least step in seconds, text of a mark, and the text below it if the year, the day or the minute changes: 24 hours, and dates as ISO has them. */
const timeMarks: (string | number | null)[][] = [
  [31_536_000, '{YYYY}', null, null, null, null, null, null, 1],
  [2_419_200, '{YYYY}-{MM}', null, null, null, null, null, null, 1],
  [86_400, '{MM}-{DD}', '\n{YYYY}', null, null, null, null, null, 1],
  [60, '{HH}:{mm}', '\n{YYYY}-{MM}-{DD}', null, '\n{MM}-{DD}', null, null, null, 1],
  [1, '{HH}:{mm}:{ss}', '\n{YYYY}-{MM}-{DD}', null, '\n{MM}-{DD}', null, null, null, 1],
  [
    0.001,
    ':{ss}.{fff}',
    '\n{YYYY}-{MM}-{DD} {HH}:{mm}',
    null,
    '\n{MM}-{DD} {HH}:{mm}',
    null,
    '\n{HH}:{mm}',
    null,
    1,
  ],
];

const plain = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 17 });
const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 4 });

/** Short if the marks can still be told apart; exact values are in the tooltip. */
function markTexts(marks: readonly number[]): string[] {
  const isLarge = marks.some((mark) => Math.abs(mark) >= 100_000);
  const short = marks.map((mark) => compact.format(mark));
  if (isLarge && new Set(short).size === short.length) return short;
  return marks.map((mark) => {
    const size = Math.abs(mark);
    return size !== 0 && (size >= 1e18 || size < 1e-6) ? `${mark}` : plain.format(mark);
  });
}

/** As wide as the longest mark: large numbers that differ in their last digits only need all of them. */
function axisSize(_: uPlot, marks: readonly string[] | null): number {
  const longest = (marks ?? []).reduce((most, mark) => Math.max(most, mark.length), 0);
  return Math.max(46, Math.ceil(longest * 6.6) + 16);
}
