import type { ExpectedVersion } from '../../../model/expected-version.ts';
import type { Sql, Transaction } from '../../../postgres/database.ts';
import {
  type LiveName,
  type NameRow,
  requireLiveRow,
  type Tombstone,
  versionAbsence,
} from '../../name-rows.ts';
import type { RecordRow } from '../../record-rows.ts';
import { checkExpected } from '../../refusals.ts';

const columns =
  'id, tenant, name, frame_id, next_version, newest, kept, expires_at, ended_reason, ended_at, life, versions_keep';

/**
 * Names and what is remembered of those that ended. Every change of the versions or the parts of a name locks its row first: what it then reads
 * is what the change before it has left.
 */
export class Names {
  /** By its lower-case form: the row's own spelling may differ. */
  find(sql: Sql, tenant: string, name: string): Promise<NameRow | undefined> {
    return sql.first(`SELECT ${columns} FROM names WHERE tenant = $1 AND lower = $2`, [
      tenant,
      name.toLowerCase(),
    ]);
  }

  /** The same, and no other transaction changes the name until this one ends. */
  lock(sql: Transaction, tenant: string, name: string): Promise<NameRow | undefined> {
    return sql.first(`SELECT ${columns} FROM names WHERE tenant = $1 AND lower = $2 FOR NO KEY UPDATE`, [
      tenant,
      name.toLowerCase(),
    ]);
  }

  /** Nobody ends versions of the name until this transaction ends. Others may hold this lock as well. */
  async holdLive(sql: Transaction, tenant: string, name: string, now: number): Promise<LiveName> {
    const row = await sql.first<NameRow>(
      `SELECT ${columns} FROM names WHERE tenant = $1 AND lower = $2 FOR SHARE`,
      [tenant, name.toLowerCase()],
    );
    return requireLiveRow(row, name, now);
  }

  async requireLive(sql: Sql, tenant: string, name: string, now: number): Promise<LiveName> {
    return requireLiveRow(await this.find(sql, tenant, name), name, now);
  }

  async lockLive(sql: Transaction, tenant: string, name: string, now: number): Promise<LiveName> {
    return requireLiveRow(await this.lock(sql, tenant, name), name, now);
  }

  /** version_mismatch if the newest version of a name that this transaction has locked is another one. */
  async checkNewest(
    sql: Transaction,
    { id, name, newest }: LiveName,
    expected: ExpectedVersion | null,
  ): Promise<void> {
    if (expected === null) return;
    const found = await sql.first<{ version_id: string }>(
      'SELECT version_id FROM versions WHERE name_id = $1 AND version = $2',
      [id, newest],
    );
    checkExpected(name, expected, { version: newest, versionId: found?.version_id ?? '' });
  }

  /** Why this version of a known name is not available. `now` is null if any memory counts. */
  async versionAbsence(sql: Sql, row: NameRow, version: number, now: number | null): Promise<Error> {
    const tombstone = await sql.first<Tombstone>(
      'SELECT first, reason, ended_at FROM tombstones WHERE name_id = $1 AND last >= $2 ORDER BY last LIMIT 1',
      [row.id, version],
    );
    return versionAbsence(row, version, tombstone, now);
  }

  /** A name that was never used, with version 1. */
  add(sql: Transaction, id: number, { tenant, name, frame_id, expires_at, created_at }: RecordRow): void {
    sql.send(
      `INSERT INTO names (id, tenant, lower, name, frame_id, next_version, newest, kept, expires_at, oldest_at)
       VALUES ($1, $2, $3, $4, $5, 2, 1, 1, $6, $7)`,
      [id, tenant, name.toLowerCase(), name, frame_id, expires_at, created_at],
    );
  }

  /** The name has a new newest version; a name that had ended lives again, under this spelling. */
  advance(sql: Transaction, id: number, { name, version, expires_at, created_at }: RecordRow): void {
    sql.send(
      `UPDATE names SET name = $2, next_version = $3 + 1, newest = $3, kept = kept + 1, expires_at = $4,
         ended_reason = NULL, ended_at = NULL, oldest_at = CASE WHEN kept = 0 THEN $5 ELSE oldest_at END
       WHERE id = $1`,
      [id, name, version, expires_at, created_at],
    );
  }

  setExpiry(sql: Transaction, id: number, expiresAt: number | null): void {
    sql.send('UPDATE names SET expires_at = $2 WHERE id = $1', [id, expiresAt]);
  }

  setVersionsKeep(sql: Transaction, id: number, versionsKeep: number | null): void {
    sql.send('UPDATE names SET versions_keep = $2 WHERE id = $1', [id, versionsKeep]);
  }
}
