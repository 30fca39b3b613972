import type { Drop } from '../../../ports/catalog/versions.ts';
import type { Transaction } from '../../../postgres/database.ts';
import { type NameRow, requireLiveRow } from '../../name-rows.ts';
import type { EndReason } from '../../refusals.ts';
import { nameDrop, nameExpiry } from '../../rules/drop.ts';
import { type EndedVersion, leftBy, runsOf } from '../../rules/ended-versions.ts';
import { type VersionSize, versionDroppedEvent } from '../../rules/events.ts';
import { pruningOf } from '../../rules/retention.ts';
import type { Events } from '../events/events.ts';
import type { Shares } from '../tenants/shares.ts';
import type { Attempts } from '../versions/attempts.ts';
import type { FileLayouts } from '../versions/file-layouts.ts';
import type { Logs } from '../versions/logs.ts';
import type { Names } from '../versions/names.ts';
import type { Pins } from '../versions/pins.ts';
import type { RowPositionTable } from '../versions/row-positions.ts';
import type { Schemas } from '../versions/schemas.ts';
import type { Statistics } from '../versions/statistics.ts';
import type { Tags } from '../versions/tags.ts';
import type { Dropped } from './dropped.ts';

export interface EndingTables {
  readonly attempts: Attempts;
  readonly names: Names;
  readonly logs: Logs;
  readonly positions: RowPositionTable;
  readonly dropped: Dropped;
  readonly schemas: Schemas;
  readonly shares: Shares;
  readonly events: Events;
  readonly statistics: Statistics;
  readonly files: FileLayouts;
  readonly pins: Pins;
  readonly tags: Tags;
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
    const { version, now } = change;
    const row = requireLiveRow(found, change.name, now);
    const ended = version === null ? undefined : await findVersion(sql, row.id, version);
    if (version !== null && !ended) throw await names.versionAbsence(sql, row, version, now);
    await names.checkNewest(sql, row, change.ifVersion);
    const drop = nameDrop(change, row);
    if (drop) {
      if (drop.keptUntil === null) await this.#endName(sql, row, 'dropped', now);
      else await this.#keepDropped(sql, row, drop.keptUntil, now);
      events.add(sql, drop.event, now);
    } else if (ended) {
      sql.send('DELETE FROM versions WHERE name_id = $1 AND version = $2', [row.id, ended.version]);
      await this.#cleanUp(sql, row.id, [ended], 'dropped', now, () => recount(sql, row.id));
      const newest = await newestSize(sql, row.id);
      if (newest) events.add(sql, versionDroppedEvent(row, ended.version, newest), now);
    }
  }

  async expire(sql: Transaction, row: NameRow, now: number): Promise<void> {
    const { endedAt, event } = nameExpiry(row, now);
    await this.#endName(sql, row, 'expired', endedAt);
    this.#tables.events.add(sql, event, now);
  }

  /** Ends the versions beyond the newest `keep` and those made before `since`, except the newest and those that are pinned. */
  async prune(
    sql: Transaction,
    { id, newest }: NameRow,
    keep: number,
    since: number | null,
    now: number,
  ): Promise<void> {
    const { pins } = this.#tables;
    const first = await firstKept(sql, id, newest, keep, since);
    const [surplus, ends] = await Promise.all([
      sql.rows<EndedVersion>(
        'SELECT version, log, schema_id FROM versions WHERE name_id = $1 AND version < $2 ORDER BY version',
        [id, first],
      ),
      pins.endsBelow(sql, id, first, now),
    ]);
    const pruning = pruningOf(surplus, ends);
    const { ended, left } = pruning;
    if (ended.length === 0) recount(sql, id);
    else {
      sql.send('DELETE FROM versions WHERE name_id = $1 AND version < $2 AND version <> ALL ($3::bigint[])', [
        id,
        first,
        left,
      ]);
      await this.#cleanUp(sql, id, ended, 'superseded', now, () => recount(sql, id));
    }
    if (left.length > 0) pins.record(sql, id, pruning);
  }

  async #endName(sql: Transaction, row: NameRow, reason: EndReason, at: number): Promise<void> {
    const ended = await endBelow(sql, row.id, row.next_version);
    await this.#cleanUp(sql, row.id, ended, reason, at, () => {
      setEnded(sql, row.id, reason, at);
      this.#tables.shares.end(sql, row.id);
    });
  }

  /** Ends the name but keeps its content: all of it can come back until then. */
  async #keepDropped(sql: Transaction, row: NameRow, until: number, now: number): Promise<void> {
    const ended = await this.#tables.dropped.keep(sql, row, until);
    setEnded(sql, row.id, 'dropped', now);
    this.#tables.shares.end(sql, row.id);
    await this.#tables.files.end(sql, row.id);
    remember(sql, row.id, ended, 'dropped', now);
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
    const { logs, positions, statistics, files, schemas, tags } = this.#tables;
    // Before the change of the name and of parts, which lock the tenant's row: commits may hold a schema and wait for that.
    const left = leftBy(ended);
    await schemas.deleteUnused(sql, left.schemas);
    changeName();
    for (const log of left.logs) await logs.trim(sql, nameId, log);
    positions.forgetUnneeded(sql, nameId, ended);
    remember(sql, nameId, ended, reason, at);
    statistics.end(sql, nameId);
    tags.end(sql, nameId);
    await files.end(sql, nameId);
  }
}

function newestSize(sql: Transaction, nameId: number): Promise<VersionSize | undefined> {
  return sql.first<VersionSize>(
    'SELECT version, rows, bytes FROM versions WHERE name_id = $1 ORDER BY version DESC LIMIT 1',
    [nameId],
  );
}

function findVersion(sql: Transaction, nameId: number, version: number): Promise<EndedVersion | undefined> {
  return sql.first<EndedVersion>(
    'SELECT version, log, schema_id FROM versions WHERE name_id = $1 AND version = $2',
    [nameId, version],
  );
}

/** The oldest version that is neither beyond the newest `keep` nor made before `since`; 0 if all are fewer. The newest always stays. */
async function firstKept(
  sql: Transaction,
  nameId: number,
  newest: number | null,
  keep: number,
  since: number | null,
): Promise<number> {
  const found = await sql.first<{ version: number }>(
    `SELECT greatest(
      (SELECT version FROM versions WHERE name_id = $1 ORDER BY version DESC LIMIT 1 OFFSET $2),
      (SELECT version FROM versions WHERE $3::bigint IS NOT NULL AND name_id = $1 AND (created_at >= $3 OR version = $4)
        ORDER BY version LIMIT 1), 0) AS version`,
    [nameId, keep - 1, since, newest],
  );
  return found?.version ?? 0;
}

/** Those below this one, oldest first. */
async function endBelow(sql: Transaction, nameId: number, version: number): Promise<EndedVersion[]> {
  return sql.rows<EndedVersion>(
    `WITH ended AS (
      DELETE FROM versions WHERE name_id = $1 AND version < $2 RETURNING version, log, schema_id)
    SELECT * FROM ended ORDER BY version`,
    [nameId, version],
  );
}

function setEnded(sql: Transaction, nameId: number, reason: EndReason, at: number): void {
  sql.send(
    `UPDATE names SET newest = NULL, kept = 0, expires_at = NULL, oldest_at = NULL, ended_reason = $1, ended_at = $2,
      versions_keep = NULL, pinned = 0, pinned_bytes = 0, pins_until = NULL
    WHERE id = $3`,
    [reason, at, nameId],
  );
}

function recount(sql: Transaction, nameId: number): void {
  sql.send(
    `UPDATE names SET
      (newest, kept) = (SELECT max(version), count(*) FROM versions WHERE name_id = $1),
      oldest_at = (SELECT created_at FROM versions WHERE name_id = $1 ORDER BY version LIMIT 1),
      pinned = 0, pinned_bytes = 0, pins_until = NULL
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
