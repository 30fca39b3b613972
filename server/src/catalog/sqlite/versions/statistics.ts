import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Names } from './names.ts';

/** Its methods that are operations of the catalog. */
export const statisticsOperations = {
  reads: ['statistics'],
  writes: ['keepStatistics'],
} as const;

/** Statistics of versions; those of a dropped name come back with it. */
export class Statistics {
  readonly #names: Names;
  readonly #find: StatementSync;
  readonly #keep: StatementSync;
  readonly #end: StatementSync;

  constructor(db: DatabaseSync, names: Names) {
    this.#names = names;
    this.#find = db.prepare('SELECT body FROM statistics WHERE name_id = ? AND version = ?');
    this.#keep = db.prepare(`
      INSERT OR REPLACE INTO statistics (name_id, version, body)
      SELECT name_id, version, ? FROM versions
      WHERE name_id = ? AND version = ? AND version_id = ifnull(?, version_id)`);
    this.#end = db.prepare(`
      DELETE FROM statistics WHERE name_id = ?1
        AND version NOT IN (SELECT version FROM kept_versions WHERE name_id = ?1)`);
  }

  statistics(tenant: string, name: string, version: number): Uint8Array | null {
    const row = this.#names.find(tenant, name);
    if (row?.name !== name) return null;
    return (this.#find.get(row.id, version)?.body as Uint8Array | undefined) ?? null;
  }

  keepStatistics(
    tenant: string,
    name: string,
    version: number,
    body: Uint8Array,
    versionId: string | null = null,
  ): void {
    const row = this.#names.find(tenant, name);
    if (row?.name === name) this.#keep.run(body, row.id, version, versionId);
  }

  /** After versions of a name have gone. */
  end(nameId: number): void {
    this.#end.run(nameId);
  }
}
