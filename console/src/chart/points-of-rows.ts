import { type ChartChoice, type ChartColumn, roleOf, seriesMax } from './chart-choice.ts';
import { type ChartPoints, type ChartSeries, Collected, numberOf, placeOf } from './chart-points.ts';
import { categoriesMax } from './chart-sql.ts';
import { niceWidth } from './nice-steps.ts';

/** Rows in memory. */
export interface TextRows {
  readonly columns: readonly ChartColumn[];
  readonly rowCount: number;
  /** The exact text of a cell; null for a null. */
  text(row: number, column: number): string | null;
}

const nullText = 'null';
const histogramBinsMax = 60;

/** The points of a chart over rows in memory. */
export function pointsOfRows(
  rows: TextRows,
  choice: ChartChoice,
  notes: readonly string[] = [],
): ChartPoints {
  const at = (name: string) => rows.columns.findIndex((column) => column.name === name);
  const xAt = at(choice.x);
  const role = roleOf(rows.columns[xAt]?.type ?? '');
  const xRole = role === 'other' ? 'category' : role;
  if (choice.kind === 'histogram') return histogramOf(rows, choice, xAt, xRole, notes);
  if (xRole === 'category' || choice.kind === 'bar' || choice.by !== null || choice.y.length === 0)
    return groupedPoints(rows, choice, xAt, xRole, notes);
  const places: { readonly row: number; readonly x: number }[] = [];
  for (let row = 0; row < rows.rowCount; row++) {
    const x = placeOf(xRole, rows.text(row, xAt));
    if (x !== null) places.push({ row, x });
  }
  places.sort((a, b) => a.x - b.x);
  return {
    xName: choice.x,
    xRole,
    x: places.map(({ x }) => x),
    xTexts: places.map(({ row }) => rows.text(row, xAt) ?? nullText),
    series: choice.y.map((name) => {
      const texts = places.map(({ row }) => rows.text(row, at(name)));
      return { name, texts, values: texts.map(numberOf) };
    }),
    binWidth: null,
    notes: [...notes, ...leftOut(rows.rowCount - places.length)],
  };
}

function leftOut(count: number): string[] {
  return count === 0
    ? []
    : [`${count.toLocaleString('en-US')} rows without a place on the axis are left out`];
}

/** A place for each value of x, and a series for each measure or each value of the column that splits. */
function groupedPoints(
  rows: TextRows,
  choice: ChartChoice,
  xAt: number,
  xRole: ChartPoints['xRole'],
  notes: readonly string[],
): ChartPoints {
  const at = (name: string) => rows.columns.findIndex((column) => column.name === name);
  const byAt = choice.by === null ? -1 : at(choice.by);
  const measures = choice.y.length === 0 ? [-1] : choice.y.map(at);
  const split = byAt < 0 ? null : frequentTexts(rows, byAt);
  const names =
    split !== null
      ? split.flatMap((value) =>
          measures.length === 1 ? [value] : choice.y.map((name) => `${value} · ${name}`),
        )
      : choice.y.length === 0
        ? ['rows']
        : [...choice.y];
  const places = new Map<string, { readonly x: number; readonly cells: Collected[] }>();
  let isCut = false;
  let outside = 0;
  for (let row = 0; row < rows.rowCount; row++) {
    const text = rows.text(row, xAt) ?? nullText;
    const series = split === null ? 0 : split.indexOf(rows.text(row, byAt) ?? nullText);
    if (series < 0) continue;
    const x = xRole === 'category' ? places.size : placeOf(xRole, text);
    if (x === null) {
      outside += 1;
      continue;
    }
    let place = places.get(text);
    if (place === undefined) {
      if (xRole === 'category' && places.size >= categoriesMax) {
        isCut = true;
        continue;
      }
      place = { x, cells: names.map(() => new Collected()) };
      places.set(text, place);
    }
    measures.forEach((column, index) => {
      const value = column < 0 ? '1' : rows.text(row, column);
      place.cells[series * measures.length + index]?.add(numberOf(value), value);
    });
  }
  const list = [...places].toSorted(([, a], [, b]) => a.x - b.x);
  const aggregate = choice.y.length === 0 ? 'count' : choice.aggregate;
  return {
    xName: choice.x,
    xRole,
    x: list.map(([, { x }]) => x),
    xTexts: list.map(([text]) => text),
    series: names.map((name, index) => ({
      name,
      values: list.map(([, { cells }]) => cells[index]?.value(aggregate) ?? null),
      texts: list.map(([, { cells }]) => cells[index]?.text(aggregate) ?? null),
    })),
    binWidth: null,
    notes: [
      ...notes,
      ...(isCut ? [`the first ${categoriesMax} values of ${choice.x}`] : []),
      ...leftOut(outside),
    ],
  };
}

function frequentTexts(rows: TextRows, column: number): string[] {
  const counts = new Map<string, number>();
  for (let row = 0; row < rows.rowCount; row++) {
    const text = rows.text(row, column) ?? nullText;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts]
    .toSorted((a, b) => b[1] - a[1])
    .slice(0, seriesMax)
    .map(([text]) => text)
    .toSorted();
}

function histogramOf(
  rows: TextRows,
  choice: ChartChoice,
  xAt: number,
  xRole: ChartPoints['xRole'],
  notes: readonly string[],
): ChartPoints {
  const places: number[] = [];
  for (let row = 0; row < rows.rowCount; row++) {
    const x = placeOf(xRole, rows.text(row, xAt));
    if (x !== null) places.push(x);
  }
  const low = places.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const high = places.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const width = niceWidth(high - low, histogramBinsMax);
  const origin = Math.floor(low / width) * width;
  const counts = new Map<number, number>();
  for (const place of places) {
    const bin = Math.floor((place - origin) / width);
    counts.set(bin, (counts.get(bin) ?? 0) + 1);
  }
  const bins = [...counts].toSorted(([a], [b]) => a - b);
  const edge = (bin: number) => {
    const value = origin + bin * width;
    return xRole === 'time' ? new Date(value * 1_000).toISOString() : `${Number(value.toPrecision(12))}`;
  };
  const series: ChartSeries = {
    name: 'rows',
    values: bins.map(([, count]) => count),
    texts: bins.map(([, count]) => `${count}`),
  };
  return {
    xName: choice.x,
    xRole,
    x: bins.map(([bin]) => origin + bin * width),
    xTexts: bins.map(([bin]) => `${edge(bin)} to ${edge(bin + 1)}`),
    series: [series],
    binWidth: width,
    notes: [...notes, ...leftOut(rows.rowCount - places.length)],
  };
}
