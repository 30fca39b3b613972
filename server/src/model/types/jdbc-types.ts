/** A type of JDBC and ODBC, with its number in `java.sql.Types`, which is also Flight SQL's `XdbcDataType`. */
export interface JdbcType {
  readonly name: string;
  readonly code: number;
}

export const jdbc = {
  bit: { name: 'BIT', code: -7 },
  tinyint: { name: 'TINYINT', code: -6 },
  bigint: { name: 'BIGINT', code: -5 },
  varbinary: { name: 'VARBINARY', code: -3 },
  numeric: { name: 'NUMERIC', code: 2 },
  decimal: { name: 'DECIMAL', code: 3 },
  integer: { name: 'INTEGER', code: 4 },
  smallint: { name: 'SMALLINT', code: 5 },
  real: { name: 'REAL', code: 7 },
  double: { name: 'DOUBLE', code: 8 },
  varchar: { name: 'VARCHAR', code: 12 },
  date: { name: 'DATE', code: 91 },
  time: { name: 'TIME', code: 92 },
  timestamp: { name: 'TIMESTAMP', code: 93 },
} as const satisfies Record<string, JdbcType>;
