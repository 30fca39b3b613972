/** A column that is added to one database and forgotten by the migration would be lost without a word. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { CredentialStore } from '../../../src/auth/credential-store.ts';
import { openDatabase } from '../../../src/catalog/sqlite/layout.ts';
import {
  accessTables,
  catalogTables,
  columnNames,
  historyTable,
} from '../../../src/commands/migrate/tables.ts';
import { migrate } from '../../../src/postgres/migrations.ts';
import { PostgresServer } from '../../support/postgres-server.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';

const copied = [...catalogTables, historyTable, ...accessTables];

/** What is not copied, and why. */
const sqliteOnly = new Map([
  ['counters', 'a sum of parts'],
  ['tenants', 'sums, kept by triggers'],
  ['event_heads', 'a column of tenants in PostgreSQL'],
  ['claims', 'of servers that run'],
  ['garbage', 'its objects stay where they are'],
  ['scrub', 'one row, copied on its own'],
  ['file_layouts', 'made again when the file is next read'],
  ['file_objects', 'those of file_layouts'],
  ['job_pins', 'of statements that run'],
]);
const postgresOnly = new Map([
  ['migrations', 'of PostgreSQL alone'],
  ['catalog_state', 'of PostgreSQL alone'],
  ['tenants', 'sums, kept by triggers'],
  ['claims', 'of nodes that run'],
  ['garbage', 'its objects stay where they are'],
  ['scrub', 'one row, copied on its own'],
  ['access_marks', 'counts changes of what is copied'],
  ['link_keys', 'a file in a data directory'],
  ['nodes', 'of nodes that run'],
  ['running_queries', 'of nodes that run'],
  ['failed_queries', 'of nodes that run'],
  ['prepared_statements', 'kept for an hour'],
  ['file_layouts', 'made again when the file is next read'],
  ['file_objects', 'those of file_layouts'],
  ['job_pins', 'of statements that run'],
]);
/** Columns that PostgreSQL has beside those of SQLite; each has a default. */
const ownColumns = new Set(['names.change', 'merges_due.marks']);

let postgres: PostgresServer;
let url: string;
const folder = temporaryFolder('tables');
before(async () => {
  postgres = await PostgresServer.start();
  url = await postgres.newDatabase();
  await migrate({ url, connectionsMax: 1, timeoutMs: 60_000 });
});
after(async () => {
  await postgres.stop();
  removeFolder(folder);
});

test('every table and column of SQLite is copied, or it is known why not', () => {
  const catalog = openDatabase(join(folder, 'catalog.sqlite'));
  CredentialStore.open(join(folder, 'credentials.sqlite')).close();
  const credentials = new DatabaseSync(join(folder, 'credentials.sqlite'));
  const found = [catalog, credentials].flatMap((db) =>
    db
      .prepare(
        `SELECT t.name AS "table", c.name AS "column" FROM sqlite_schema t, pragma_table_info(t.name) c
         WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'`,
      )
      .all(),
  );
  catalog.close();
  credentials.close();
  const real = found
    .filter((row) => !sqliteOnly.has(String(row.table)))
    .map((row) => `${row.table}.${row.column}`);
  const listed = copied.flatMap((table) => columnNames(table).map((column) => `${table.name}.${column}`));
  assert.deepEqual(listed.sort(), real.sort());
});

test('every table and column of PostgreSQL is copied, or it is known why not', async () => {
  const found = await postgres.query(
    `SELECT table_name, column_name FROM information_schema.columns c JOIN information_schema.tables t USING (table_name)
     WHERE t.table_schema = 'public' AND c.table_schema = 'public' AND t.table_type = 'BASE TABLE'`,
    url,
  );
  const real = found
    .filter((row) => !postgresOnly.has(String(row.table_name)))
    .map((row) => `${row.table_name}.${row.column_name}`)
    .filter((column) => !ownColumns.has(column));
  const listed = copied.flatMap((table) => columnNames(table).map((column) => `${table.name}.${column}`));
  assert.deepEqual(listed.sort(), real.sort());
});
