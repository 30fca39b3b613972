import { DatabaseSync } from 'node:sqlite';
import type { Sql } from '../../postgres/database.ts';
import { accessTables, catalogTables, columnNames, historyTable, selectAll, type Table } from './tables.ts';

/** Rows that are fetched at once; few enough to hold the largest of them in memory. */
const batchRows = 500;

/** Fills a new catalog, which has its tables and nothing in them. Returns the number of rows. `sql` is in a transaction that sees one moment. */
export async function copyCatalogToSqlite(sql: Sql, path: string): Promise<number> {
  const db = new DatabaseSync(path);
  try {
    db.exec('PRAGMA foreign_keys = ON; BEGIN IMMEDIATE');
    let rows = 0;
    for (const table of catalogTables) rows += await copyTable(sql, db, table);
    const { id: _, ...columns } = historyTable.columns;
    rows += await copyTable(sql, db, { ...historyTable, columns });
    await copyOidCounter(sql, db);
    await copyEventHeads(sql, db);
    const scrub = await sql.first<{ after: string | null; finished_at: number | null }>(
      'SELECT after, finished_at FROM scrub',
    );
    if (scrub !== undefined)
      db.prepare('UPDATE scrub SET after = ?, finished_at = ?').run(scrub.after, scrub.finished_at);
    db.exec('UPDATE counters SET arrow_bytes = (SELECT ifnull(sum(arrow_bytes), 0) FROM parts)');
    db.exec('COMMIT');
    return rows;
  } finally {
    db.close();
  }
}

/** Into a file of credentials with its tables. */
export async function copyAccessToSqlite(sql: Sql, path: string): Promise<number> {
  const db = new DatabaseSync(path);
  try {
    db.exec('BEGIN IMMEDIATE');
    let rows = 0;
    for (const table of accessTables) rows += await copyTable(sql, db, table);
    db.exec('COMMIT');
    return rows;
  } finally {
    db.close();
  }
}

/** The key of links that name none: those from before a migration to PostgreSQL. null: there is none. */
export async function unnamedLinkKey(sql: Sql): Promise<Uint8Array | null> {
  const row = await sql.first<{ bytes: Uint8Array }>("SELECT bytes FROM link_keys WHERE id = ''");
  return row?.bytes ?? null;
}

/** Also those that were given and are no longer in use: none is given again. */
async function copyOidCounter(sql: Sql, target: DatabaseSync): Promise<void> {
  const row = await sql.first<{ given: number }>(
    'SELECT last_value::integer AS given FROM relation_oid WHERE is_called',
  );
  if (row !== undefined)
    target.prepare("UPDATE sqlite_sequence SET seq = ? WHERE name = 'relation_oids'").run(row.given);
}

async function copyTable(sql: Sql, target: DatabaseSync, table: Table): Promise<number> {
  const columns = columnNames(table);
  const insert = target.prepare(
    `INSERT INTO ${table.name} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  );
  let count = 0;
  await sql.rows(`DECLARE copied NO SCROLL CURSOR FOR ${selectAll(table)}`);
  for (;;) {
    const rows = await sql.rows<Record<string, number | string | Uint8Array | null>>(
      `FETCH ${batchRows} FROM copied`,
    );
    for (const row of rows) insert.run(...columns.map((column) => row[column] ?? null));
    count += rows.length;
    if (rows.length < batchRows) break;
  }
  await sql.rows('CLOSE copied');
  return count;
}

async function copyEventHeads(sql: Sql, target: DatabaseSync): Promise<void> {
  const heads = await sql.rows<{ tenant: string; last_event: number; last_mark: number | null }>(
    'SELECT tenant, last_event, last_mark FROM tenants WHERE last_event > 0',
  );
  const insert = target.prepare('INSERT INTO event_heads VALUES (?, ?, ?)');
  for (const { tenant, last_event, last_mark } of heads) insert.run(tenant, last_event, last_mark);
}
