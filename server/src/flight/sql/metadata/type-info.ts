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
  readonly dataType: XdbcDataType;
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
  { name: 'BOOLEAN', dataType: XdbcDataType.XDBC_BIT, size: 1 },
  { name: 'TINYINT', dataType: XdbcDataType.XDBC_TINYINT, size: 3, ...integer },
  { name: 'UTINYINT', dataType: XdbcDataType.XDBC_TINYINT, size: 3, ...unsigned },
  { name: 'SMALLINT', dataType: XdbcDataType.XDBC_SMALLINT, size: 5, ...integer },
  { name: 'USMALLINT', dataType: XdbcDataType.XDBC_SMALLINT, size: 5, ...unsigned },
  { name: 'INTEGER', dataType: XdbcDataType.XDBC_INTEGER, size: 10, ...integer },
  { name: 'UINTEGER', dataType: XdbcDataType.XDBC_INTEGER, size: 10, ...unsigned },
  { name: 'BIGINT', dataType: XdbcDataType.XDBC_BIGINT, size: 19, ...integer },
  { name: 'UBIGINT', dataType: XdbcDataType.XDBC_BIGINT, size: 20, ...unsigned },
  { name: 'HUGEINT', dataType: XdbcDataType.XDBC_NUMERIC, size: 38, ...integer },
  {
    name: 'DECIMAL',
    dataType: XdbcDataType.XDBC_DECIMAL,
    size: 38,
    createParams: ['precision', 'scale'],
    isUnsigned: false,
    scale: [0, 38],
    radix: 10,
  },
  { name: 'FLOAT', dataType: XdbcDataType.XDBC_REAL, size: 24, isUnsigned: false, radix: 2 },
  { name: 'DOUBLE', dataType: XdbcDataType.XDBC_DOUBLE, size: 53, isUnsigned: false, radix: 2 },
  { name: 'VARCHAR', dataType: XdbcDataType.XDBC_VARCHAR, size: null, quotes },
  { name: 'BLOB', dataType: XdbcDataType.XDBC_VARBINARY, size: null, quotes: ["'", "'::BLOB"] },
  {
    name: 'DATE',
    dataType: XdbcDataType.XDBC_DATE,
    size: 10,
    quotes: ["DATE '", "'"],
    sqlDataType: datetime,
    subcode: XdbcDatetimeSubcode.XDBC_SUBCODE_DATE,
  },
  {
    name: 'TIME',
    dataType: XdbcDataType.XDBC_TIME,
    size: 15,
    quotes: ["TIME '", "'"],
    scale: [6, 6],
    sqlDataType: datetime,
    subcode: XdbcDatetimeSubcode.XDBC_SUBCODE_TIME,
  },
  {
    name: 'TIMESTAMP',
    dataType: XdbcDataType.XDBC_TIMESTAMP,
    size: 26,
    quotes: ["TIMESTAMP '", "'"],
    scale: [6, 6],
    sqlDataType: datetime,
    subcode: XdbcDatetimeSubcode.XDBC_SUBCODE_TIMESTAMP,
  },
  {
    name: 'TIMESTAMP WITH TIME ZONE',
    dataType: XdbcDataType.XDBC_TIMESTAMP,
    size: 32,
    quotes: ["TIMESTAMPTZ '", "'"],
    scale: [6, 6],
    sqlDataType: datetime,
    subcode: XdbcDatetimeSubcode.XDBC_SUBCODE_TIMESTAMP_WITH_TIMEZONE,
  },
];

export function typeInfoRows({ dataType }: CommandGetXdbcTypeInfo): readonly Row[] {
  return types
    .filter((type) => dataType === undefined || type.dataType === dataType)
    .toSorted((one, other) => one.dataType - other.dataType || (one.name < other.name ? -1 : 1))
    .map(rowOf);
}

function rowOf(type: TypeInfo): Row {
  const isNumber = type.isUnsigned !== undefined;
  return [
    type.name,
    type.dataType,
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
    type.sqlDataType ?? type.dataType,
    type.subcode ?? null,
    type.radix ?? null,
    null,
  ];
}
