import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { SavedLimits, SavedQuery } from '../../../ports/catalog/queries.ts';
import { checkSaved, type SavedSize } from '../../rules/saved-queries.ts';

/** Its methods that are operations of the catalog. */
export const savedQueryOperations = {
  reads: ['savedQueries'],
  writes: ['saveQuery', 'removeQuery'],
} as const;

/** Statements that tenants have given a name. */
export class SavedQueries {
  readonly #list: StatementSync;
  readonly #find: StatementSync;
  readonly #replace: StatementSync;
  readonly #remove: StatementSync;
  readonly #size: StatementSync;

  constructor(db: DatabaseSync) {
    this.#list = db.prepare(
      'SELECT name, sql, saved_at AS savedAt, saved_by AS savedBy FROM saved_queries WHERE tenant = ? ORDER BY name',
    );
    this.#find = db.prepare('SELECT 1 FROM saved_queries WHERE tenant = ? AND name = ?');
    this.#replace = db.prepare('INSERT OR REPLACE INTO saved_queries VALUES (?, ?, ?, ?, ?)');
    this.#remove = db.prepare('DELETE FROM saved_queries WHERE tenant = ? AND name = ?');
    this.#size = db.prepare(`
      SELECT count(*) AS count, CAST(total(octet_length(name) + octet_length(sql)) AS INTEGER) AS bytes
      FROM saved_queries WHERE tenant = ?`);
  }

  savedQueries(tenant: string): SavedQuery[] {
    const rows = this.#list.all(tenant) as unknown as SavedQuery[];
    // Plain objects: SQLite's rows have no prototype.
    return rows.map(({ name, sql, savedAt, savedBy }) => ({ name, sql, savedAt, savedBy }));
  }

  saveQuery(
    tenant: string,
    { name, sql, savedAt, savedBy }: SavedQuery,
    limits: SavedLimits,
  ): { readonly isCreated: boolean } {
    const isCreated = this.#find.get(tenant, name) === undefined;
    this.#replace.run(tenant, name, sql, savedAt, savedBy);
    // In the transaction of the change: if it throws, nothing was changed.
    checkSaved(this.#size.get(tenant) as unknown as SavedSize, limits, isCreated);
    return { isCreated };
  }

  removeQuery(tenant: string, name: string): boolean {
    return this.#remove.run(tenant, name).changes > 0;
  }
}
