import { quoteName } from '../sql/sql-names.ts';
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
  const name = quoteName(column);
  if (type === 'TIMESTAMP_NS') return { sql: `epoch_ns(${name})`, unitNs: 1n };
  return { sql: `epoch_us(${type === 'DATE' ? `${name}::TIMESTAMP` : name})`, unitNs: 1_000n };
}

/** Rows that have a place on the axis: no nulls, no NaN, no infinities. */
function placed(column: string, type: string): string {
  const name = quoteName(column);
  const isEndless = type === 'DATE' || type === 'TIMESTAMP' || type === 'FLOAT' || type === 'DOUBLE';
  return isEndless ? `${name} is not null and isfinite(${name})` : `${name} is not null`;
}

/** The first and the last place of x, and how many rows have one. */
export function rangeSql(table: ChartTable, x: string): string {
  const type = table.typeOf(x);
  const place = roleOf(type) === 'time' ? timeSql(x, type).sql : quoteName(x);
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
    : `floor((${quoteName(x)}::DOUBLE - ${sqlDouble(bins.origin)}) / ${sqlDouble(bins.width)})::BIGINT`;
}

/**
 * One row for each bin (and series): `bin`, the first and the last x in it, `series`, and for each measure its aggregate, least and greatest
 * value. The engine reads all rows; only these few leave the server.
 */
export function binnedSql(table: ChartTable, choice: ChartChoice, bins: Bins): string {
  const x = quoteName(choice.x);
  const type = table.typeOf(choice.x);
  const places = [`${binSql(choice.x, type, bins)} as bin`, `min(${x}) as x_first`, `max(${x}) as x_last`];
  return grouped(table, choice, places, placed(choice.x, type), 'order by 1');
}

/** One row for each of the largest categories (and series). `categories` is how many there are. */
export function categoriesSql(table: ChartTable, choice: ChartChoice): string {
  const x = quoteName(choice.x);
  const [first] = choice.y;
  const order = `order by ${first === undefined ? 'count(*)' : aggregateSql(choice.aggregate, first)} desc nulls last, 1`;
  const places = (categories: string) => [
    `${x}::VARCHAR as bin`,
    `any_value(${x}::VARCHAR) as x_first`,
    `any_value(${x}::VARCHAR) as x_last`,
    `${categories} as categories`,
  ];
  if (choice.by === null)
    return grouped(table, choice, places('count(*) over ()'), 'true', `${order} limit ${categoriesMax}`);
  const largest = `select ${x} from ${table.sql} group by 1 ${order} limit ${categoriesMax}`;
  const count = `(select approx_count_distinct(${x}) from ${table.sql})`;
  return grouped(table, choice, places(count), `(${x} is null or ${x} in (${largest}))`, order);
}

/** Groups are named by their place: a column of the frame may have any of these names. */
function grouped(
  table: ChartTable,
  choice: ChartChoice,
  [bin = '', ...places]: readonly string[],
  where: string,
  order: string,
): string {
  const by = choice.by === null ? null : quoteName(choice.by);
  const columns = [
    bin,
    ...(by === null ? [] : [`${by}::VARCHAR as series`]),
    ...places,
    'count(*) as n',
    ...choice.y.flatMap((name, index) => [
      `${aggregateSql(choice.aggregate, name)} as y${index}`,
      `min(${quoteName(name)}) as y${index}_low`,
      `max(${quoteName(name)}) as y${index}_high`,
    ]),
  ];
  const only = choice.by === null ? '' : ` and ${by} in (${frequentSql(table, choice.by)})`;
  const groups = by === null ? '1' : '1, 2';
  return `select ${columns.join(', ')} from ${table.sql} where ${where}${only} group by ${groups} ${order}`;
}

function aggregateSql(aggregate: ChartChoice['aggregate'], column: string): string {
  return aggregate === 'count' ? `count(${quoteName(column)})` : `${aggregate}(${quoteName(column)})`;
}

/** The most frequent values: a series for each. */
function frequentSql(table: ChartTable, by: string): string {
  const name = quoteName(by);
  return `select ${name} from ${table.sql} where ${name} is not null group by 1 order by count(*) desc, 1 limit ${seriesMax}`;
}

/** The rows themselves, or a sample of them that is the same every time. */
export function rowsSql(table: ChartTable, choice: ChartChoice, isSample: boolean): string {
  const names = [choice.x, ...choice.y, ...(choice.by === null ? [] : [choice.by])];
  const columns = names.map((name, index) => `${quoteName(name)} as c${index}`);
  const where = placed(choice.x, table.typeOf(choice.x));
  const rows = `select ${columns.join(', ')} from ${table.sql} where ${where}`;
  return isSample
    ? `select * from (${rows}) using sample reservoir(${pointsMax} rows) repeatable (1)`
    : `${rows} order by 1`;
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
