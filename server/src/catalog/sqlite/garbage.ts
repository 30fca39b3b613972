import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { DamagedObjects } from './damage.ts';

/** Its methods that are operations of the catalog. */
export const garbageOperations = {
  reads: ['garbage', 'known'],
  writes: ['forget'],
} as const;

/** Objects that nothing refers to any more. */
export class Garbage {
  readonly #page: StatementSync;
  readonly #damaged: DamagedObjects;
  readonly #forget: StatementSync;
  readonly #known: StatementSync;

  constructor(db: DatabaseSync, damaged: DamagedObjects) {
    this.#damaged = damaged;
    this.#page = db.prepare('SELECT key FROM garbage WHERE key > ? ORDER BY key LIMIT ?');
    this.#forget = db.prepare('DELETE FROM garbage WHERE key = ?');
    this.#known = db.prepare(`
      SELECT EXISTS (SELECT 1 FROM objects WHERE key = ?1) OR EXISTS (SELECT 1 FROM garbage WHERE key = ?1)
        AS known`);
  }

  garbage(after: string | null, limit: number): string[] {
    return this.#page.all(after ?? '', limit).map((row) => String(row.key));
  }

  forget(keys: readonly string[]): void {
    for (const key of keys) this.#forget.run(key);
    this.#damaged.forget(keys);
  }

  known(keys: readonly string[]): string[] {
    return keys.filter((key) => this.#known.get(key)?.known === 1);
  }
}
