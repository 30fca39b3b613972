import { link, rm } from 'node:fs/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { DuckDBInstance } from '@duckdb/node-api';
import { FrameholdError } from '../../../model/errors.ts';
import { lowerCase, quoteText } from '../sql-tokens.ts';
import type { AnalyticsName } from '../statement/statement-tree.ts';

/** Makes an empty database file if there is none. Safe against others who do the same. */
export async function createAnalyticsFile(path: string): Promise<void> {
  const staged = `${path}.${process.pid}.new`;
  await rm(staged, { force: true });
  const instance = await DuckDBInstance.create(staged);
  instance.closeSync();
  try {
    await link(staged, path);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
  } finally {
    await rm(staged, { force: true });
  }
}

/** Attaches the database read-only, while the instance may still open files, and refuses names that are not tables or views in it. */
export async function attachAnalytics(
  connection: DuckDBConnection,
  path: string | null,
  names: readonly AnalyticsName[],
): Promise<void> {
  if (path === null)
    throw new FrameholdError('sql_invalid', 'No database is attached as analytics.', {
      hint: 'The operator sets storage.duckdb_path.',
    });
  await attach(connection, path);
  const reader = await connection.runAndReadAll(
    `SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = 'analytics' AND NOT internal
     UNION ALL SELECT schema_name, view_name FROM duckdb_views() WHERE database_name = 'analytics' AND NOT internal`,
  );
  const there = new Set(reader.getRows().map(([schema, name]) => lowerCase(`${schema}.${name}`)));
  for (const { schema, name } of names)
    if (!there.has(lowerCase(`${schema}.${name}`)))
      throw new FrameholdError('sql_invalid', `There is no table analytics.${schema}.${name}.`);
}

async function attach(connection: DuckDBConnection, path: string): Promise<void> {
  try {
    await connection.run(`ATTACH ${quoteText(path)} AS analytics (READ_ONLY)`);
  } catch (thrown) {
    throw new FrameholdError('sql_failed', 'The database analytics cannot be opened.', {
      cause: thrown,
      hint: 'Another program may be writing to it; try again.',
    });
  }
}
