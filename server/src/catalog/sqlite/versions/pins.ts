import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { JobPin, PinnedFrame, PinnedHolding, VersionPin } from '../../../ports/catalog/pins.ts';
import type { PinEnd, Pinned } from '../../rules/retention.ts';
import type { Names } from './names.ts';

/** Its methods that are operations of the catalog. */
export const pinOperations = {
  reads: ['pins', 'pinned'],
  writes: ['pinForJob', 'unpinForJob'],
} as const;

/** What keeps versions that would otherwise be pruned. */
export class Pins {
  readonly #names: Names;
  readonly #list: StatementSync;
  readonly #ends: StatementSync;
  readonly #total: StatementSync;
  readonly #largest: StatementSync;
  readonly #versionId: StatementSync;
  readonly #insert: StatementSync;
  readonly #delete: StatementSync;
  readonly #forgetPast: StatementSync;
  readonly #record: StatementSync;
  readonly #lookAgain: StatementSync;

  constructor(db: DatabaseSync, names: Names) {
    this.#names = names;
    this.#list = db.prepare(`
      SELECT p.version, p.kind, count(*) AS count, max(p.until) AS until
      FROM version_pins p JOIN versions v ON v.name_id = p.name_id AND v.version = p.version
      WHERE p.name_id = ? AND p.version BETWEEN ? AND ? AND p.until > ?
      GROUP BY p.version, p.kind ORDER BY p.version DESC, p.kind`);
    this.#ends = db.prepare(`
      SELECT version, max(until) AS until FROM version_pins
      WHERE name_id = ? AND version < ? AND until > ? GROUP BY version`);
    this.#total = db.prepare(`
      SELECT ifnull(sum(pinned), 0) AS versions, ifnull(sum(pinned_bytes), 0) AS bytes
      FROM names INDEXED BY names_pinned WHERE tenant = ? AND pinned > 0`);
    this.#largest = db.prepare(`
      SELECT name, pinned AS versions, pinned_bytes AS bytes, pins_until AS until
      FROM names INDEXED BY names_pinned WHERE tenant = ? AND pinned > 0 ORDER BY pinned_bytes DESC LIMIT ?`);
    this.#versionId = db.prepare('SELECT version_id FROM versions WHERE name_id = ? AND version = ?');
    this.#insert = db.prepare('INSERT OR REPLACE INTO job_pins VALUES (?, ?, ?, ?, ?)');
    this.#delete = db.prepare('DELETE FROM job_pins WHERE id = ? RETURNING name_id');
    this.#forgetPast = db.prepare(`
      DELETE FROM job_pins WHERE id IN (SELECT id FROM job_pins WHERE until <= ? LIMIT ?)`);
    // What the others need, they need from the beginning of their logs, and of the logs that these continue.
    this.#record = db.prepare(`
      UPDATE names SET pinned = ?2, pins_until = ?4,
        oldest_at = (SELECT created_at FROM versions WHERE name_id = ?1 AND version > ?3 ORDER BY version LIMIT 1),
        pinned_bytes = (
          WITH RECURSIVE needed (log, count) AS (
            SELECT log, part_count FROM versions WHERE name_id = ?1 AND version > ?3
            UNION SELECT log, part_count FROM dropped_versions WHERE name_id = ?1
            UNION SELECT l.base_log, l.base_count FROM needed n JOIN logs l ON l.name_id = ?1 AND l.log = n.log),
          ends AS MATERIALIZED (SELECT log, max(count) AS count FROM needed GROUP BY log)
          SELECT ifnull(sum(p.size), 0) FROM parts p LEFT JOIN ends e ON e.log = p.log
          WHERE p.name_id = ?1 AND p.seq >= ifnull(e.count, 0))
      WHERE id = ?1`);
    this.#lookAgain = db.prepare('UPDATE names SET pins_until = ?2 WHERE id = ?1 AND pins_until > ?2');
  }

  pins(tenant: string, name: string, first: number, last: number, now: number): readonly VersionPin[] {
    const { id } = this.#names.requireLive(tenant, name, now);
    return this.#list.all(id, first, last, now) as unknown as VersionPin[];
  }

  pinned(tenant: string, framesMax: number): PinnedHolding {
    const { versions, bytes } = this.#total.get(tenant) as unknown as PinnedHolding;
    return { versions, bytes, frames: this.#largest.all(tenant, framesMax) as unknown as PinnedFrame[] };
  }

  pinForJob({ id, tenant, name, version, versionId, kind, until }: JobPin, now: number): void {
    const row = this.#names.requireLive(tenant, name, now);
    const found = this.#versionId.get(row.id, version) as { version_id: string } | undefined;
    if (found?.version_id !== versionId) throw this.#names.versionAbsence(row, version, now);
    this.#insert.run(id, row.id, version, kind, until);
  }

  unpinForJob(id: string, now: number): void {
    const ended = this.#delete.get(id) as { name_id: number } | undefined;
    if (ended !== undefined) this.ended(ended.name_id, now);
  }

  /** A pin of this name has ended before its time: the next sweep looks at the name. */
  ended(nameId: number, now: number): void {
    this.#lookAgain.run(nameId, now);
  }

  /** Until when versions below this one are pinned. */
  endsBelow(nameId: number, version: number, now: number): PinEnd[] {
    return this.#ends.all(nameId, version, now) as unknown as PinEnd[];
  }

  /** What a prune has left: no sweep looks at it again before a pin ends. */
  record(nameId: number, { left, pinsUntil }: Pinned): void {
    this.#record.run(nameId, left.length, left.at(-1) ?? 0, pinsUntil);
  }

  /** Returns how many were forgotten, at most `limit`. */
  forgetPast(now: number, limit: number): number {
    return Number(this.#forgetPast.run(now, limit).changes);
  }
}
