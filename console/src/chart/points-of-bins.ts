import { type ChartChoice, roleOf } from './chart-choice.ts';
import { type ChartPoints, type ChartSeries, numberOf } from './chart-points.ts';
import type { Bins } from './chart-sql.ts';
import type { TextRows } from './points-of-rows.ts';

/** The points of what the server put into bins or categories: the rows of `binnedSql` or `categoriesSql`. */
export function pointsOfBins(
  rows: TextRows,
  choice: ChartChoice,
  xType: string,
  bins: Bins | null,
  notes: readonly string[],
): ChartPoints {
  const at = (name: string) => rows.columns.findIndex((column) => column.name === name);
  const [binAt, firstAt, lastAt, seriesAt, countAt] = [
    at('bin'),
    at('x_first'),
    at('x_last'),
    at('series'),
    at('n'),
  ];
  const places = new Map<
    string,
    { readonly x: number; first: string; last: string; readonly rows: Map<string, number> }
  >();
  const seriesNames = new Set<string>();
  for (let row = 0; row < rows.rowCount; row++) {
    const bin = rows.text(row, binAt) ?? 'null';
    const [first, last] = [rows.text(row, firstAt) ?? 'null', rows.text(row, lastAt) ?? 'null'];
    const series = seriesAt < 0 ? '' : (rows.text(row, seriesAt) ?? 'null');
    seriesNames.add(series);
    const place = places.get(bin) ?? {
      x: bins === null ? places.size : startOf(bins, bin),
      first,
      last,
      rows: new Map(),
    };
    place.rows.set(series, row);
    places.set(bin, place);
  }
  const list = [...places.values()].toSorted((a, b) => a.x - b.x);
  const role = bins !== null && isTiny(bins) ? 'number' : roleOf(xType);
  const measures = choice.y.length === 0 ? [null] : choice.y.map((name, index) => ({ name, index }));
  const hasBand =
    bins !== null && choice.y.length === 1 && seriesNames.size === 1 && choice.aggregate === 'avg';
  const series = [...seriesNames].toSorted().flatMap((splitBy) =>
    measures.map((measure): ChartSeries => {
      const column = measure === null ? countAt : at(`y${measure.index}`);
      const cells = (from: number) =>
        list.map((place) => {
          const row = place.rows.get(splitBy);
          return row === undefined ? null : rows.text(row, from);
        });
      const texts = cells(column);
      const own = measure === null ? 'rows' : measure.name;
      const name = splitBy === '' ? own : measures.length === 1 ? splitBy : `${splitBy} · ${own}`;
      if (!hasBand) return { name, texts, values: texts.map(numberOf) };
      const [low, high] = [cells(at('y0_low')), cells(at('y0_high'))];
      return {
        name,
        texts,
        values: texts.map(numberOf),
        band: {
          low: low.map(numberOf),
          high: high.map(numberOf),
          texts: low.map((text, index) => (text === null ? null : `${text} to ${high[index]}`)),
        },
      };
    }),
  );
  return {
    xName: choice.x,
    xRole: role === 'other' ? 'category' : role,
    x: list.map(({ x }) => x),
    xTexts: list.map(({ first, last }) => (first === last ? first : `${first} to ${last}`)),
    series,
    binWidth: bins === null ? null : widthOf(bins),
    notes: bins !== null && isTiny(bins) ? [...notes, `nanoseconds after ${list[0]?.first}`] : notes,
  };
}

/** A double has no room for nanoseconds beside the seconds since 1970: such an axis counts them from its first bin. */
function isTiny(bins: Bins): boolean {
  return bins.kind === 'time' && bins.width * bins.unitNs < 1_000n;
}

/** Where a bin begins, in units of the axis. */
function startOf(bins: Bins, bin: string): number {
  if (bins.kind === 'number') return bins.origin + Number(bin) * bins.width;
  if (isTiny(bins)) return Number(BigInt(bin) * bins.width * bins.unitNs);
  const start = bins.origin + BigInt(bin) * bins.width;
  const perSecond = 1_000_000_000n / bins.unitNs;
  const whole = start / perSecond;
  return Number(whole) + Number(start - whole * perSecond) / Number(perSecond);
}

function widthOf(bins: Bins): number {
  if (bins.kind === 'number') return bins.width;
  return Number(bins.width * bins.unitNs) / (isTiny(bins) ? 1 : 1e9);
}
