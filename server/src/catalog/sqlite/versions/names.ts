import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ExpectedVersion } from '../../../model/expected-version.ts';
import {
  type LiveName,
  type NameRow,
  requireLiveRow,
  type Tombstone,
  versionAbsence,
} from '../../name-rows.ts';
import type { RecordRow } from '../../record-rows.ts';
import { checkExpected } from '../../refusals.ts';

/** Its methods that are operations of the catalog. */
export const nameOperations = {
  reads: ['ping'],
  writes: [],
} as const;

/** Names and what is remembered of those that ended. */
export class Names {
  readonly #find: StatementSync;
  readonly #insert: StatementSync;
  readonly #advance: StatementSync;
  readonly #setExpiry: StatementSync;
  readonly #setKeep: StatementSync;
  readonly #tombstone: StatementSync;
  readonly #versionId: StatementSync;

  constructor(db: DatabaseSync) {
    this.#find = db.prepare(`
      SELECT id, tenant, name, frame_id, next_version, newest, kept, expires_at, ended_reason, ended_at, life,
        versions_keep
      FROM names WHERE tenant = ? AND lower = ?`);
    this.#insert = db.prepare(`
      INSERT INTO names (tenant, lower, name, frame_id, next_version, newest, kept, expires_at, oldest_at)
      VALUES (?, ?, ?, ?, 2, 1, 1, ?, ?)`);
    this.#advance = db.prepare(`
      UPDATE names SET name = ?, next_version = ?2 + 1, newest = ?2, kept = kept + 1, expires_at = ?,
        ended_reason = NULL, ended_at = NULL, oldest_at = iif(kept = 0, ?, oldest_at)
      WHERE id = ?`);
    this.#setExpiry = db.prepare('UPDATE names SET expires_at = ? WHERE id = ?');
    this.#setKeep = db.prepare('UPDATE names SET versions_keep = ? WHERE id = ?');
    this.#versionId = db.prepare('SELECT version_id FROM versions WHERE name_id = ? AND version = ?');
    this.#tombstone = db.prepare(`
      SELECT first, reason, ended_at FROM tombstones WHERE name_id = ? AND last >= ? ORDER BY last LIMIT 1`);
  }

  /** Resolves when the database answers. */
  ping(): void {
    this.find('', '');
  }

  /** By its lower-case form: the row's own spelling may differ. */
  find(tenant: string, name: string): NameRow | undefined {
    return this.#find.get(tenant, name.toLowerCase()) as NameRow | undefined;
  }

  /** A name that was never used, with version 1; returns its id. */
  add({ tenant, name, frame_id, expires_at, created_at }: RecordRow): number {
    const inserted = this.#insert.run(tenant, name.toLowerCase(), name, frame_id, expires_at, created_at);
    return Number(inserted.lastInsertRowid);
  }

  /** The name has a new newest version; a name that had ended lives again, under this spelling. */
  advance(id: number, { name, version, expires_at, created_at }: RecordRow): void {
    this.#advance.run(name, version, expires_at, created_at, id);
  }

  setExpiry(id: number, expiresAt: number | null): void {
    this.#setExpiry.run(expiresAt, id);
  }

  setVersionsKeep(id: number, versionsKeep: number | null): void {
    this.#setKeep.run(versionsKeep, id);
  }

  requireLive(tenant: string, name: string, now: number): LiveName {
    return requireLiveRow(this.find(tenant, name), name, now);
  }

  /** version_mismatch if the newest version of the name is another one. */
  checkNewest({ id, name, newest }: LiveName, expected: ExpectedVersion | null): void {
    if (expected === null) return;
    const { version_id: versionId } = this.#versionId.get(id, newest) as { readonly version_id: string };
    checkExpected(name, expected, { version: newest, versionId });
  }

  /** Why this version of a known name is not available. `now` is null if any memory counts. */
  versionAbsence(row: NameRow, version: number, now: number | null): Error {
    const found = this.#tombstone.get(row.id, version) as Tombstone | undefined;
    return versionAbsence(row, version, found, now);
  }
}
