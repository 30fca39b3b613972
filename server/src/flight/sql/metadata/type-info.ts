import { type JdbcType, jdbc } from '../../../model/types/jdbc-types.ts';
import {
  type CommandGetXdbcTypeInfo,
  Nullable,
  Searchable,
  XdbcDataType,
  XdbcDatetimeSubcode,
} from '../../gen/FlightSql_pb.js';
import { bool, field, int32, list, utf8 } from '../rows/fields.ts';
import type { Row } from '../rows/small-table.ts';

export const typeInfoFields = [
  field('type_name', utf8, false),
  field('data_type', int32, false),
  field('column_size', int32, true),
  field('literal_prefix', utf8, true),
  field('literal_suffix', utf8, true),
  field('create_params', list, true, [field('item', utf8, false)]),
  field('nullable', int32, false),
  field('case_sensitive', bool, false),
  field('searchable', int32, false),
  field('unsigned_attribute', bool, true),
  field('fixed_prec_scale', bool, false),
  field('auto_increment', bool, true),
  field('local_type_name', utf8, true),
  field('minimum_scale', int32, true),
  field('maximum_scale', int32, true),
  field('sql_data_type', int32, false),
  field('datetime_subcode', int32, true),
  field('num_prec_radix', int32, true),
  field('interval_precision', int32, true),
];

interface TypeInfo {
  readonly name: string;
  readonly type: JdbcType;
  readonly size: number | null;
  /** Before and after a literal; null if it has neither. */
  readonly quotes?: readonly [string, string];
  readonly createParams?: readonly string[];
  /** Numbers only. */
  readonly isUnsigned?: boolean;
  readonly scale?: readonly [number, number];
  readonly sqlDataType?: XdbcDataType;
  readonly subcode?: XdbcDatetimeSubcode;
  readonly radix?: number;
}

const integer = { isUnsigned: false, scale: [0, 0], radix: 10 } as const;
const unsigned = { isUnsigned: true, scale: [0, 0], radix: 10 } as const;
const quotes = ["'", "'"] as const;
const datetime = XdbcDataType.XDBC_DATETIME;

/** The types of DuckDB that JDBC and ODBC have a number for. */
const types: readonly TypeInfo[] = [
  { name: 'BOOLEAN', type: jdbc.bit, size: 1 },
  { name: 'TINYINT', type: jdbc.tinyint, size: 3, ...integer },
  { name: 'UTINYINT', type: jdbc.tinyint, size: 3, ...unsigned },
  { name: 'SMALLINT', type: jdbc.smallint, size: 5, ...integer },
  { name: 'USMALLINT', type: jdbc.smallint, size: 5, ...unsigned },
  { name: 'INTEGER', type: jdbc.integer, size: 10, ...integer },
  { name: 'UINTEGER', type: jdbc.integer, size: 10, ...unsigned },
  { name: 'BIGINT', type: jdbc.bigint, size: 19, ...integer },
  { name: 'UBIGINT', type: jdbc.bigint, size: 20, ...unsigned },
  { name: 'HUGEINT', type: jdbc.numeric, size: 38, ...integer },
  {
    name: 'DECIMAL',
    type: jdbc.decimal,
    size: 38,
    createParams: ['precision', 'scale'],
    isUnsigned: false,
    scale: [0, 38],
    radix: 10,
  },
  { name: 'FLOAT', type: jdbc.real, size: 24, isUnsigned: false, radix: 2 },
  { name: 'DOUBLE', type: jdbc.double, size: 53, isUnsigned: false, radix: 2 },
  { name: 'VARCHAR', type: jdbc.varchar, size: null, quotes },
  { name: 'BLOB', type: jdbc.varbinary, size: null, quotes: ["'", "'::BLOB"] },
  {
    name: 'DATE',
    type: jdbc.date,
    size: 10,
    quotes: ["DATE '", "'"],
    sqlDataType: datetime,
    subcode: XdbcDatetimeSubcode.XDBC_SUBCODE_DATE,
  },
  {
    name: 'TIME',
    type: jdbc.time,
    size: 15,
    quotes: ["TIME '", "'"],
    scale: [6, 6],
    sqlDataType: datetime,
    subcode: XdbcDatetimeSubcode.XDBC_SUBCODE_TIME,
  },
  {
    name: 'TIMESTAMP',
    type: jdbc.timestamp,
    size: 26,
    quotes: ["TIMESTAMP '", "'"],
    scale: [6, 6],
    sqlDataType: datetime,
    subcode: XdbcDatetimeSubcode.XDBC_SUBCODE_TIMESTAMP,
  },
  {
    name: 'TIMESTAMP WITH TIME ZONE',
    type: jdbc.timestamp,
    size: 32,
    quotes: ["TIMESTAMPTZ '", "'"],
    scale: [6, 6],
    sqlDataType: datetime,
    subcode: XdbcDatetimeSubcode.XDBC_SUBCODE_TIMESTAMP_WITH_TIMEZONE,
  },
];

export function typeInfoRows({ dataType }: CommandGetXdbcTypeInfo): readonly Row[] {
  return types
    .filter(({ type }) => dataType === undefined || type.code === dataType)
    .toSorted((one, other) => one.type.code - other.type.code || (one.name < other.name ? -1 : 1))
    .map(rowOf);
}

function rowOf(type: TypeInfo): Row {
  const isNumber = type.isUnsigned !== undefined;
  return [
    type.name,
    type.type.code,
    type.size,
    type.quotes?.[0] ?? null,
    type.quotes?.[1] ?? null,
    type.createParams ?? null,
    Nullable.NULLABILITY_NULLABLE,
    type.name === 'VARCHAR',
    Searchable.FULL,
    type.isUnsigned ?? null,
    false,
    isNumber ? false : null,
    type.name,
    type.scale?.[0] ?? null,
    type.scale?.[1] ?? null,
    type.sqlDataType ?? type.type.code,
    type.subcode ?? null,
    type.radix ?? null,
    null,
  ];
}
