/** A feature that a real PostgreSQL 15 does not have, so that a client cannot show it there. */
export const notInPostgres15: readonly string[] = ['direct-tls'];

export interface Difference {
  readonly client: string;
  readonly feature: string;
  readonly reason: string;
}

/** Where Framehold answers other than PostgreSQL 15 on purpose. Whatever else differs is a fault, and so is a difference of this list that is not there. */
export const differences: readonly Difference[] = [
  {
    client: 'psycopg 3',
    feature: 'uuid-and-json',
    reason: 'an expression of type uuid or json is text; a column of a frame keeps its type',
  },
  {
    client: 'psycopg 3',
    feature: 'numeric-without-digits',
    reason:
      'a cast to numeric without digits keeps three after the point, as in DuckDB: write numeric(38, 10)',
  },
  {
    client: 'psycopg 3',
    feature: 'places-of-values',
    reason: 'an error says the place of names and syntax, not of values',
  },
  {
    client: 'psycopg 3',
    feature: 'division-by-zero',
    reason: '`/` divides floats, as in DuckDB: 1/0 is infinity. `//` divides integers',
  },
  {
    client: 'psycopg 3',
    feature: 'copy-from-is-refused',
    reason: '25006, as every change: PostgreSQL looks at the right to insert first',
  },
];

/** Clients that ask `pg_catalog` before anything else. They are not run against this server until it has one. */
export const clientsOfCatalogs: readonly string[] = ['SQLAlchemy', 'DuckDB', 'psqlodbc', 'postgres.js'];

const metadataOfPsql: readonly string[] = [
  'column-types',
  'metadata-tables',
  'metadata-table',
  'metadata-sizes',
  'metadata-databases',
  'metadata-functions',
  'metadata-others',
];

/** What other clients ask `pg_catalog`, by client: it fails until this server has one. */
export const featuresOfCatalogs: Readonly<Record<string, readonly string[]>> = {
  asyncpg: ['types-in-binary', 'nulls', 'parameters-in-binary', 'metadata'],
  'pandas, polars, ADBC': [
    'pandas-read-sql',
    'pandas-read-sql-table',
    'pandas-in-portions',
    'pandas-parameters',
    'polars-adbc',
    'polars-over-a-connection',
    'adbc-connect',
    'adbc-tls',
    'adbc-types',
    'adbc-without-copy',
    'adbc-parameters',
    'adbc-metadata',
    'adbc-errors',
    'adbc-cancel',
  ],
  pgjdbc: ['result-metadata', 'metadata', 'metadata-other'],
  pgx: ['metadata'],
  'psql, pgbench': metadataOfPsql,
  'psql 18, pgbench 18': metadataOfPsql,
  'psycopg 3': ['metadata'],
};

/** How those blocks of the guide begin that ask `pg_catalog`. */
export const blocksOfCatalogs: readonly string[] = ['import pandas', 'import polars'];
