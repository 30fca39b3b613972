import type { ColumnKind } from './column-kind.ts';

/** A text longer than this is cut, and ends with an ellipsis: one value may have megabytes. */
const textCharactersMax = 256;

/** Expressions of the engine's SQL about one column, which statements call `c0`, `c1` … by its position. */

/** Each gives one value of one row, in the order of `Basics`. */
export function basicExpressions(kind: ColumnKind, c: string): readonly string[] {
  const counts = [`count(${c})`, `approx_count_distinct(${c})`];
  const none = 'NULL';
  const key = (value: string) => keyOf(kind, value) ?? none;
  switch (kind) {
    case 'integer':
    case 'decimal':
      return [...counts, `min(${c})`, `max(${c})`, `avg(${c})::VARCHAR`, none, `min(${c})`, `max(${c})`];
    case 'float': {
      const finite = `FILTER (WHERE isfinite(${c}))`;
      const number = `FILTER (WHERE NOT isnan(${c}))`;
      return [
        ...counts,
        `(min(${c}) ${number})::VARCHAR`,
        `(max(${c}) ${number})::VARCHAR`,
        `(avg(${c}::DOUBLE) ${finite})::VARCHAR`,
        `count(*) FILTER (WHERE NOT isfinite(${c}))`,
        `(min(${c}::DOUBLE) ${finite})::VARCHAR`,
        `(max(${c}::DOUBLE) ${finite})::VARCHAR`,
      ];
    }
    case 'date':
    case 'timestamp':
    case 'timestamp-ns':
    case 'time': {
      const [low, high] = [key(`min(${c})`), key(`max(${c})`)];
      return [...counts, timeOf(kind, low), timeOf(kind, high), none, none, low, high];
    }
    case 'bool':
    case 'duration':
      return [...counts, `min(${c})`, `max(${c})`, none, none, none, none];
    case 'text':
      return [...counts, cut(`min(${c}::VARCHAR)`), cut(`max(${c}::VARCHAR)`), none, none, none, none];
    case 'other':
      return [...counts, none, none, none, none, none, none];
  }
}

/** The number of values up to each of these ends and above the one before, as a list. The ends are keys: see `hasKeys`. */
export function binCounts(kind: ColumnKind, c: string, ends: readonly string[], scale: number): string {
  const list = ends.map((end) => `'${end}'`).join(', ');
  switch (kind) {
    case 'float':
      return counted(`${c}::DOUBLE`, `[${list}]::DOUBLE[]`, `FILTER (WHERE isfinite(${c}))`);
    case 'decimal':
      return counted(`${c}::DECIMAL(38, ${scale})`, `[${list}]::DECIMAL(38, ${scale})[]`);
    case 'integer':
      return counted(`${c}::HUGEINT`, `[${list}]::HUGEINT[]`);
    default:
      return counted(keyOf(kind, c) ?? c, `[${list}]::BIGINT[]`);
  }
}

/** The values that these keys stand for, as a list. */
export function keyValues(kind: ColumnKind, keys: readonly bigint[]): string {
  return hasKeys(kind) ? `[${keys.map((key) => timeOf(kind, `${key}::BIGINT`)).join(', ')}]` : 'NULL';
}

/** Whether the engine computes with whole numbers in place of the values. */
function hasKeys(kind: ColumnKind): boolean {
  return keyOf(kind, '') !== null;
}

/** The most frequent values of a column of a table, with their counts, and how many different ones there are. */
export function frequentValues(c: string, table: string, valuesMax: number): string {
  const grouped = `SELECT ${c}::VARCHAR AS value, count(*) AS n FROM ${table} WHERE ${c} IS NOT NULL GROUP BY ${c}`;
  const first = `SELECT value, n, count(*) OVER () AS of FROM (${grouped}) ORDER BY n DESC, value LIMIT ${valuesMax}`;
  return `SELECT '${c}' AS source, ${cut('value')} AS value, n, of FROM (${first})`;
}

function counted(value: string, ends: string, filter = ''): string {
  return `map_values(histogram(${value}, ${ends}) ${filter})`;
}

/** A whole number in place of a time: its distance from 1970, or from midnight. */
function keyOf(kind: ColumnKind, value: string): string | null {
  switch (kind) {
    case 'date':
      return `date_diff('day', DATE '1970-01-01', ${value})`;
    case 'timestamp':
    case 'time':
      return `epoch_us(${value})`;
    case 'timestamp-ns':
      return `epoch_ns(${value})`;
    default:
      return null;
  }
}

function timeOf(kind: ColumnKind, key: string): string {
  switch (kind) {
    case 'date':
      return `(DATE '1970-01-01' + (${key})::INTEGER)`;
    case 'time':
      return `(TIME '00:00:00' + to_microseconds(${key}))`;
    case 'timestamp-ns':
      return `make_timestamp_ns(${key})`;
    default:
      return `make_timestamp(${key})`;
  }
}

function cut(text: string): string {
  return `CASE WHEN length(${text}) > ${textCharactersMax} THEN left(${text}, ${textCharactersMax}) || '…' ELSE ${text} END`;
}
