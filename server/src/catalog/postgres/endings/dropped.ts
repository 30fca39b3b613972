import { announce } from '../../../model/failpoints.ts';
import type { Sql, Transaction } from '../../../postgres/database.ts';
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

/** Dropped names that can come back: their versions and parts are kept, but hidden. Callers have locked the name. */
export class Dropped {
  readonly #logs: Logs;
  readonly #positions: RowPositionTable;
  readonly #schemas: Schemas;
  readonly #statistics: Statistics;
  readonly #tags: Tags;

  constructor(logs: Logs, positions: RowPositionTable, schemas: Schemas, statistics: Statistics, tags: Tags) {
    this.#logs = logs;
    this.#positions = positions;
    this.#schemas = schemas;
    this.#statistics = statistics;
    this.#tags = tags;
  }

  /** Hides all versions of a live name, and returns them, oldest first; they can come back until then. */
  async keep(sql: Transaction, row: NameRow, until: number): Promise<EndedVersion[]> {
    return sql.rows<EndedVersion>(
      `WITH kept AS (
        INSERT INTO dropped (name_id, name, expires_at, until, versions_keep) VALUES ($1, $2, $3, $4, $5) RETURNING id),
      ended AS (DELETE FROM versions WHERE name_id = $1 RETURNING ${versionColumns}),
      hidden AS (
        INSERT INTO dropped_versions (${versionColumns}, dropped_id)
        SELECT ${versionColumns}, (SELECT id FROM kept) FROM ended RETURNING version, log, schema_id)
      SELECT * FROM hidden ORDER BY version`,
      [row.id, row.name, row.expires_at, until, row.versions_keep],
    );
  }

  /** What would come back under this spelling: the last drop of it. */
  find(sql: Sql, nameId: number, name: string, now: number): Promise<DroppedRow | undefined> {
    return sql.first<DroppedRow>(
      `SELECT id, name_id, name, expires_at, versions_keep FROM dropped
      WHERE name_id = $1 AND name = $2 AND until > $3 ORDER BY id DESC LIMIT 1`,
      [nameId, name, now],
    );
  }

  /** The name lives again, with the versions, the expiry and the setting that it had. */
  async bringBack(sql: Transaction, dropped: DroppedRow): Promise<void> {
    const versions = await sql.rows<EndedVersion>(
      `WITH back AS (DELETE FROM dropped_versions WHERE dropped_id = $1 RETURNING ${versionColumns}),
      given AS (
        INSERT INTO versions (${versionColumns}) SELECT ${versionColumns} FROM back RETURNING version, log, schema_id)
      SELECT * FROM given ORDER BY version`,
      [dropped.id],
    );
    sql.send(
      `INSERT INTO notes (name_id, tenant, body, words, bytes, set_at, set_by)
      SELECT d.name_id, n.tenant, k ->> 0, k ->> 1, (k ->> 2)::bigint, (k ->> 3)::bigint, k ->> 4
      FROM dropped d JOIN names n ON n.id = d.name_id CROSS JOIN LATERAL (SELECT d.notes::json AS k) kept
      WHERE d.id = $1 AND d.notes IS NOT NULL`,
      [dropped.id],
    );
    sql.send('DELETE FROM tombstones WHERE name_id = $1 AND last = ANY ($2::bigint[])', [
      dropped.name_id,
      runsOf(versions).map(([, last]) => last),
    ]);
    sql.send('DELETE FROM dropped WHERE id = $1', [dropped.id]);
    sql.send(
      `UPDATE names SET name = $2, expires_at = $3, versions_keep = $4, ended_reason = NULL, ended_at = NULL, life = life + 1,
        (newest, kept) = (SELECT max(version), count(*) FROM versions WHERE name_id = $1),
        oldest_at = (SELECT created_at FROM versions WHERE name_id = $1 ORDER BY version LIMIT 1)
      WHERE id = $1`,
      [dropped.name_id, dropped.name, dropped.expires_at, dropped.versions_keep],
    );
  }

  /** Removes everything that is kept of a name; returns how many drops of it there were. */
  async purge(sql: Transaction, nameId: number, name: string): Promise<number> {
    const rows = await sql.rows<{ id: number }>('SELECT id FROM dropped WHERE name_id = $1 AND name = $2', [
      nameId,
      name,
    ]);
    const ids = rows.map((row) => row.id);
    if (ids.length > 0) await this.#release(sql, nameId, ids);
    return ids.length;
  }

  /** Up to `limit` that can no longer come back, those first that ended first. */
  async past(sql: Sql, now: number, limit: number): Promise<readonly number[]> {
    const rows = await sql.rows<{ id: number }>(
      'SELECT id FROM dropped WHERE until <= $1 ORDER BY until LIMIT $2',
      [now, limit],
    );
    return rows.map((row) => row.id);
  }

  /** Removes one drop, whoever else changes its name at the moment: then it is left for the next time. Answers whether it was removed. */
  async releaseOne(sql: Transaction, id: number): Promise<boolean> {
    const locked = await sql.run(
      'SELECT 1 FROM names WHERE id = (SELECT name_id FROM dropped WHERE id = $1) FOR NO KEY UPDATE SKIP LOCKED',
      [id],
    );
    if (locked === 0) return false;
    const row = await sql.first<{ name_id: number }>('SELECT name_id FROM dropped WHERE id = $1', [id]);
    if (!row) return false;
    await this.#release(sql, row.name_id, [id]);
    return true;
  }

  /** Removes the oldest drop; null if nothing is kept, or if all of it together is less than so many bytes. */
  async releaseDropped(sql: Transaction, bytesWanted: number): Promise<TouchedName | null> {
    // A log is as large as its longest version.
    const total = await sql.first<{ bytes: number }>(
      `SELECT coalesce(sum(bytes), 0) AS bytes FROM
        (SELECT max(bytes) AS bytes FROM dropped_versions GROUP BY name_id, log) longest`,
    );
    if (2 * (total?.bytes ?? 0) < bytesWanted) return null;
    const oldest = await sql.first<{ id: number } & TouchedName>(
      `SELECT d.id, d.name, n.tenant FROM dropped d JOIN names n ON n.id = d.name_id
      ORDER BY d.id LIMIT 1 FOR NO KEY UPDATE OF n SKIP LOCKED`,
    );
    if (oldest === undefined || !(await this.releaseOne(sql, oldest.id))) return null;
    return { tenant: oldest.tenant, name: oldest.name };
  }

  async #release(sql: Transaction, nameId: number, ids: readonly number[]): Promise<void> {
    const versions = await sql.rows<EndedVersion>(
      'DELETE FROM dropped_versions WHERE dropped_id = ANY ($1::bigint[]) RETURNING version, log, schema_id',
      [ids],
    );
    sql.send('DELETE FROM dropped WHERE id = ANY ($1::bigint[])', [ids]);
    // Before parts are removed, which locks the tenant's row: commits may hold a schema and wait for that.
    const left = leftBy(versions);
    await this.#schemas.deleteUnused(sql, left.schemas);
    for (const log of left.logs) await this.#logs.trim(sql, nameId, log);
    this.#positions.forgetUnneeded(sql, nameId, versions);
    this.#statistics.end(sql, nameId);
    this.#tags.end(sql, nameId);
    announce('dropped:released');
  }
}
