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
  {
    client: 'asyncpg',
    feature: 'parameters-in-binary',
    reason: 'a parameter of type numeric comes back with the digits of its type, 1.500 for 1.50',
  },
  {
    client: 'pgjdbc',
    feature: 'result-metadata',
    reason: 'a column does not say which table it is of',
  },
  {
    client: 'pgjdbc',
    feature: 'metadata-other',
    reason: 'nobody has rights that were granted: lists of privileges are empty',
  },
  {
    client: 'psqlodbc',
    feature: 'column-types',
    reason:
      'a column does not say which table it is of: the size of a list is that of the longest in the answer',
  },
  {
    client: 'SQLAlchemy',
    feature: 'sums',
    reason: 'a sum of integers is numeric for every integer, as in PostgreSQL for bigint',
  },
  {
    client: 'psql, pgbench',
    feature: 'metadata-tables',
    reason: 'frames belong to their tenant',
  },
  {
    client: 'psql, pgbench',
    feature: 'metadata-others',
    reason: 'frames belong to their tenant',
  },
  {
    client: 'psql 18, pgbench 18',
    feature: 'metadata-tables',
    reason: 'frames belong to their tenant',
  },
  {
    client: 'psql 18, pgbench 18',
    feature: 'metadata-others',
    reason: 'frames belong to their tenant',
  },
];

/** What was found and is not repaired yet, by client: it is not compared. */
export const openFindings: Readonly<Record<string, readonly string[]>> = {};
