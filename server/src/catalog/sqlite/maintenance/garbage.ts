import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { fileKeptMs } from '../../../ports/catalog/files.ts';
import type { GarbageRequest } from '../../../ports/catalog/maintenance.ts';
import type { DamagedObjects } from '../integrity/damage.ts';
import { isHeld } from './garbage-hold.ts';

/** Its methods that are operations of the catalog. */
export const garbageOperations = {
  reads: ['known'],
  writes: ['takeGarbage', 'renew', 'forget'],
} as const;

/** Objects that nothing refers to any more. */
export class Garbage {
  readonly #note: StatementSync;
  readonly #held: StatementSync;
  readonly #keepForFiles: StatementSync;
  readonly #due: StatementSync;
  readonly #lease: StatementSync;
  readonly #renew: StatementSync;
  readonly #damaged: DamagedObjects;
  readonly #forget: StatementSync;
  readonly #known: StatementSync;

  constructor(db: DatabaseSync, damaged: DamagedObjects) {
    this.#damaged = damaged;
    // New garbage has no time yet: it gets one here, so that no change needs to know the delay.
    this.#note = db.prepare(`
      UPDATE garbage SET not_before = ?1 WHERE key IN (SELECT key FROM garbage WHERE not_before IS NULL LIMIT ?2)`);
    this.#held = db.prepare(isHeld);
    this.#keepForFiles = db.prepare(`
      UPDATE garbage SET not_before =
        (SELECT max(?1, max(l.used_at) + ?2) + 1 FROM file_objects o
         JOIN file_layouts l ON l.name_id = o.name_id AND l.version = o.version WHERE o.key = garbage.key)
      WHERE not_before <= ?1 AND EXISTS (SELECT 1 FROM file_objects o WHERE o.key = garbage.key)`);
    this.#due = db.prepare('SELECT key FROM garbage WHERE not_before <= ? ORDER BY not_before, key LIMIT ?');
    this.#lease = db.prepare('UPDATE garbage SET not_before = ? WHERE key = ?');
    this.#renew = db.prepare(`
      UPDATE garbage SET not_before = ?1 WHERE key = ?2 AND ifnull(not_before, 0) < ?1`);
    this.#forget = db.prepare('DELETE FROM garbage WHERE key = ?');
    this.#known = db.prepare(`
      SELECT EXISTS (SELECT 1 FROM objects WHERE key = ?1) OR EXISTS (SELECT 1 FROM garbage WHERE key = ?1)
        OR EXISTS (SELECT 1 FROM file_objects WHERE key = ?1)
        AS known`);
  }

  takeGarbage({ limit, delayMs, leaseMs, now }: GarbageRequest): string[] {
    // Somebody copies what was there when the hold began; see garbage-hold.ts.
    if (this.#held.get(now) !== undefined) return [];
    this.#note.run(now + delayMs, limit);
    this.#keepForFiles.run(now, fileKeptMs);
    const keys = this.#due.all(now, limit).map((row) => String(row.key));
    for (const key of keys) this.#lease.run(now + leaseMs, key);
    return keys;
  }

  renew(keys: readonly string[], until: number): void {
    for (const key of keys) this.#renew.run(until, key);
  }

  forget(keys: readonly string[]): void {
    for (const key of keys) this.#forget.run(key);
    this.#damaged.forget(keys);
  }

  known(keys: readonly string[]): string[] {
    return keys.filter((key) => this.#known.get(key)?.known === 1);
  }
}
