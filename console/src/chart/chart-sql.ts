import { quotedName } from '../sql-names.ts';
import { type ChartChoice, type ColumnRole, roleOf, seriesMax } from './chart-choice.ts';
import { niceTimeWidth, niceWidth } from './nice-steps.ts';

/** Points of a chart: about as many as it has pixels. */
export const pointsMax = 2_000;
/** A chart of one series is binned into at most so many. */
const binsMax = 1_000;
const histogramBinsMax = 60;
/** Bars that can be read with their names. */
export const categoriesMax = 40;

export interface ChartTable {
  /** As SQL writes it: `"trades@3"`. */
  readonly sql: string;
  readonly rows: number;
  readonly typeOf: (column: string) => string;
}

/** How x is divided. Times are in nanoseconds or microseconds since 1970, as `unitNs` says. */
export type Bins =
  | { readonly kind: 'time'; readonly origin: bigint; readonly width: bigint; readonly unitNs: bigint }
  | { readonly kind: 'number'; readonly origin: number; readonly width: number };

/** The column as an integer since 1970. */
function timeSql(column: string, type: string): { readonly sql: string; readonly unitNs: bigint } {
  const name = quotedName(column);
  if (type === 'TIMESTAMP_NS') return { sql: `epoch_ns(${name})`, unitNs: 1n };
  return { sql: `epoch_us(${type === 'DATE' ? `${name}::TIMESTAMP` : name})`, unitNs: 1_000n };
}

/** Rows that have a place on the axis: no nulls, no NaN, no infinities. */
function placed(column: string, type: string): string {
  const name = quotedName(column);
  const isEndless = type === 'DATE' || type === 'TIMESTAMP' || type === 'FLOAT' || type === 'DOUBLE';
  return isEndless ? `${name} is not null and isfinite(${name})` : `${name} is not null`;
}

/** The first and the last place of x, and how many rows have one. */
export function rangeSql(table: ChartTable, x: string): string {
  const type = table.typeOf(x);
  const place = roleOf(type) === 'time' ? timeSql(x, type).sql : `${quotedName(x)}::DOUBLE`;
  return `select count(*) as n, min(${place}) as low, max(${place}) as high from ${table.sql} where ${placed(x, type)}`;
}

/** Divides the range so that bins begin and end at round values. */
export function chooseBins(
  type: string,
  low: string,
  high: string,
  kind: ChartChoice['kind'],
  seriesCount: number,
): Bins {
  const count =
    kind === 'histogram'
      ? histogramBinsMax
      : kind === 'bar'
        ? 120
        : Math.min(binsMax, Math.floor(pointsMax / Math.max(1, seriesCount)));
  if (roleOf(type) === 'time') {
    const unitNs = timeSql('', type).unitNs;
    const [first, last] = [BigInt(low), BigInt(high)];
    const widthNs = niceTimeWidth((last - first) * unitNs, count);
    const width = widthNs / unitNs === 0n ? 1n : widthNs / unitNs;
    return { kind: 'time', origin: floorTo(first, width), width, unitNs };
  }
  const [first, last] = [Number(low), Number(high)];
  const isWhole = /^U?(BYTE|SHORT|INT|LONG)$/.test(type);
  const width = Math.max(niceWidth(last - first, count), isWhole ? 1 : 0);
  return { kind: 'number', origin: Math.floor(first / width) * width, width };
}

function floorTo(value: bigint, width: bigint): bigint {
  const rest = value % width;
  return value - (rest < 0n ? rest + width : rest);
}

function binSql(x: string, type: string, bins: Bins): string {
  return bins.kind === 'time'
    ? `(${timeSql(x, type).sql} - ${sqlInteger(bins.origin)}) // ${bins.width}`
    : `floor((${quotedName(x)}::DOUBLE - ${sqlDouble(bins.origin)}) / ${sqlDouble(bins.width)})::BIGINT`;
}

/**
 * One row for each bin (and series): `bin`, the first and the last x in it, `series`, and for each measure its aggregate, least and greatest
 * value. The engine reads all rows; only these few leave the server.
 */
export function binnedSql(table: ChartTable, choice: ChartChoice, bins: Bins): string {
  const x = quotedName(choice.x);
  const type = table.typeOf(choice.x);
  return grouped(
    table,
    choice,
    [`${binSql(choice.x, type, bins)} as bin`, `min(${x}) as x_first`, `max(${x}) as x_last`],
    placed(choice.x, type),
    'order by bin',
    choice.by === null ? 'bin' : 'bin, series',
  );
}

/** One row for each of the largest categories (and series). */
export function categoriesSql(table: ChartTable, choice: ChartChoice): string {
  const x = quotedName(choice.x);
  const [first] = choice.y;
  const size = first === undefined ? 'count(*)' : aggregateSql(choice.aggregate, first);
  const largest = `select ${x} from ${table.sql} group by ${x} order by ${size} desc nulls last, ${x} limit ${categoriesMax}`;
  return grouped(
    table,
    choice,
    [`${x}::VARCHAR as bin`, `${x}::VARCHAR as x_first`, `${x}::VARCHAR as x_last`],
    // The null is a category too.
    `(${x} in (${largest}) or ${x} is null and exists (from (${largest}) where ${x} is null))`,
    `order by ${first === undefined ? 'n' : 'y0'} desc nulls last, bin`,
    choice.by === null ? x : `${x}, series`,
  );
}

/** How many categories there are in all. */
export function categoryCountSql(table: ChartTable, x: string): string {
  return `select approx_count_distinct(${quotedName(x)}) as n from ${table.sql}`;
}

function grouped(
  table: ChartTable,
  choice: ChartChoice,
  places: readonly string[],
  where: string,
  order: string,
  groups: string,
): string {
  const series = choice.by === null ? [] : [`${quotedName(choice.by)}::VARCHAR as series`];
  const measures = choice.y.flatMap((name, index) => [
    `${aggregateSql(choice.aggregate, name)} as y${index}`,
    `min(${quotedName(name)}) as y${index}_low`,
    `max(${quotedName(name)}) as y${index}_high`,
  ]);
  const only =
    choice.by === null ? '' : ` and ${quotedName(choice.by)} in (${frequentSql(table, choice.by)})`;
  return (
    `select ${[...places, ...series, 'count(*) as n', ...measures].join(', ')} from ${table.sql} ` +
    `where ${where}${only} group by ${groups} ${order}`
  );
}

function aggregateSql(aggregate: ChartChoice['aggregate'], column: string): string {
  return aggregate === 'count' ? `count(${quotedName(column)})` : `${aggregate}(${quotedName(column)})`;
}

/** The most frequent values: a series for each. */
function frequentSql(table: ChartTable, by: string): string {
  const name = quotedName(by);
  return `select ${name} from ${table.sql} where ${name} is not null group by ${name} order by count(*) desc, ${name} limit ${seriesMax}`;
}

/** The rows themselves, or a sample of them that is the same every time. */
export function rowsSql(table: ChartTable, choice: ChartChoice, isSample: boolean): string {
  const names = [choice.x, ...choice.y, ...(choice.by === null ? [] : [choice.by])];
  const columns = names.map((name, index) => `${quotedName(name)} as c${index}`);
  const where = placed(choice.x, table.typeOf(choice.x));
  const rows = `select ${columns.join(', ')} from ${table.sql} where ${where}`;
  return isSample
    ? `select * from (${rows}) using sample reservoir(${pointsMax} rows) repeatable (1)`
    : `${rows} order by ${quotedName(choice.x)}`;
}

/** Whether single rows are drawn rather than bins. */
export function drawsRows(table: ChartTable, choice: ChartChoice, xRole: ColumnRole): boolean {
  if (choice.kind === 'scatter') return true;
  const isCurve = choice.kind === 'line' || choice.kind === 'area';
  return (
    isCurve && xRole !== 'category' && choice.y.length > 0 && choice.by === null && table.rows <= pointsMax
  );
}

/** A literal of its own type: `-1` is an expression, and 64 bits need to be said. */
function sqlInteger(value: bigint): string {
  return `(${value})::BIGINT`;
}

function sqlDouble(value: number): string {
  return `(${value})::DOUBLE`;
}
