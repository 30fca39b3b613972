import type { DuckDBType, DuckDBValue } from '@duckdb/node-api';

/** A value to bind, and the type to bind it as. */
export interface TypedValue {
  readonly type: DuckDBType;
  readonly value: DuckDBValue;
}
