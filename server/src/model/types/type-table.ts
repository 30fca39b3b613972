import type { ArrowKind, ArrowType, PlainType, TimeUnit, TypeOf } from './field.ts';
import { type JdbcType, jdbc } from './jdbc-types.ts';
import { bits, fixed, type Layout, none, runEnd, struct, views } from './layout.ts';
import { numeric, type PostgresType, postgres } from './postgres-types.ts';

/** What a type is called where its values go. Of a nested type it is the name without what is inside. */
export interface TypeNames {
  /** `/exec` and manifests. */
  readonly exec: string;
  /** The SQL type of DuckDB that holds every value; null if there is none. */
  readonly duckdb: string | null;
  /** The same of Spark. */
  readonly spark: string | null;
  /** Null if JDBC and ODBC have no number for it. */
  readonly jdbc: JdbcType | null;
  readonly postgres: PostgresType;
}

type Family = 'text' | 'binary' | 'number' | 'time' | 'list' | 'nested' | 'other';

interface TypeRow<Type extends ArrowType> {
  /** As Arrow's documentation writes it, without what is inside. */
  text(type: Type): string;
  names(type: Type): TypeNames;
  layout(type: Type): Layout;
  readonly family: Family;
  /** Of a view: the type of the same values that every reader knows. */
  plain?(type: Type): PlainType;
  /** Why its Parquet form alone would not give it back exactly; null if round trips with every bit set have shown that it does (server/test/transcode). */
  readonly lostInParquet: string | null;
}

const exact = { lostInParquet: null } as const;
const viewLost = { lostInParquet: 'views come back as plain arrays' } as const;

const text = names('STRING', 'VARCHAR', 'STRING', jdbc.varchar, postgres.text);
const binary = names('BINARY', 'BLOB', 'BINARY', jdbc.varbinary, postgres.bytea);
const list = names('ARRAY', 'LIST', 'ARRAY', null, postgres.json);

/** PostgreSQL and JDBC have no unsigned integers, and Spark has none: the next wider type holds the values. */
const integers: Readonly<Record<string, TypeNames>> = {
  int8: names('BYTE', 'TINYINT', 'TINYINT', jdbc.tinyint, postgres.int2),
  int16: names('SHORT', 'SMALLINT', 'SMALLINT', jdbc.smallint, postgres.int2),
  int32: names('INT', 'INTEGER', 'INT', jdbc.integer, postgres.int4),
  int64: names('LONG', 'BIGINT', 'BIGINT', jdbc.bigint, postgres.int8),
  uint8: names('UBYTE', 'UTINYINT', 'SMALLINT', jdbc.tinyint, postgres.int2),
  uint16: names('USHORT', 'USMALLINT', 'INT', jdbc.smallint, postgres.int4),
  uint32: names('UINT', 'UINTEGER', 'BIGINT', jdbc.integer, postgres.int8),
  uint64: names('ULONG', 'UBIGINT', 'DECIMAL(20,0)', jdbc.bigint, numeric(20, 0)),
};

const timestampNames: Readonly<Record<TimeUnit, string>> = {
  s: 'TIMESTAMP_S',
  ms: 'TIMESTAMP_MS',
  us: 'TIMESTAMP',
  ns: 'TIMESTAMP_NS',
};

/** One row for each kind of Arrow's types. A kind without a row does not compile. */
const rows: { readonly [Kind in ArrowKind]: TypeRow<TypeOf<Kind>> } = {
  null: {
    text: () => 'null',
    // All values are null: any type holds them. These are the ones that each engine gives to NULL alone.
    names: () => names('NULL', 'INTEGER', 'VOID', null, postgres.text),
    layout: () => none,
    family: 'other',
    ...exact,
  },
  bool: {
    text: () => 'bool',
    names: () => names('BOOLEAN', 'BOOLEAN', 'BOOLEAN', jdbc.bit, postgres.bool),
    layout: () => bits,
    family: 'other',
    ...exact,
  },
  int: {
    text: integerText,
    names: (type) => integers[integerText(type)] as TypeNames,
    layout: (type) => fixed(type.bits / 8),
    family: 'number',
    ...exact,
  },
  float: {
    text: (type) => `float${type.bits}`,
    names: (type) =>
      type.bits === 64
        ? names('DOUBLE', 'DOUBLE', 'DOUBLE', jdbc.double, postgres.float8)
        : names('FLOAT', 'FLOAT', 'FLOAT', jdbc.real, postgres.float4),
    layout: (type) => fixed(type.bits / 8),
    family: 'number',
    ...exact,
  },
  decimal: {
    text: (type) => `decimal${type.bits}(${type.precision}, ${type.scale})`,
    names: decimalNames,
    layout: (type) => fixed(type.bits / 8),
    family: 'number',
    ...exact,
  },
  utf8: {
    text: (type) => (type.large ? 'large_utf8' : 'utf8'),
    names: () => text,
    layout: ({ large }) => ({ kind: 'bytes', large }),
    family: 'text',
    ...exact,
  },
  'utf8-view': {
    text: () => 'utf8_view',
    names: () => text,
    layout: () => views,
    family: 'text',
    plain: () => ({ kind: 'utf8', large: false }),
    ...viewLost,
  },
  binary: {
    text: (type) => (type.large ? 'large_binary' : 'binary'),
    names: () => binary,
    layout: ({ large }) => ({ kind: 'bytes', large }),
    family: 'binary',
    ...exact,
  },
  'binary-view': {
    text: () => 'binary_view',
    names: () => binary,
    layout: () => views,
    family: 'binary',
    plain: () => ({ kind: 'binary', large: false }),
    ...viewLost,
  },
  'fixed-binary': {
    text: (type) => `fixed_size_binary[${type.width}]`,
    names: () => binary,
    layout: (type) => fixed(type.width),
    family: 'binary',
    ...exact,
  },
  date: {
    text: (type) => (type.unit === 'day' ? 'date32' : 'date64'),
    names: () => names('DATE', 'DATE', 'DATE', jdbc.date, postgres.date),
    layout: (type) => fixed(type.unit === 'day' ? 4 : 8),
    family: 'time',
    ...exact,
  },
  time: {
    text: (type) => `time${type.bits}[${type.unit}]`,
    // Spark has a time of day in previews only. PostgreSQL's has microseconds: a value with more digits is refused.
    names: (type) => names('TIME', type.unit === 'ns' ? 'TIME_NS' : 'TIME', null, jdbc.time, postgres.time),
    layout: (type) => fixed(type.bits / 8),
    family: 'time',
    ...exact,
  },
  timestamp: {
    text: ({ unit, zone }) => `timestamp[${unit}${zone === null ? '' : `, ${zone}`}]`,
    names: ({ unit, zone }) => {
      const exec = unit === 'ns' ? 'TIMESTAMP_NS' : 'TIMESTAMP';
      return zone === null
        ? names(exec, timestampNames[unit], 'TIMESTAMP_NTZ', jdbc.timestamp, postgres.timestamp)
        : names(exec, 'TIMESTAMP WITH TIME ZONE', 'TIMESTAMP', jdbc.timestamp, postgres.timestamptz);
    },
    layout: () => fixed(8),
    family: 'time',
    ...exact,
  },
  duration: {
    text: (type) => `duration[${type.unit}]`,
    names: () => names('DURATION', 'INTERVAL', null, null, postgres.interval),
    layout: () => fixed(8),
    family: 'time',
    ...exact,
  },
  interval: {
    text: (type) => `interval[${type.unit}]`,
    names: () => names('INTERVAL', 'INTERVAL', null, null, postgres.interval),
    layout: ({ unit }) => fixed({ 'year-month': 4, 'day-time': 8, 'month-day-nano': 16 }[unit]),
    family: 'time',
    lostInParquet: 'intervals have no exact Parquet form',
  },
  list: {
    text: (type) => (type.large ? 'large_list' : 'list'),
    names: () => list,
    layout: ({ large }) => ({ kind: 'list', large }),
    family: 'list',
    ...exact,
  },
  'list-view': {
    text: (type) => (type.large ? 'large_list_view' : 'list_view'),
    names: () => list,
    layout: ({ large }) => ({ kind: 'list-view', large }),
    family: 'list',
    plain: ({ large }) => ({ kind: 'list', large }),
    ...viewLost,
  },
  'fixed-list': {
    text: (type) => `fixed_size_list[${type.size}]`,
    names: () => ({ ...list, duckdb: 'ARRAY' }),
    layout: ({ size }) => ({ kind: 'fixed-list', size }),
    family: 'list',
    ...exact,
  },
  struct: {
    text: () => 'struct',
    names: () => names('STRUCT', 'STRUCT', 'STRUCT', null, postgres.json),
    layout: () => struct,
    family: 'nested',
    ...exact,
  },
  map: {
    text: (type) => (type.keysSorted ? 'map with sorted keys' : 'map'),
    names: () => names('MAP', 'MAP', 'MAP', null, postgres.json),
    layout: () => ({ kind: 'list', large: false }),
    family: 'nested',
    ...exact,
  },
  union: {
    text: (type) => `${type.mode} union of ${type.typeIds.join(', ')}`,
    names: () => names('UNION', null, null, null, postgres.json),
    layout: (type) => type,
    family: 'nested',
    lostInParquet: 'Parquet has no unions',
  },
  // Only a way to store: a column has the names of its values (column-names.ts).
  'run-end': {
    text: () => 'run_end_encoded',
    names: () => names('RUN_END', null, null, null, postgres.json),
    layout: () => runEnd,
    family: 'nested',
    lostInParquet: 'run-end encoding is not kept',
  },
};

/** The extension `arrow.uuid` of a fixed-size binary. */
export const uuidNames = names('UUID', 'UUID', 'STRING', null, postgres.uuid);

function names(
  exec: string,
  duckdb: string | null,
  spark: string | null,
  jdbc: JdbcType | null,
  postgres: PostgresType,
): TypeNames {
  return { exec, duckdb, spark, jdbc, postgres };
}

function integerText({ bits, signed }: TypeOf<'int'>): string {
  return `${signed ? '' : 'u'}int${bits}`;
}

/** Engines have at most 38 digits, and no zeros before the point that are not stored. */
function decimalNames({ precision, scale, integer }: TypeOf<'decimal'>): TypeNames {
  const name = `DECIMAL(${precision},${scale})`;
  const ofEngine = precision > 38 || scale < 0 || scale > precision ? null : name;
  return integer === undefined
    ? names(name, ofEngine, ofEngine, jdbc.decimal, numeric(precision, scale))
    : names(integer, ofEngine, ofEngine, jdbc.numeric, postgres.numeric);
}

function rowOf(type: ArrowType): TypeRow<ArrowType> {
  return rows[type.kind];
}

export function typeNames(type: ArrowType): TypeNames {
  return rowOf(type).names(type);
}

/** As Arrow's documentation writes it: `timestamp[us, UTC]`. Of a nested type, without what is inside. */
export function plainTypeText(type: ArrowType): string {
  return rowOf(type).text(type);
}

export function typeLayout(type: ArrowType): Layout {
  return rowOf(type).layout(type);
}

/** The type with the same values that every reader knows: of a view another one, of every other type itself. */
export function plainForm(type: ArrowType): PlainType {
  return rowOf(type).plain?.(type) ?? (type as PlainType);
}

export function isView(type: ArrowType): boolean {
  return rowOf(type).plain !== undefined;
}

export function lostInParquet(type: ArrowType): string | null {
  return rowOf(type).lostInParquet;
}

export function isText(type: ArrowType): boolean {
  return rowOf(type).family === 'text';
}

export function isBinary(type: ArrowType): boolean {
  return rowOf(type).family === 'binary';
}

export function isList(type: ArrowType): boolean {
  return rowOf(type).family === 'list';
}

/** Whether its fields have children, except that a struct may have none. */
export function isNested(type: ArrowType): boolean {
  const { family } = rowOf(type);
  return family === 'list' || family === 'nested';
}
