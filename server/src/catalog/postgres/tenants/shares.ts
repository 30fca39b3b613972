import type { Sql, Transaction } from '../../../postgres/database.ts';
import { sharesEvent } from '../../rules/events.ts';
import { checkShares } from '../../rules/shares.ts';
import type { Events } from '../events/events.ts';
import type { Names } from '../versions/names.ts';

/** Which tenants may read a name beside its own. A share ends with the name. */
export class Shares {
  readonly #names: Names;
  readonly #events: Events;

  constructor(names: Names, events: Events) {
    this.#names = names;
    this.#events = events;
  }

  async share(
    sql: Transaction,
    tenant: string,
    name: string,
    reader: string,
    now: number,
  ): Promise<readonly string[]> {
    const row = await this.#names.lockLive(sql, tenant, name, now);
    const readers = await readersOf(sql, row.id);
    checkShares(readers);
    if (readers.includes(reader)) return readers;
    sql.send('INSERT INTO shares (name_id, tenant) VALUES ($1, $2)', [row.id, reader]);
    const after = await readersOf(sql, row.id);
    this.#events.add(sql, sharesEvent(row), now);
    return after;
  }

  async unshare(
    sql: Transaction,
    tenant: string,
    name: string,
    reader: string,
    now: number,
  ): Promise<readonly string[]> {
    const row = await this.#names.lockLive(sql, tenant, name, now);
    const removed = await sql.run('DELETE FROM shares WHERE name_id = $1 AND tenant = $2', [row.id, reader]);
    const after = await readersOf(sql, row.id);
    if (removed > 0) this.#events.add(sql, sharesEvent(row), now);
    return after;
  }

  async shares(sql: Sql, tenant: string, name: string, now: number): Promise<readonly string[]> {
    const { id } = await this.#names.requireLive(sql, tenant, name, now);
    return readersOf(sql, id);
  }

  /** Whether this tenant may read it. A name that has ended is shared with nobody. */
  async isShared(sql: Sql, tenant: string, name: string, reader: string): Promise<boolean> {
    const found = await sql.first(
      `SELECT 1 FROM names n JOIN shares s ON s.name_id = n.id
      WHERE n.tenant = $1 AND n.lower = $2 AND n.name = $3 AND s.tenant = $4`,
      [tenant, name.toLowerCase(), name, reader],
    );
    return found !== undefined;
  }

  end(sql: Transaction, nameId: number): void {
    sql.send('DELETE FROM shares WHERE name_id = $1', [nameId]);
  }
}

async function readersOf(sql: Sql, nameId: number): Promise<readonly string[]> {
  const rows = await sql.rows<{ tenant: string }>(
    'SELECT tenant FROM shares WHERE name_id = $1 ORDER BY tenant',
    [nameId],
  );
  return rows.map((row) => row.tenant);
}
