import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { announce } from '../../../model/failpoints.ts';
import type { NameRow } from '../../name-rows.ts';
import { type EndedVersion, leftBy, runsOf } from '../../rules/ended-versions.ts';
import type { DroppedRow } from '../../rules/undrop.ts';
import type { TouchedName } from '../../wire.ts';
import type { Logs } from '../versions/logs.ts';
import type { RowPositionTable } from '../versions/row-positions.ts';
import type { Schemas } from '../versions/schemas.ts';
import type { Statistics } from '../versions/statistics.ts';
import type { Tags } from '../versions/tags.ts';

const versionColumns = `name_id, version, log, part_count, rows, bytes, schema_id, created_at, origin_kind, origin_format,
  origin_query, restored_from, version_id`;

/** Its methods that are operations of the catalog. */
export const droppedOperations = {
  reads: [],
  writes: ['releaseDropped'],
} as const;

/** Dropped names that can come back: their versions and parts are kept, but hidden. */
export class Dropped {
  readonly #logs: Logs;
  readonly #positions: RowPositionTable;
  readonly #schemas: Schemas;
  readonly #statistics: Statistics;
  readonly #tags: Tags;
  readonly #insert: StatementSync;
  readonly #take: StatementSync;
  readonly #removeTaken: StatementSync;
  readonly #newest: StatementSync;
  readonly #ofName: StatementSync;
  readonly #past: StatementSync;
  readonly #oldest: StatementSync;
  readonly #bytes: StatementSync;
  readonly #versions: StatementSync;
  readonly #giveBack: StatementSync;
  readonly #unbury: StatementSync;
  readonly #revive: StatementSync;
  readonly #deleteVersions: StatementSync;
  readonly #delete: StatementSync;
  readonly #giveNotes: StatementSync;

  constructor(
    db: DatabaseSync,
    logs: Logs,
    positions: RowPositionTable,
    schemas: Schemas,
    statistics: Statistics,
    tags: Tags,
  ) {
    this.#logs = logs;
    this.#positions = positions;
    this.#schemas = schemas;
    this.#statistics = statistics;
    this.#tags = tags;
    this.#insert = db.prepare(
      'INSERT INTO dropped (name_id, name, expires_at, until, versions_keep) VALUES (?, ?, ?, ?, ?)',
    );
    this.#take = db.prepare(`
      INSERT INTO dropped_versions (${versionColumns}, dropped_id)
      SELECT ${versionColumns}, ? FROM versions WHERE name_id = ?`);
    this.#removeTaken = db.prepare('DELETE FROM versions WHERE name_id = ?');
    const columns = 'id, name_id, name, expires_at, versions_keep';
    this.#newest = db.prepare(`
      SELECT ${columns} FROM dropped WHERE name_id = ? AND name = ? AND until > ? ORDER BY id DESC LIMIT 1`);
    this.#ofName = db.prepare(`SELECT ${columns} FROM dropped WHERE name_id = ? AND name = ?`);
    this.#past = db.prepare(`SELECT ${columns} FROM dropped WHERE until <= ? ORDER BY until LIMIT ?`);
    this.#oldest = db.prepare(`
      SELECT d.id, d.name_id, d.name, d.expires_at, d.versions_keep, n.tenant FROM dropped d JOIN names n ON n.id = d.name_id
      ORDER BY d.id LIMIT 1`);
    // A log is as large as its longest version.
    this.#bytes = db.prepare(`
      SELECT total(bytes) AS bytes FROM (SELECT max(bytes) AS bytes FROM dropped_versions GROUP BY name_id, log)`);
    this.#versions = db.prepare(
      'SELECT version, log, schema_id FROM dropped_versions WHERE dropped_id = ? ORDER BY version',
    );
    this.#giveBack = db.prepare(`
      INSERT INTO versions (${versionColumns}) SELECT ${versionColumns} FROM dropped_versions WHERE dropped_id = ?`);
    this.#unbury = db.prepare('DELETE FROM tombstones WHERE name_id = ? AND last = ?');
    this.#revive = db.prepare(`
      UPDATE names SET name = ?2, expires_at = ?3, versions_keep = ?4, ended_reason = NULL, ended_at = NULL, life = life + 1,
        (newest, kept) = (SELECT max(version), count(*) FROM versions WHERE name_id = ?1),
        oldest_at = (SELECT created_at FROM versions WHERE name_id = ?1 ORDER BY version LIMIT 1)
      WHERE id = ?1`);
    this.#deleteVersions = db.prepare('DELETE FROM dropped_versions WHERE dropped_id = ?');
    this.#delete = db.prepare('DELETE FROM dropped WHERE id = ?');
    this.#giveNotes = db.prepare(`
      INSERT INTO notes (name_id, tenant, body, words, bytes, set_at, set_by)
      SELECT d.name_id, n.tenant, d.notes ->> 0, d.notes ->> 1, d.notes ->> 2, d.notes ->> 3, d.notes ->> 4
      FROM dropped d JOIN names n ON n.id = d.name_id WHERE d.id = ? AND d.notes IS NOT NULL`);
  }

  /** Hides all versions of a live name; they can come back until then. */
  keep(row: NameRow, until: number): void {
    const id = this.#insert.run(row.id, row.name, row.expires_at, until, row.versions_keep).lastInsertRowid;
    this.#take.run(id, row.id);
    this.#removeTaken.run(row.id);
  }

  /** What would come back under this spelling: the last drop of it. */
  find(nameId: number, name: string, now: number): DroppedRow | undefined {
    return this.#newest.get(nameId, name, now) as DroppedRow | undefined;
  }

  /** The name lives again, with the versions, the expiry and the setting that it had. */
  bringBack(dropped: DroppedRow): void {
    for (const [, last] of runsOf(this.#versionsOf(dropped))) this.#unbury.run(dropped.name_id, last);
    this.#giveBack.run(dropped.id);
    this.#giveNotes.run(dropped.id);
    this.#forget(dropped);
    this.#revive.run(dropped.name_id, dropped.name, dropped.expires_at, dropped.versions_keep);
  }

  /** Removes everything that is kept of a name; returns how many drops of it there were. */
  purge(nameId: number, name: string): number {
    return this.#releaseAll(this.#ofName.all(nameId, name) as unknown as DroppedRow[]);
  }

  /** Removes up to `limit` of those that can no longer come back; returns how many. */
  releasePast(now: number, limit: number): number {
    return this.#releaseAll(this.#past.all(now, limit) as unknown as DroppedRow[]);
  }

  /** Removes the oldest drop; null if nothing is kept, or if all of it together is less than so many bytes. */
  releaseDropped(bytesWanted: number): TouchedName | null {
    if (2 * Number(this.#bytes.get()?.bytes) < bytesWanted) return null;
    const oldest = this.#oldest.get() as (DroppedRow & TouchedName) | undefined;
    if (oldest === undefined) return null;
    this.#releaseAll([oldest]);
    return { tenant: oldest.tenant, name: oldest.name };
  }

  #releaseAll(rows: readonly DroppedRow[]): number {
    for (const row of rows) {
      const ended = this.#versionsOf(row);
      const left = leftBy(ended);
      this.#forget(row);
      for (const log of left.logs) this.#logs.trim(row.name_id, log);
      this.#positions.forgetUnneeded(row.name_id, ended);
      this.#statistics.end(row.name_id);
      this.#tags.end(row.name_id);
      this.#schemas.deleteUnused(left.schemas);
    }
    if (rows.length > 0) announce('dropped:released');
    return rows.length;
  }

  #forget({ id }: DroppedRow): void {
    this.#deleteVersions.run(id);
    this.#delete.run(id);
  }

  #versionsOf({ id }: DroppedRow): EndedVersion[] {
    return this.#versions.all(id) as unknown as EndedVersion[];
  }
}
