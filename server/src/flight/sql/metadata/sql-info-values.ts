import {
  SqlInfo,
  SqlNullOrdering,
  SqlOuterJoinsSupportLevel,
  SqlSupportedCaseSensitivity,
  SqlSupportedResultSetConcurrency,
  SqlSupportedResultSetType,
  SqlSupportedTransaction,
  SqlSupportsConvert,
  SqlTransactionIsolationLevel,
} from '../../gen/FlightSql_pb.js';
import {
  datetimeFunctions,
  keywords,
  numericFunctions,
  stringFunctions,
  systemFunctions,
} from './duckdb-words.ts';

/** One answer of GetSqlInfo: which member of the union, and its value. */
export type SqlInfoValue =
  | { readonly kind: 'text'; readonly value: string | null }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'bigint'; readonly value: number }
  | { readonly kind: 'int32'; readonly value: number }
  | { readonly kind: 'texts'; readonly value: readonly string[] }
  | { readonly kind: 'map'; readonly value: ReadonlyMap<number, readonly number[]> };

/** What only the running server knows. */
export interface ServerFacts {
  readonly serverVersion: string;
  readonly connectionsMax: number;
  readonly preparedMax: number;
  readonly preparedIdleMs: number;
  /** 0: not known. */
  readonly statementBytesMax: number;
}

/** Of Arrow's columnar format. */
const arrowFormatVersion = '1.5.0';
/** The longest name of a frame. */
const tableNameLengthMax = 128;

const text = (value: string | null): SqlInfoValue => ({ kind: 'text', value });
const bool = (value: boolean): SqlInfoValue => ({ kind: 'bool', value });
const bigint = (value: number): SqlInfoValue => ({ kind: 'bigint', value });
const int32 = (value: number): SqlInfoValue => ({ kind: 'int32', value });
const texts = (value: readonly string[]): SqlInfoValue => ({ kind: 'texts', value });
const bitmask = (...ordinals: readonly number[]): SqlInfoValue =>
  int32(ordinals.reduce((mask, ordinal) => mask | (1 << ordinal), 0));
const noLimit = bigint(0);

/** Every code that the protocol names. If the truth is "does not apply" it is false, none or 0. */
export function sqlInfoValues(facts: ServerFacts): ReadonlyMap<number, SqlInfoValue> {
  return new Map<number, SqlInfoValue>([
    [SqlInfo.FLIGHT_SQL_SERVER_NAME, text('Framehold')],
    [SqlInfo.FLIGHT_SQL_SERVER_VERSION, text(facts.serverVersion)],
    [SqlInfo.FLIGHT_SQL_SERVER_ARROW_VERSION, text(arrowFormatVersion)],
    [SqlInfo.FLIGHT_SQL_SERVER_READ_ONLY, bool(false)],
    [SqlInfo.FLIGHT_SQL_SERVER_SQL, bool(true)],
    [SqlInfo.FLIGHT_SQL_SERVER_SUBSTRAIT, bool(false)],
    [SqlInfo.FLIGHT_SQL_SERVER_SUBSTRAIT_MIN_VERSION, text(null)],
    [SqlInfo.FLIGHT_SQL_SERVER_SUBSTRAIT_MAX_VERSION, text(null)],
    [SqlInfo.FLIGHT_SQL_SERVER_TRANSACTION, int32(SqlSupportedTransaction.NONE)],
    [SqlInfo.FLIGHT_SQL_SERVER_CANCEL, bool(true)],
    [SqlInfo.FLIGHT_SQL_SERVER_BULK_INGESTION, bool(true)],
    [SqlInfo.FLIGHT_SQL_SERVER_INGEST_TRANSACTIONS_SUPPORTED, bool(false)],
    [SqlInfo.FLIGHT_SQL_SERVER_STATEMENT_TIMEOUT, int32(facts.preparedIdleMs)],
    [SqlInfo.FLIGHT_SQL_SERVER_TRANSACTION_TIMEOUT, int32(0)],
    ...names(),
    ...language(),
    ...limits(facts),
    ...transactionsAndResults(),
  ]);
}

function names(): readonly (readonly [number, SqlInfoValue])[] {
  const insensitive = int32(SqlSupportedCaseSensitivity.SQL_CASE_SENSITIVITY_CASE_INSENSITIVE);
  return [
    [SqlInfo.SQL_DDL_CATALOG, bool(false)],
    [SqlInfo.SQL_DDL_SCHEMA, bool(false)],
    [SqlInfo.SQL_DDL_TABLE, bool(true)],
    [SqlInfo.SQL_IDENTIFIER_CASE, insensitive],
    [SqlInfo.SQL_IDENTIFIER_QUOTE_CHAR, text('"')],
    [SqlInfo.SQL_QUOTED_IDENTIFIER_CASE, insensitive],
    [SqlInfo.SQL_ALL_TABLES_ARE_SELECTABLE, bool(true)],
    [SqlInfo.SQL_KEYWORDS, texts(keywords)],
    [SqlInfo.SQL_NUMERIC_FUNCTIONS, texts(numericFunctions)],
    [SqlInfo.SQL_STRING_FUNCTIONS, texts(stringFunctions)],
    [SqlInfo.SQL_SYSTEM_FUNCTIONS, texts(systemFunctions)],
    [SqlInfo.SQL_DATETIME_FUNCTIONS, texts(datetimeFunctions)],
    [SqlInfo.SQL_SEARCH_STRING_ESCAPE, text('\\')],
    [SqlInfo.SQL_EXTRA_NAME_CHARACTERS, text('$')],
    [SqlInfo.SQL_SCHEMA_TERM, text('schema')],
    [SqlInfo.SQL_PROCEDURE_TERM, text('procedure')],
    [SqlInfo.SQL_CATALOG_TERM, text('catalog')],
    [SqlInfo.SQL_CATALOG_AT_START, bool(true)],
    [SqlInfo.SQL_SCHEMAS_SUPPORTED_ACTIONS, bitmask()],
    [SqlInfo.SQL_CATALOGS_SUPPORTED_ACTIONS, bitmask()],
  ];
}

function language(): readonly (readonly [number, SqlInfoValue])[] {
  return [
    [SqlInfo.SQL_NULL_ORDERING, int32(SqlNullOrdering.SQL_NULLS_SORTED_AT_END)],
    [SqlInfo.SQL_SUPPORTS_COLUMN_ALIASING, bool(true)],
    [SqlInfo.SQL_NULL_PLUS_NULL_IS_NULL, bool(true)],
    [SqlInfo.SQL_SUPPORTS_CONVERT, { kind: 'map', value: conversions }],
    [SqlInfo.SQL_SUPPORTS_TABLE_CORRELATION_NAMES, bool(true)],
    [SqlInfo.SQL_SUPPORTS_DIFFERENT_TABLE_CORRELATION_NAMES, bool(false)],
    [SqlInfo.SQL_SUPPORTS_EXPRESSIONS_IN_ORDER_BY, bool(true)],
    [SqlInfo.SQL_SUPPORTS_ORDER_BY_UNRELATED, bool(true)],
    [SqlInfo.SQL_SUPPORTED_GROUP_BY, bitmask(0, 1)],
    [SqlInfo.SQL_SUPPORTS_LIKE_ESCAPE_CLAUSE, bool(true)],
    [SqlInfo.SQL_SUPPORTS_NON_NULLABLE_COLUMNS, bool(true)],
    // Each of these levels contains UPDATE and DELETE, which frames do not have.
    [SqlInfo.SQL_SUPPORTED_GRAMMAR, bitmask()],
    [SqlInfo.SQL_ANSI92_SUPPORTED_LEVEL, bitmask()],
    [SqlInfo.SQL_SUPPORTS_INTEGRITY_ENHANCEMENT_FACILITY, bool(false)],
    [SqlInfo.SQL_OUTER_JOINS_SUPPORT_LEVEL, int32(SqlOuterJoinsSupportLevel.SQL_FULL_OUTER_JOINS)],
    [SqlInfo.SQL_SUPPORTED_POSITIONED_COMMANDS, bitmask()],
    [SqlInfo.SQL_SELECT_FOR_UPDATE_SUPPORTED, bool(false)],
    [SqlInfo.SQL_STORED_PROCEDURES_SUPPORTED, bool(false)],
    [SqlInfo.SQL_SUPPORTED_SUBQUERIES, bitmask(0, 1, 2, 3)],
    [SqlInfo.SQL_CORRELATED_SUBQUERIES_SUPPORTED, bool(true)],
    [SqlInfo.SQL_SUPPORTED_UNIONS, bitmask(0, 1)],
  ];
}

function limits(facts: ServerFacts): readonly (readonly [number, SqlInfoValue])[] {
  return [
    [SqlInfo.SQL_MAX_BINARY_LITERAL_LENGTH, noLimit],
    [SqlInfo.SQL_MAX_CHAR_LITERAL_LENGTH, noLimit],
    [SqlInfo.SQL_MAX_COLUMN_NAME_LENGTH, noLimit],
    [SqlInfo.SQL_MAX_COLUMNS_IN_GROUP_BY, noLimit],
    [SqlInfo.SQL_MAX_COLUMNS_IN_INDEX, noLimit],
    [SqlInfo.SQL_MAX_COLUMNS_IN_ORDER_BY, noLimit],
    [SqlInfo.SQL_MAX_COLUMNS_IN_SELECT, noLimit],
    [SqlInfo.SQL_MAX_COLUMNS_IN_TABLE, noLimit],
    [SqlInfo.SQL_MAX_CONNECTIONS, bigint(facts.connectionsMax)],
    [SqlInfo.SQL_MAX_CURSOR_NAME_LENGTH, noLimit],
    [SqlInfo.SQL_MAX_INDEX_LENGTH, noLimit],
    [SqlInfo.SQL_DB_SCHEMA_NAME_LENGTH, noLimit],
    [SqlInfo.SQL_MAX_PROCEDURE_NAME_LENGTH, noLimit],
    [SqlInfo.SQL_MAX_CATALOG_NAME_LENGTH, noLimit],
    [SqlInfo.SQL_MAX_ROW_SIZE, noLimit],
    [SqlInfo.SQL_MAX_ROW_SIZE_INCLUDES_BLOBS, bool(true)],
    [SqlInfo.SQL_MAX_STATEMENT_LENGTH, bigint(facts.statementBytesMax)],
    [SqlInfo.SQL_MAX_STATEMENTS, bigint(facts.preparedMax)],
    [SqlInfo.SQL_MAX_TABLE_NAME_LENGTH, bigint(tableNameLengthMax)],
    [SqlInfo.SQL_MAX_TABLES_IN_SELECT, noLimit],
    [SqlInfo.SQL_MAX_USERNAME_LENGTH, noLimit],
  ];
}

function transactionsAndResults(): readonly (readonly [number, SqlInfoValue])[] {
  const readOnly = bitmask(SqlSupportedResultSetConcurrency.SQL_RESULT_SET_CONCURRENCY_READ_ONLY);
  return [
    // An ordinal, so 32 bits would do; the JDBC driver wants 64.
    [SqlInfo.SQL_DEFAULT_TRANSACTION_ISOLATION, bigint(SqlTransactionIsolationLevel.SQL_TRANSACTION_NONE)],
    [SqlInfo.SQL_TRANSACTIONS_SUPPORTED, bool(false)],
    [
      SqlInfo.SQL_SUPPORTED_TRANSACTIONS_ISOLATION_LEVELS,
      bitmask(SqlTransactionIsolationLevel.SQL_TRANSACTION_NONE),
    ],
    [SqlInfo.SQL_DATA_DEFINITION_CAUSES_TRANSACTION_COMMIT, bool(false)],
    [SqlInfo.SQL_DATA_DEFINITIONS_IN_TRANSACTIONS_IGNORED, bool(false)],
    [
      SqlInfo.SQL_SUPPORTED_RESULT_SET_TYPES,
      bitmask(SqlSupportedResultSetType.SQL_RESULT_SET_TYPE_FORWARD_ONLY),
    ],
    [SqlInfo.SQL_SUPPORTED_CONCURRENCIES_FOR_RESULT_SET_UNSPECIFIED, bitmask()],
    [SqlInfo.SQL_SUPPORTED_CONCURRENCIES_FOR_RESULT_SET_FORWARD_ONLY, readOnly],
    [SqlInfo.SQL_SUPPORTED_CONCURRENCIES_FOR_RESULT_SET_SCROLL_SENSITIVE, bitmask()],
    [SqlInfo.SQL_SUPPORTED_CONCURRENCIES_FOR_RESULT_SET_SCROLL_INSENSITIVE, bitmask()],
    [SqlInfo.SQL_BATCH_UPDATES_SUPPORTED, bool(true)],
    [SqlInfo.SQL_SAVEPOINTS_SUPPORTED, bool(false)],
    [SqlInfo.SQL_NAMED_PARAMETERS_SUPPORTED, bool(false)],
    [SqlInfo.SQL_LOCATORS_UPDATE_COPY, bool(false)],
    [SqlInfo.SQL_STORED_FUNCTIONS_USING_CALL_SYNTAX_SUPPORTED, bool(false)],
  ];
}

const numbers = [
  SqlSupportsConvert.SQL_CONVERT_BIGINT,
  SqlSupportsConvert.SQL_CONVERT_BIT,
  SqlSupportsConvert.SQL_CONVERT_DECIMAL,
  SqlSupportsConvert.SQL_CONVERT_FLOAT,
  SqlSupportsConvert.SQL_CONVERT_INTEGER,
  SqlSupportsConvert.SQL_CONVERT_NUMERIC,
  SqlSupportsConvert.SQL_CONVERT_REAL,
  SqlSupportsConvert.SQL_CONVERT_SMALLINT,
  SqlSupportsConvert.SQL_CONVERT_TINYINT,
];
const characters = [
  SqlSupportsConvert.SQL_CONVERT_CHAR,
  SqlSupportsConvert.SQL_CONVERT_LONGVARCHAR,
  SqlSupportsConvert.SQL_CONVERT_VARCHAR,
];
const binaries = [
  SqlSupportsConvert.SQL_CONVERT_BINARY,
  SqlSupportsConvert.SQL_CONVERT_LONGVARBINARY,
  SqlSupportsConvert.SQL_CONVERT_VARBINARY,
];
const intervals = [
  SqlSupportsConvert.SQL_CONVERT_INTERVAL_DAY_TIME,
  SqlSupportsConvert.SQL_CONVERT_INTERVAL_YEAR_MONTH,
];
const date = SqlSupportsConvert.SQL_CONVERT_DATE;
const time = SqlSupportsConvert.SQL_CONVERT_TIME;
const timestamp = SqlSupportsConvert.SQL_CONVERT_TIMESTAMP;

/** DuckDB's explicit casts, as a test finds them in the engine itself. */
const conversions: ReadonlyMap<number, readonly number[]> = new Map<number, readonly number[]>([
  ...numbers.map((from) => [from, sorted([...numbers, ...characters])] as const),
  ...characters.map(
    (from) =>
      [from, sorted([...numbers, ...characters, ...binaries, ...intervals, date, time, timestamp])] as const,
  ),
  ...binaries.map((from) => [from, sorted([...binaries, ...characters])] as const),
  ...intervals.map((from) => [from, sorted([...intervals, ...characters])] as const),
  [date, sorted([date, timestamp, ...characters])],
  [time, sorted([time, ...characters])],
  [timestamp, sorted([date, time, timestamp, ...characters])],
]);

function sorted(values: readonly number[]): readonly number[] {
  return values.toSorted((one, other) => one - other);
}
