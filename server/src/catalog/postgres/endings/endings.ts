import type { Drop } from '../../../frames/ports/catalog/versions.ts';
import type { Transaction } from '../../../postgres/database.ts';
import { isLive, type LiveName, type NameRow, nameAbsence } from '../../name-rows.ts';
import { type EndReason, versionMismatch } from '../../refusals.ts';
import { type EndedVersion, runsOf } from '../../version-runs.ts';
import type { Events } from '../events/events.ts';
import type { Shares } from '../tenants/shares.ts';
import type { Attempts } from '../versions/attempts.ts';
import type { FileLayouts } from '../versions/file-layouts.ts';
import type { Logs } from '../versions/logs.ts';
import type { Names } from '../versions/names.ts';
import type { Schemas } from '../versions/schemas.ts';
import type { Statistics } from '../versions/statistics.ts';
import type { Dropped } from './dropped.ts';

export interface EndingTables {
  readonly attempts: Attempts;
  readonly names: Names;
  readonly logs: Logs;
  readonly dropped: Dropped;
  readonly schemas: Schemas;
  readonly shares: Shares;
  readonly events: Events;
  readonly statistics: Statistics;
  readonly files: FileLayouts;
}

/**
 * The ways in which names and versions end. What they alone needed becomes garbage in the same transaction. A caller that gives a row or an
 * id has locked the name.
 */
export class Endings {
  readonly #tables: EndingTables;

  constructor(tables: EndingTables) {
    this.#tables = tables;
  }

  async drop(sql: Transaction, change: Drop): Promise<void> {
    const row = await this.#tables.names.lock(sql, change.tenant, change.name);
    const attempt = { id: change.attempt, now: change.now };
    await this.#tables.attempts.once(sql, attempt, () => this.#drop(sql, change, row), {
      keep: () => '',
      again: () => {},
    });
  }

  async #drop(sql: Transaction, change: Drop, found: NameRow | undefined): Promise<void> {
    const { names, events } = this.#tables;
    const { tenant, name, version, ifVersion, undropMs, now } = change;
    const row = liveRow(found, name, now);
    const ended = version === null ? null : await findVersion(sql, row.id, version);
    if (version !== null && !ended) throw await names.versionAbsence(sql, row, version, now);
    if (ifVersion !== null && ifVersion !== row.newest) throw versionMismatch(name, ifVersion, row.newest);
    if (!ended || row.kept === 1) {
      if (undropMs > 0) await this.#keepDropped(sql, row, undropMs, now);
      else await this.#endName(sql, row, 'dropped', now);
      events.add(sql, tenant, 'frame.dropped', { name, version: row.newest }, now);
      return;
    }
    sql.send('DELETE FROM versions WHERE name_id = $1 AND version = $2', [row.id, ended.version]);
    await this.#cleanUp(sql, row.id, [ended], 'dropped', now, () => recount(sql, row.id));
    await this.#reportDroppedVersion(sql, row, ended.version, now);
  }

  /** Ends a name whose time has come, as of its expiry. */
  async expire(sql: Transaction, row: NameRow, now: number): Promise<void> {
    const { tenant, name, newest, expires_at: expiresAt } = row;
    await this.#endName(sql, row, 'expired', expiresAt ?? now);
    this.#tables.events.add(sql, tenant, 'frame.expired', { name, version: newest ?? 0, expiresAt }, now);
  }

  /** Keeps the newest `keep` versions. */
  prune(sql: Transaction, nameId: number, keep: number, now: number): Promise<void> {
    return this.#supersedeBelow(
      sql,
      nameId,
      'SELECT version FROM versions WHERE name_id = $1 ORDER BY version DESC LIMIT 1 OFFSET $2',
      keep - 1,
      now,
    );
  }

  /** Ends the versions made before `since`, the newest excepted. */
  pruneOld(sql: Transaction, nameId: number, since: number, now: number): Promise<void> {
    return this.#supersedeBelow(
      sql,
      nameId,
      `SELECT version FROM versions
      WHERE name_id = $1 AND (created_at >= $2 OR version = (SELECT newest FROM names WHERE id = $1))
      ORDER BY version LIMIT 1`,
      since,
      now,
    );
  }

  async #endName(sql: Transaction, row: NameRow, reason: EndReason, at: number): Promise<void> {
    const ended = await endBelow(sql, row.id, '$2', row.next_version);
    await this.#cleanUp(sql, row.id, ended, reason, at, () => {
      setEnded(sql, row.id, reason, at);
      this.#tables.shares.end(sql, row.id);
    });
  }

  /** The name lives on, with a newest version that may be another one. */
  async #reportDroppedVersion(
    sql: Transaction,
    { id, tenant, name, expires_at: expiresAt }: NameRow,
    dropped: number,
    now: number,
  ): Promise<void> {
    const newest = await sql.first<{ version: number; rows: number; bytes: number }>(
      'SELECT version, rows, bytes FROM versions WHERE name_id = $1 ORDER BY version DESC LIMIT 1',
      [id],
    );
    if (!newest) return;
    const frame = { name, ...newest, expiresAt, change: 'version', dropped } as const;
    this.#tables.events.add(sql, tenant, 'frame.changed', frame, now);
  }

  /** Ends the name but keeps its content: all of it can come back, though never after its expiry. */
  async #keepDropped(sql: Transaction, row: NameRow, undropMs: number, now: number): Promise<void> {
    const until = Math.min(now + undropMs, row.expires_at ?? Number.MAX_SAFE_INTEGER);
    const ended = await this.#tables.dropped.keep(sql, row, until);
    setEnded(sql, row.id, 'dropped', now);
    this.#tables.shares.end(sql, row.id);
    await this.#tables.files.end(sql, row.id);
    remember(sql, row.id, ended, 'dropped', now);
  }

  /** Ends the versions below the one that the statement finds. */
  async #supersedeBelow(
    sql: Transaction,
    nameId: number,
    oldestKept: string,
    limit: number,
    now: number,
  ): Promise<void> {
    const ended = await endBelow(sql, nameId, oldestKept, limit);
    if (ended.length === 0) return;
    await this.#cleanUp(sql, nameId, ended, 'superseded', now, () => recount(sql, nameId));
  }

  /**
   * After the version rows have gone. A log keeps the parts that its longest kept version needs. The newest version is
   * always the longest of its log, and no kept version is in a log that continues it: so the next append continues exactly
   * when that version ends.
   */
  async #cleanUp(
    sql: Transaction,
    nameId: number,
    ended: readonly EndedVersion[],
    reason: EndReason,
    at: number,
    changeName: () => void,
  ): Promise<void> {
    const { logs, statistics, files, schemas } = this.#tables;
    // Before the change of the name and of parts, which lock the tenant's row: commits may hold a schema and wait for that.
    await schemas.deleteUnused(
      sql,
      ended.map((version) => version.schema_id),
    );
    changeName();
    for (const log of new Set(ended.map((version) => version.log))) await logs.trim(sql, nameId, log);
    remember(sql, nameId, ended, reason, at);
    statistics.end(sql, nameId);
    await files.end(sql, nameId);
  }
}

function liveRow(row: NameRow | undefined, name: string, now: number): LiveName {
  if (isLive(row, now) && row.name === name) return row;
  throw nameAbsence(row, name, now);
}

function findVersion(sql: Transaction, nameId: number, version: number): Promise<EndedVersion | undefined> {
  return sql.first<EndedVersion>(
    'SELECT version, log, schema_id FROM versions WHERE name_id = $1 AND version = $2',
    [nameId, version],
  );
}

/** Those below what the expression gives, oldest first. */
async function endBelow(
  sql: Transaction,
  nameId: number,
  version: string,
  value: number,
): Promise<EndedVersion[]> {
  return sql.rows<EndedVersion>(
    `WITH ended AS (
      DELETE FROM versions WHERE name_id = $1 AND version < (${version}) RETURNING version, log, schema_id)
    SELECT * FROM ended ORDER BY version`,
    [nameId, value],
  );
}

function setEnded(sql: Transaction, nameId: number, reason: EndReason, at: number): void {
  sql.send(
    `UPDATE names SET newest = NULL, kept = 0, expires_at = NULL, oldest_at = NULL, ended_reason = $1, ended_at = $2
    WHERE id = $3`,
    [reason, at, nameId],
  );
}

function recount(sql: Transaction, nameId: number): void {
  sql.send(
    `UPDATE names SET
      (newest, kept) = (SELECT max(version), count(*) FROM versions WHERE name_id = $1),
      oldest_at = (SELECT created_at FROM versions WHERE name_id = $1 ORDER BY version LIMIT 1)
    WHERE id = $1`,
    [nameId],
  );
}

function remember(
  sql: Transaction,
  nameId: number,
  ended: readonly EndedVersion[],
  reason: EndReason,
  at: number,
): void {
  const runs = runsOf(ended);
  sql.send(
    `INSERT INTO tombstones (name_id, first, last, reason, ended_at)
    SELECT $1, first, last, $4, $5 FROM unnest($2::bigint[], $3::bigint[]) AS run (first, last)`,
    [nameId, runs.map(([first]) => first), runs.map(([, last]) => last), reason, at],
  );
}
