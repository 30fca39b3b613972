import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type FileLayout, fileKeptMs } from '../../../ports/catalog/files.ts';
import { type FileLayoutRow, type FileObjectRow, layoutOfRows, ownKeys, partKeys } from '../../file-rows.ts';
import type { Names } from './names.ts';

/** Its methods that are operations of the catalog. */
export const fileLayoutOperations = {
  reads: ['fileLayout'],
  writes: ['keepFileLayout', 'useFileLayout', 'endFileLayout'],
} as const;

interface LayoutKey {
  readonly name_id: number;
  readonly version: number;
}

/** Versions that are served as one file. */
export class FileLayouts {
  readonly #names: Names;
  readonly #find: StatementSync;
  readonly #objects: StatementSync;
  readonly #isKept: StatementSync;
  readonly #isPartObject: StatementSync;
  readonly #insert: StatementSync;
  readonly #insertObject: StatementSync;
  readonly #use: StatementSync;
  readonly #addToGarbage: StatementSync;
  readonly #ended: StatementSync;
  readonly #unused: StatementSync;
  readonly #discardOwn: StatementSync;
  readonly #releaseHeld: StatementSync;
  readonly #delete: StatementSync;

  constructor(db: DatabaseSync, names: Names) {
    this.#names = names;
    this.#find = db.prepare('SELECT etag, bytes, pieces FROM file_layouts WHERE name_id = ? AND version = ?');
    this.#objects = db.prepare(`
      SELECT key, bytes, sha256, own FROM file_objects WHERE name_id = ? AND version = ? ORDER BY seq`);
    this.#isKept = db.prepare('SELECT 1 FROM versions WHERE name_id = ? AND version = ?');
    this.#isPartObject = db.prepare('SELECT 1 FROM objects WHERE key = ?');
    this.#insert = db.prepare('INSERT INTO file_layouts VALUES (?, ?, ?, ?, ?, ?)');
    this.#insertObject = db.prepare('INSERT INTO file_objects VALUES (?, ?, ?, ?, ?, ?, ?)');
    this.#use = db.prepare(`
      UPDATE file_layouts SET used_at = max(used_at, ?) WHERE name_id = ? AND version = ? AND etag = ?`);
    this.#addToGarbage = db.prepare('INSERT OR IGNORE INTO garbage (key) VALUES (?)');
    this.#ended = db.prepare(`
      SELECT name_id, version FROM file_layouts WHERE name_id = ?1
        AND version NOT IN (SELECT version FROM versions WHERE name_id = ?1)`);
    this.#unused = db.prepare('SELECT name_id, version FROM file_layouts WHERE used_at <= ? LIMIT ?');
    this.#discardOwn = db.prepare(`
      INSERT OR IGNORE INTO garbage (key) SELECT key FROM file_objects WHERE name_id = ? AND version = ? AND own = 1`);
    // It gets a new time from the next collector, as if it had become garbage now.
    this.#releaseHeld = db.prepare(`
      UPDATE garbage SET not_before = NULL WHERE key IN
        (SELECT key FROM file_objects WHERE name_id = ? AND version = ? AND own = 0)`);
    this.#delete = db.prepare('DELETE FROM file_layouts WHERE name_id = ? AND version = ?');
  }

  fileLayout(tenant: string, name: string, version: number): FileLayout | null {
    const nameId = this.#nameId(tenant, name);
    return nameId === null ? null : this.#read(nameId, version);
  }

  keepFileLayout(
    tenant: string,
    name: string,
    version: number,
    layout: FileLayout,
    now: number,
  ): FileLayout | null {
    const nameId = this.#nameId(tenant, name);
    const known = nameId === null ? null : this.#read(nameId, version);
    if (known?.etag === layout.etag) return known;
    const isCurrent =
      nameId !== null &&
      this.#isKept.get(nameId, version) !== undefined &&
      partKeys(layout).every((key) => this.#isPartObject.get(key) !== undefined);
    if (known !== null || !isCurrent) {
      for (const key of ownKeys(layout)) this.#addToGarbage.run(key);
      return known;
    }
    this.#insert.run(nameId, version, layout.etag, layout.bytes, now, layout.pieces);
    for (const [seq, { key, bytes, sha256, isOwn }] of layout.objects.entries())
      this.#insertObject.run(nameId, version, seq, key, bytes, sha256, isOwn ? 1 : 0);
    return layout;
  }

  useFileLayout(tenant: string, name: string, version: number, etag: string, now: number): boolean {
    const nameId = this.#nameId(tenant, name);
    return nameId !== null && Number(this.#use.run(now, nameId, version, etag).changes) > 0;
  }

  endFileLayout(tenant: string, name: string, version: number, etag: string): void {
    const nameId = this.#nameId(tenant, name);
    if (nameId !== null && this.#read(nameId, version)?.etag === etag)
      this.#endAll([{ name_id: nameId, version }]);
  }

  /** After versions of a name have gone, or the name was dropped. */
  end(nameId: number): void {
    this.#endAll(this.#ended.all(nameId) as unknown as LayoutKey[]);
  }

  /** Up to so many that were not used for long; returns how many. */
  endUnused(now: number, limit: number): number {
    return this.#endAll(this.#unused.all(now - fileKeptMs, limit) as unknown as LayoutKey[]);
  }

  #endAll(layouts: readonly LayoutKey[]): number {
    for (const { name_id: nameId, version } of layouts) {
      this.#discardOwn.run(nameId, version);
      this.#releaseHeld.run(nameId, version);
      this.#delete.run(nameId, version);
    }
    return layouts.length;
  }

  #read(nameId: number, version: number): FileLayout | null {
    const row = this.#find.get(nameId, version) as FileLayoutRow | undefined;
    if (row === undefined) return null;
    return layoutOfRows(row, this.#objects.all(nameId, version) as unknown as FileObjectRow[]);
  }

  #nameId(tenant: string, name: string): number | null {
    const row = this.#names.find(tenant, name);
    return row?.name === name ? row.id : null;
  }
}
