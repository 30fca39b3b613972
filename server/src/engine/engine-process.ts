/** The entry module of an engine process that runs DuckDB. */
import { DuckdbStatement } from './duckdb/duckdb-statement.ts';
import { serveStatements } from './serve-statements.ts';

serveStatements(DuckdbStatement);
