import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Objects that nothing refers to any more. */
export class Garbage {
  readonly #page: StatementSync;
  readonly #forget: StatementSync;
  readonly #known: StatementSync;

  constructor(db: DatabaseSync) {
    this.#page = db.prepare('SELECT key FROM garbage WHERE key > ? ORDER BY key LIMIT ?');
    this.#forget = db.prepare('DELETE FROM garbage WHERE key = ?');
    this.#known = db.prepare(`
      SELECT EXISTS (SELECT 1 FROM objects WHERE key = ?1) OR EXISTS (SELECT 1 FROM garbage WHERE key = ?1)
        AS known`);
  }

  page(after: string | null, limit: number): string[] {
    return this.#page.all(after ?? '', limit).map((row) => String(row.key));
  }

  forget(keys: readonly string[]): void {
    for (const key of keys) this.#forget.run(key);
  }

  known(keys: readonly string[]): string[] {
    return keys.filter((key) => this.#known.get(key)?.known === 1);
  }
}
