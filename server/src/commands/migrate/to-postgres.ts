import { DatabaseSync } from 'node:sqlite';
import { FrameholdError } from '../../model/errors.ts';
import type { Sql, Transaction } from '../../postgres/database.ts';
import {
  accessTables,
  type ColumnKind,
  catalogTables,
  columnNames,
  historyTable,
  selectAll,
  type Table,
} from './tables.ts';

export interface LocalFiles {
  /** SQLite files of a data directory that nobody uses. */
  readonly catalog: string;
  /** null: it has none. */
  readonly credentials: string | null;
  /** The key of the links that were given out; null: it has none. */
  readonly linkKey: Uint8Array | null;
}

/** Rows of one statement: few enough for its parameters to stay small, whatever the rows are. */
const batchRows = 1_000;
/** Schemas and answers may be large: a batch ends early. */
const batchBytes = 4_000_000;

const arrayTypes: Readonly<Record<ColumnKind, string>> = {
  integer: 'bigint[]',
  text: 'text[]',
  bytes: 'bytea[]',
};

/** Tables whose rows PostgreSQL numbers itself. */
const numbered = ['names', 'schemas', 'parts', 'merges_due', 'dropped'] as const;

/** PostgreSQL keeps the numbers below for its own objects. */
const firstOid = 16_384;

/** Links that were signed with the key of a data directory name no key. */
const unnamedKey = '';

/** Copies everything in one transaction, which is the caller's: a migration that is killed has changed nothing. Returns the number of rows. */
export async function copyToPostgres(sql: Transaction, files: LocalFiles): Promise<number> {
  let rows = 0;
  const catalog = new DatabaseSync(files.catalog, { readOnly: true });
  try {
    for (const table of [...catalogTables, historyTable]) rows += await copyTable(sql, catalog, table);
    for (const table of numbered)
      await sql.rows(
        `SELECT setval(pg_get_serial_sequence('${table}', 'id'), greatest(1, (SELECT coalesce(max(id), 0) FROM ${table})))`,
      );
    await copyOidCounter(sql, catalog);
    await copyEventHeads(sql, catalog);
    await copyScrub(sql, catalog);
    await compareTotals(sql, catalog);
  } finally {
    catalog.close();
  }
  if (files.credentials !== null) rows += await copyAccess(sql, files.credentials);
  if (files.linkKey !== null)
    await sql.run('INSERT INTO link_keys VALUES ($1, $2, 0) ON CONFLICT DO NOTHING', [
      unnamedKey,
      Buffer.from(files.linkKey),
    ]);
  return rows;
}

/** Also those that were given and are no longer in use: none is given again. */
async function copyOidCounter(sql: Transaction, catalog: DatabaseSync): Promise<void> {
  const row = catalog.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'relation_oids'").get();
  const given = Number(row?.seq ?? 0);
  if (given >= firstOid) await sql.rows("SELECT setval('relation_oid', $1)", [given]);
}

async function copyAccess(sql: Transaction, path: string): Promise<number> {
  const access = new DatabaseSync(path, { readOnly: true });
  try {
    let rows = 0;
    // A token that was made for the first node stays.
    for (const table of accessTables) rows += await copyTable(sql, access, table, 'ON CONFLICT DO NOTHING');
    return rows;
  } finally {
    access.close();
  }
}

async function copyTable(sql: Sql, source: DatabaseSync, table: Table, onConflict = ''): Promise<number> {
  const columns = columnNames(table);
  const arrays = Object.values(table.columns).map((kind, index) => `$${index + 1}::${arrayTypes[kind]}`);
  const insert = `INSERT INTO ${table.name} (${columns.join(', ')}) SELECT * FROM unnest(${arrays.join(', ')}) ${onConflict}`;
  let count = 0;
  for (const batch of batches(source.prepare(selectAll(table)).iterate() as Iterable<Row>)) {
    const values = columns.map((column) => batch.map((row) => row[column]));
    await sql.run(insert, values);
    count += batch.length;
  }
  return count;
}

type Row = Readonly<Record<string, number | string | Uint8Array | null>>;

function* batches(rows: Iterable<Row>): Generator<readonly Row[], void, void> {
  let batch: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    batch.push(row);
    for (const value of Object.values(row))
      if (typeof value === 'string' || value instanceof Uint8Array) bytes += value.length;
    if (batch.length < batchRows && bytes < batchBytes) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

/** A tenant may have had events and no name. */
async function copyEventHeads(sql: Sql, catalog: DatabaseSync): Promise<void> {
  const heads = catalog.prepare('SELECT tenant, last, last_mark FROM event_heads').all();
  await sql.run(
    `INSERT INTO tenants AS t (tenant, last_event, last_mark)
       SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[])
     ON CONFLICT (tenant) DO UPDATE SET last_event = excluded.last_event, last_mark = excluded.last_mark`,
    [heads.map((row) => row.tenant), heads.map((row) => row.last), heads.map((row) => row.last_mark)],
  );
}

async function copyScrub(sql: Sql, catalog: DatabaseSync): Promise<void> {
  const scrub = catalog.prepare('SELECT after, finished_at FROM scrub').get();
  if (scrub !== undefined)
    await sql.run('UPDATE scrub SET after = $1, finished_at = $2', [scrub.after, scrub.finished_at]);
}

/** Both databases add up on their own what each tenant has: a row that got lost shows here. */
async function compareTotals(sql: Sql, catalog: DatabaseSync): Promise<void> {
  const local = catalog.prepare('SELECT tenant, frames, bytes FROM tenants ORDER BY tenant').all();
  const shared = new Map(
    (
      await sql.rows<{ tenant: string; frames: number; bytes: number }>(
        'SELECT tenant, frames, bytes FROM tenants',
      )
    ).map(({ tenant, frames, bytes }) => [tenant, `${frames} frames, ${bytes} bytes`]),
  );
  for (const { tenant, frames, bytes } of local) {
    const here = `${frames} frames, ${bytes} bytes`;
    const there = shared.get(String(tenant)) ?? 'nothing';
    if (here === there) continue;
    throw new FrameholdError('internal', `Tenant ${tenant} has ${here}, but ${there} in PostgreSQL.`, {
      hint: 'Nothing was changed. Check the data directory with framehold verify, and report this.',
    });
  }
}
