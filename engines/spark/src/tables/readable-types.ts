import type { ArrowKind, ArrowType, Field, PlainType, TypeOf } from '../../../../server/src/arrow/field.ts';
import { isUuid } from '../../../../server/src/model/types/column-names.ts';
import { plainForm, typeNames } from '../../../../server/src/model/types/type-table.ts';
import type { Expression } from '../connect/gen/spark/connect/expressions_pb.js';
import { call, cast, integer, lambda, long, member, nothing, text } from './expressions.ts';
import { sameNames } from './spark-names.ts';

/**
 * How Spark reads a column out of the Parquet files that transcoding writes, with every value as it was. What a type becomes was tried with extreme values on a
 * real Spark (engines/spark/test/tables); docs/reference/spark-types.md has the table.
 */
export type Reading = ReadableColumn | UnreadableColumn;

/** A type as in the JSON form of Spark's schemas. */
type StoredType = string | Readonly<Record<string, unknown>>;

export interface ReadableColumn {
  readonly kind: 'readable';
  /** What SQL sees. */
  readonly sqlType: string;
  /** How it gets there, for the reference. */
  readonly how: string;
  /** As what the files are read. Spark refuses files that have another type, but not those that lack the column: those are all null. */
  readonly stored: StoredType;
  /** The value out of the stored one; null if it is the stored one. `fail` makes an expression that fails with this column's name. */
  readonly convert: Convert | null;
  /** Whether the files have it in an encoding that Spark reads row by row only. */
  readonly byRows: boolean;
}

interface UnreadableColumn {
  readonly kind: 'unreadable';
  readonly reason: string;
}

type Fail = (why: string) => Expression;
type Convert = (value: Expression, fail: Fail, depth: number) => Expression;
type Row<Kind extends ArrowKind> = (type: TypeOf<Kind>, field: Field) => Reading;

/** One line for each kind that is not simply read as the type that the table of types has for it. Views are written in their plain form. */
const readings: { readonly [Kind in PlainType['kind']]?: Row<Kind> } = {
  // All values are null: any type holds them. As in DuckDB.
  null: () => plain('INT', 'integer', 'all null'),
  int,
  float,
  decimal,
  'fixed-binary': (type, field) =>
    isUuid(field)
      ? converted('STRING', 'binary', 'as lower-case text with hyphens', uuidText)
      : asNamed(type),
  date: (type) =>
    type.unit === 'day'
      ? asNamed(type)
      : converted(
          'DATE',
          'long',
          'whole days only: a value with a time of day ends the statement',
          wholeDays,
        ),
  // Spark has a type for it in previews only, and Parquet's seconds are plain integers.
  time: () => unreadable('Spark has no time of day'),
  timestamp: timestamp,
  // Parquet has them as plain integers, which would be read as numbers.
  duration: () => unreadable('Parquet has no such type, and Spark would read numbers'),
  list: (_, field) => list(field.children[0] as Field),
  'fixed-list': (_, field) => list(field.children[0] as Field),
  struct: (_, field) => struct(field),
  map: (_, field) => map(field),
  // Only a way to store: what counts is the values.
  'run-end': (_, field) => readingOf(field.children[1] as Field),
};

export function readingOf(field: Field): Reading {
  const { type, dictionary, children } = field;
  // Transcoding leaves them out, because they have no nulls of their own.
  if (dictionary !== null && children.some(hasRunEnds)) return unreadable('it is not in the Parquet form');
  const form = plainForm(type);
  const reading = readings[form.kind] as Row<ArrowKind> | undefined;
  return reading?.(form, field) ?? asNamed(type);
}

/** As the table of types names it. */
function asNamed(type: ArrowType, how = 'as it is'): Reading {
  const sqlType = typeNames(type).spark;
  return sqlType === null ? unreadable('Parquet has no such type') : plain(sqlType, storedName(sqlType), how);
}

const storedNames: Readonly<Record<string, string>> = {
  TINYINT: 'byte',
  SMALLINT: 'short',
  INT: 'integer',
  BIGINT: 'long',
};

/** As the JSON form of Spark's schemas calls a type of SQL. */
function storedName(sqlType: string): string {
  return storedNames[sqlType] ?? sqlType.toLowerCase();
}

function plain(sqlType: string, stored: StoredType, how = 'as it is'): ReadableColumn {
  return { kind: 'readable', sqlType, how, stored, convert: null, byRows: false };
}

function converted(sqlType: string, stored: StoredType, how: string, convert: Convert): ReadableColumn {
  return { ...plain(sqlType, stored, how), convert };
}

function unreadable(reason: string): UnreadableColumn {
  return { kind: 'unreadable', reason };
}

/** Spark has no unsigned types: the next wider one holds all values. */
function int(type: TypeOf<'int'>): Reading {
  if (type.signed) return asNamed(type);
  if (type.bits === 64) return unreadable('Spark has no integer that holds unsigned 64 bits');
  return asNamed(type, 'in the next wider type');
}

/**
 * Spark compares values with the statistics of a file before it reads it, and these leave out NaN, which Spark takes for the largest number: `x > 5` would
 * lose rows. The function changes no value, but keeps the comparison away from the statistics.
 */
function float(type: TypeOf<'float'>): Reading {
  if (type.bits === 16) return unreadable('Spark has no half-precision numbers');
  const reading = asNamed(type);
  if (reading.kind === 'unreadable') return reading;
  return { ...reading, convert: (value) => call('nanvl', value, value), byRows: true };
}

function decimal(type: TypeOf<'decimal'>): Reading {
  if (type.scale < 0) return unreadable('Parquet has no negative scale');
  if (typeNames(type).spark === null) return unreadable('decimals have at most 38 digits');
  return asNamed(type);
}

/** Lower case, with hyphens. A null stays one. */
function uuidText(value: Expression): Expression {
  const digits = call('lower', call('hex', value));
  const groups: readonly (readonly [from: number, length: number])[] = [
    [1, 8],
    [9, 4],
    [13, 4],
    [17, 4],
    [21, 12],
  ];
  const pieces = groups.map(([from, length]) => call('substring', digits, integer(from), integer(length)));
  return call('concat', ...pieces.flatMap((piece, index) => (index === 0 ? [piece] : [text('-'), piece])));
}

const dayMs = 86_400_000;

/** Parquet keeps a date in milliseconds as a plain integer. A day that Spark has no date for fails in the cast. */
function wholeDays(value: Expression, fail: Fail): Expression {
  const days = cast(call('div', value, long(dayMs)), 'integer');
  return call(
    'if',
    call('>', call('pmod', value, long(dayMs)), long(0)),
    fail('it has a time within a day'),
    call('date_from_unix_date', days),
  );
}

function timestamp({ unit, zone }: TypeOf<'timestamp'>): Reading {
  if (unit === 'ns') return unreadable('times have microseconds in Spark');
  // Writers of Parquet take it for none.
  if (zone === '') return unreadable('its time zone has no name');
  const isLocal = zone === null;
  const sqlType = isLocal ? 'TIMESTAMP_NTZ' : 'TIMESTAMP';
  // Seconds are kept as a plain integer. A product that is too large is an error.
  if (unit === 's')
    return converted(sqlType, 'long', 'in microseconds', (value) => {
      const instant = call('timestamp_seconds', value);
      return isLocal ? cast(instant, 'timestampNtz') : instant;
    });
  const stored = isLocal ? 'timestamp_ntz' : 'timestamp';
  const how = `${unit === 'us' ? 'as it is' : 'in microseconds'}${isLocal ? '' : '; the instant is kept, the name of the zone is not'}`;
  if (unit === 'us' || isLocal) return plain(sqlType, stored, how);
  // Spark cuts the other side of a comparison to milliseconds before it looks at the statistics of a file: `t < 1.0005 s` would lose 1.000 s. This
  // changes no value, but keeps the comparison away from the statistics.
  return converted(sqlType, stored, how, (value) => call('timestamp_micros', call('unix_micros', value)));
}

function list(item: Field): Reading {
  const inner = readingOf(item);
  if (inner.kind === 'unreadable') return inner;
  const convert = insideOf(inner);
  return {
    ...plain(`ARRAY<${inner.sqlType}>`, { type: 'array', elementType: inner.stored, containsNull: true }),
    convert:
      convert &&
      ((value, fail, depth) =>
        call(
          'transform',
          value,
          lambda([`x${depth}`], (each) => convert(each as Expression, fail, depth + 1)),
        )),
  };
}

function struct({ children }: Field): Reading {
  if (children.length === 0) return unreadable('Parquet has no struct without members');
  const names = children.map((child) => child.name);
  if (names.includes('') || sameNames(names).length > 0)
    return unreadable('members need names that differ in more than case');
  const inner = children.map(readingOf);
  const refused = inner.find((each) => each.kind === 'unreadable');
  if (refused !== undefined) return refused;
  const members = inner as readonly ReadableColumn[];
  const converts = members.map(insideOf);
  const fields = members.map(({ stored }, index) => storedField(names[index] as string, stored));
  const sqlType = `STRUCT<${members.map((each, index) => `${names[index]}: ${each.sqlType}`).join(', ')}>`;
  return {
    ...plain(sqlType, { type: 'struct', fields }),
    convert: converts.every((each) => each === null)
      ? null
      : (value, fail, depth) => {
          const packed = names.flatMap((name, index) => {
            const stored = member(value, name);
            return [text(name), converts[index]?.(stored, fail, depth) ?? stored];
          });
          return call('if', call('isnull', value), nothing(), call('named_struct', ...packed));
        },
  };
}

function map(field: Field): Reading {
  const [keyField, valueField] = (field.children[0] as Field).children as [Field, Field];
  const key = readingOf(keyField);
  const value = readingOf(valueField);
  if (key.kind === 'unreadable') return key;
  if (value.kind === 'unreadable') return value;
  if (hasMap(keyField)) return unreadable('Spark has no maps in the keys of a map');
  // Making a map of other keys would have to decide which of two equal ones counts.
  if (insideOf(key) !== null) return unreadable(`keys of a map cannot be converted (${key.sqlType})`);
  const convert = insideOf(value);
  return {
    ...plain(`MAP<${key.sqlType}, ${value.sqlType}>`, {
      ...{ type: 'map', keyType: key.stored },
      ...{ valueType: value.stored, valueContainsNull: true },
    }),
    convert:
      convert &&
      ((source, fail, depth) =>
        call(
          'transform_values',
          source,
          lambda([`k${depth}`, `x${depth}`], (_, each) => convert(each as Expression, fail, depth + 1)),
        )),
  };
}

/** Comparisons inside lists, structs and maps never reach the statistics (tableSettings): what only keeps them away is not needed there. */
function insideOf({ convert, stored }: ReadableColumn): Convert | null {
  return stored === 'float' || stored === 'double' || stored === 'timestamp' ? null : convert;
}

/** A column or member in the JSON form of Spark's schemas. */
export function storedField(name: string, type: StoredType): Readonly<Record<string, unknown>> {
  return { name, type, nullable: true, metadata: {} };
}

function hasRunEnds({ type, children }: Field): boolean {
  return type.kind === 'run-end' || children.some(hasRunEnds);
}

function hasMap({ type, children }: Field): boolean {
  return type.kind === 'map' || children.some(hasMap);
}
