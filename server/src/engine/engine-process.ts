/** The entry module of an engine process that runs DuckDB. */
import { DuckdbStatement } from './duckdb/duckdb-statement.ts';
import { CatalogQuery } from './duckdb/postgres/catalog-query.ts';
import { serveStatements } from './serve-statements.ts';

serveStatements({
  warm: (options) => DuckdbStatement.warm(options),
  vocabulary: (options) => DuckdbStatement.vocabulary(options),
  begin: (sql, options, tenant, isPostgres) =>
    isPostgres ? CatalogQuery.begin(sql, options, tenant) : DuckdbStatement.begin(sql, options, tenant),
});
