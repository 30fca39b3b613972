import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { WireSchema } from '../../wire.ts';

/** Before the hash of a schema of which only keys are left: the next version with that schema stores it anew. */
const endedMark = 'ended:';
/** Of such a schema columns up to this are kept, some 300 of them: answers need nothing else, and no quota counts them. */
const endedColumnsMax = 16 * 1024;

/** Schemas, each stored once however many versions have it. */
export class Schemas {
  readonly #byHash: StatementSync;
  readonly #read: StatementSync;
  readonly #insert: StatementSync;
  readonly #deleteUnused: StatementSync;
  readonly #ended: StatementSync;
  readonly #moveKeys: StatementSync;
  readonly #shrink: StatementSync;

  constructor(db: DatabaseSync) {
    this.#byHash = db.prepare('SELECT id FROM schemas WHERE hash = ?');
    this.#read = db.prepare('SELECT message, columns FROM schemas WHERE hash = ?');
    this.#insert = db.prepare('INSERT INTO schemas (hash, message, columns) VALUES (?, ?, ?)');
    this.#deleteUnused = db.prepare(`
      DELETE FROM schemas WHERE id = ?1
        AND NOT EXISTS (SELECT 1 FROM kept_versions WHERE schema_id = ?1)
        AND NOT EXISTS (SELECT 1 FROM idempotency WHERE schema_id = ?1)`);
    this.#ended = db.prepare(`
      SELECT '${endedMark}' || hash AS hash FROM schemas WHERE id = ?1 AND hash NOT LIKE '${endedMark}%'
        AND NOT EXISTS (SELECT 1 FROM kept_versions WHERE schema_id = ?1)`);
    this.#moveKeys = db.prepare('UPDATE idempotency SET schema_id = ? WHERE schema_id = ?');
    this.#shrink = db.prepare(`
      UPDATE schemas SET hash = ?, message = x'', columns = iif(octet_length(columns) > ${endedColumnsMax}, '', columns)
      WHERE id = ?`);
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

  /** Call when versions or keys have gone. A schema that only keys have left is kept as far as their answers need it. */
  deleteUnused(ids: Iterable<number>): void {
    for (const id of ids) {
      this.#deleteUnused.run(id);
      const ended = this.#ended.get(id) as { hash: string } | undefined;
      if (ended) this.#keepForKeys(id, ended.hash);
    }
  }

  #keepForKeys(id: number, hash: string): void {
    // Left from an earlier use of the same schema.
    const earlier = this.#byHash.get(hash) as { id: number } | undefined;
    if (!earlier) {
      this.#shrink.run(hash, id);
      return;
    }
    this.#moveKeys.run(earlier.id, id);
    this.#deleteUnused.run(id);
  }
}
