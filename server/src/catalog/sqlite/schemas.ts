import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { WireSchema } from './protocol.ts';

/** Schemas, each stored once however many versions have it. */
export class Schemas {
  readonly #byHash: StatementSync;
  readonly #read: StatementSync;
  readonly #insert: StatementSync;
  readonly #deleteUnused: StatementSync;

  constructor(db: DatabaseSync) {
    this.#byHash = db.prepare('SELECT id FROM schemas WHERE hash = ?');
    this.#read = db.prepare('SELECT message, columns FROM schemas WHERE hash = ?');
    this.#insert = db.prepare('INSERT INTO schemas (hash, message, columns) VALUES (?, ?, ?)');
    this.#deleteUnused = db.prepare(`
      DELETE FROM schemas WHERE id = ?1
        AND NOT EXISTS (SELECT 1 FROM versions WHERE schema_id = ?1)
        AND NOT EXISTS (SELECT 1 FROM idempotency WHERE schema_id = ?1)`);
  }

  /** The id of this schema, stored if it is new. */
  ensure(schema: WireSchema): number {
    const found = this.#byHash.get(schema.hash) as { id: number } | undefined;
    if (found) return found.id;
    return Number(this.#insert.run(schema.hash, schema.message, schema.columns).lastInsertRowid);
  }

  read(hash: string): WireSchema {
    const row = this.#read.get(hash) as unknown as Omit<WireSchema, 'hash'>;
    return { hash, message: row.message, columns: row.columns };
  }

  deleteUnused(ids: Iterable<number>): void {
    for (const id of ids) this.#deleteUnused.run(id);
  }
}
