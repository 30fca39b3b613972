import {
  DuckDBDecimalType,
  DuckDBListType,
  DuckDBMapType,
  DuckDBStructType,
  type DuckDBType,
} from '@duckdb/node-api';
import type { ArrowType, Field, TypeOf } from '../../../arrow/field.ts';
import { isUuid } from '../../../model/types/column-names.ts';
import { isList, typeNames } from '../../../model/types/type-table.ts';
import { lowerCase, quoteName } from '../sql-tokens.ts';
import { scalarTypes } from './scalar-types.ts';

/**
 * How DuckDB reads a column out of the Parquet files that transcoding writes, with every value as it was. What a type becomes was tried with extreme
 * values (test/engine/readable-types.test.ts); docs/reference/sql.md has the table.
 */
export type Reading = ReadableColumn | UnreadableColumn;

interface ReadableColumn {
  readonly kind: 'readable';
  /** What SQL sees. */
  readonly sqlType: string;
  /** Whether this is how the column is stored: anything else is not read. */
  matches(stored: DuckDBType): boolean;
  /** The value out of the stored one; null if it is the stored one. `fail` makes an expression that fails with this column's name. */
  readonly convert: ((value: string, fail: (why: string) => string, depth: number) => string) | null;
}

interface UnreadableColumn {
  readonly kind: 'unreadable';
  readonly reason: string;
  /** The Parquet files do not have the column at all. */
  readonly isStored: boolean;
}

/** Whether the nanoseconds of a column are all whole microseconds, as SQL has them. `unknown`: files of earlier versions do not say. */
export type Precision = 'whole' | 'finer' | 'unknown';

export function readingOf(field: Field, precision: Precision = 'whole'): Reading {
  if (isUuid(field)) return converted('UUID', 'BLOB', (value) => `CAST(${value} AS UUID)`);
  const { type } = field;
  switch (type.kind) {
    case 'decimal':
      return decimal(type);
    case 'date':
      return type.unit === 'day' ? plain('DATE') : converted('DATE', 'BIGINT', wholeDays);
    case 'time':
      return time(type.unit);
    case 'timestamp':
      return timestamp(type, precision);
    case 'duration':
      return duration(type.unit, precision);
    case 'struct':
      return struct(field, precision);
    case 'map':
      return map(field, precision);
    case 'run-end':
      return readingOf(field.children[1] as Field, precision);
    case 'interval':
      return absent('Parquet has no such type');
    default:
      return isList(type) ? list(field.children[0] as Field, precision) : asNamed(type);
  }
}

/** As the table of types names it. */
function asNamed(type: ArrowType): Reading {
  const sqlType = typeNames(type).duckdb;
  return sqlType === null ? absent('Parquet has no such type') : plain(sqlType);
}

function plain(sqlType: string): ReadableColumn {
  const id = scalarTypes[sqlType]?.typeId;
  return { kind: 'readable', sqlType, matches: (stored) => stored.typeId === id, convert: null };
}

function converted(
  sqlType: string,
  storedAs: string,
  convert: NonNullable<ReadableColumn['convert']>,
): ReadableColumn {
  return { kind: 'readable', sqlType, matches: plain(storedAs).matches, convert };
}

function unreadable(reason: string): UnreadableColumn {
  return { kind: 'unreadable', reason, isStored: true };
}

function absent(reason: string): UnreadableColumn {
  return { kind: 'unreadable', reason, isStored: false };
}

function decimal(type: TypeOf<'decimal'>): Reading {
  const { precision, scale } = type;
  if (scale < 0) return absent('Parquet has no negative scale');
  const sqlType = typeNames(type).duckdb;
  if (sqlType === null) return unreadable('decimals have at most 38 digits');
  return {
    kind: 'readable',
    sqlType,
    matches: (stored) =>
      stored instanceof DuckDBDecimalType && stored.width === precision && stored.scale === scale,
    convert: null,
  };
}

/** Parquet keeps a date in milliseconds as a plain integer. */
function wholeDays(value: string, fail: (why: string) => string): string {
  return `CASE WHEN ${value} % 86400000 <> 0 THEN ${fail('it has a time within a day')} ELSE DATE '1970-01-01' + CAST(${value} // 86400000 AS INTEGER) END`;
}

function time(unit: string): ReadableColumn {
  if (unit === 'ns') return plain('TIME_NS');
  if (unit !== 's') return plain('TIME');
  // Seconds are kept as a plain integer.
  return converted(
    'TIME',
    'INTEGER',
    (value) => `make_time(${value} // 3600, (${value} // 60) % 60, CAST(${value} % 60 AS DOUBLE))`,
  );
}

function timestamp(type: TypeOf<'timestamp'>, precision: Precision): Reading {
  const sqlType = type.zone === null ? 'TIMESTAMP' : 'TIMESTAMP WITH TIME ZONE';
  // Seconds are kept as a plain integer; a product that is too large is an error.
  if (type.unit === 's')
    return converted(sqlType, 'BIGINT', (value) =>
      type.zone === null ? `make_timestamp(${value} * 1000000)` : `make_timestamptz(${value} * 1000000)`,
    );
  if (type.unit !== 'ns') return plain(sqlType);
  if (type.zone === null) return plain('TIMESTAMP_NS');
  if (precision === 'whole') return plain(sqlType);
  return unreadable(
    precision === 'finer'
      ? 'times with a zone have microseconds in SQL, and it has values that are finer'
      : 'times with a zone have microseconds in SQL, and it was put with an earlier version, which did not check its values. Put the frame again',
  );
}

/** Kept as plain integers. An interval has microseconds. */
function duration(unit: string, precision: Precision): Reading {
  const factor = { s: 1_000_000, ms: 1000, us: 1 }[unit];
  if (factor !== undefined)
    return converted(
      'INTERVAL',
      'BIGINT',
      (value) => `to_microseconds(${factor === 1 ? value : `${value} * ${factor}`})`,
    );
  if (precision === 'whole')
    return converted('INTERVAL', 'BIGINT', (value) => `to_microseconds(${value} // 1000)`);
  if (precision === 'finer')
    return unreadable('intervals have microseconds in SQL, and it has values that are finer');
  return converted(
    'INTERVAL',
    'BIGINT',
    (value, fail) =>
      `CASE WHEN ${value} % 1000 <> 0 THEN ${fail('it has parts of a microsecond')} ELSE to_microseconds(${value} // 1000) END`,
  );
}

function list(item: Field, precision: Precision): Reading {
  const inner = readingOf(item, precision);
  if (inner.kind === 'unreadable') return inner;
  const { convert } = inner;
  return {
    kind: 'readable',
    sqlType: `${inner.sqlType}[]`,
    matches: (stored) => stored instanceof DuckDBListType && inner.matches(stored.valueType),
    convert:
      convert &&
      ((value, fail, depth) =>
        `list_transform(${value}, lambda x${depth}: ${convert(`x${depth}`, fail, depth + 1)})`),
  };
}

function struct(field: Field, precision: Precision): Reading {
  const { children } = field;
  if (children.length === 0) return absent('Parquet has no struct without members');
  const names = children.map((child) => child.name);
  if (names.includes('') || new Set(names.map(lowerCase)).size < names.length)
    return unreadable('members need names that differ in more than case');
  const inner = children.map((child) => readingOf(child, precision));
  const refused = inner.find((each) => each.kind === 'unreadable');
  if (refused?.kind === 'unreadable') return refused;
  const members = inner as readonly ReadableColumn[];
  return {
    kind: 'readable',
    sqlType: `STRUCT(${members.map((each, index) => `${quoteName(names[index] as string)} ${each.sqlType}`).join(', ')})`,
    matches: (stored) =>
      stored instanceof DuckDBStructType &&
      stored.entryTypes.length === members.length &&
      members.every((each, index) => each.matches(stored.entryTypes[index] as DuckDBType)),
    convert: members.every((each) => each.convert === null)
      ? null
      : (value, fail, depth) => {
          const packed = members.map((each, index) => {
            const member = `struct_extract_at(${value}, ${index + 1})`;
            return `${quoteName(names[index] as string)} := ${each.convert?.(member, fail, depth) ?? member}`;
          });
          return `CASE WHEN ${value} IS NULL THEN NULL ELSE struct_pack(${packed.join(', ')}) END`;
        },
  };
}

function map(field: Field, precision: Precision): Reading {
  const [keyField, valueField] = (field.children[0] as Field).children as [Field, Field];
  const key = readingOf(keyField, precision);
  const value = readingOf(valueField, precision);
  if (key.kind === 'unreadable') return key;
  if (value.kind === 'unreadable') return value;
  return {
    kind: 'readable',
    sqlType: `MAP(${key.sqlType}, ${value.sqlType})`,
    matches: (stored) =>
      stored instanceof DuckDBMapType && key.matches(stored.keyType) && value.matches(stored.valueType),
    convert:
      key.convert === null && value.convert === null
        ? null
        : (source, fail, depth) => {
            const entry = `x${depth}`;
            const keyIn = key.convert?.(`${entry}.key`, fail, depth + 1) ?? `${entry}.key`;
            const valueIn = value.convert?.(`${entry}.value`, fail, depth + 1) ?? `${entry}.value`;
            return `map_from_entries(list_transform(map_entries(${source}), lambda ${entry}: struct_pack(key := ${keyIn}, value := ${valueIn})))`;
          },
  };
}
