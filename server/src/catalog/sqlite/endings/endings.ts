import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Drop } from '../../../ports/catalog/versions.ts';
import type { NameRow } from '../../name-rows.ts';
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

/** Its methods that are operations of the catalog. */
export const endingOperations = {
  reads: [],
  writes: ['drop'],
} as const;

/** The ways in which names and versions end. What they alone needed becomes garbage in the same transaction. */
export class Endings {
  readonly #tables: EndingTables;
  readonly #version: StatementSync;
  readonly #below: StatementSync;
  readonly #nthNewest: StatementSync;
  readonly #firstSince: StatementSync;
  readonly #deleteVersion: StatementSync;
  readonly #deleteBelow: StatementSync;
  readonly #bury: StatementSync;
  readonly #setEnded: StatementSync;
  readonly #newestSize: StatementSync;
  readonly #recount: StatementSync;

  constructor(db: DatabaseSync, tables: EndingTables) {
    this.#tables = tables;
    this.#version = db.prepare(
      'SELECT version, log, schema_id FROM versions WHERE name_id = ? AND version = ?',
    );
    this.#below = db.prepare(`
      SELECT version, log, schema_id FROM versions WHERE name_id = ? AND version < ? ORDER BY version`);
    this.#nthNewest = db.prepare(
      'SELECT version FROM versions WHERE name_id = ? ORDER BY version DESC LIMIT 1 OFFSET ?',
    );
    this.#firstSince = db.prepare(`
      SELECT version FROM versions
      WHERE name_id = ? AND (created_at >= ? OR version = (SELECT newest FROM names WHERE id = ?))
      ORDER BY version LIMIT 1`);
    this.#deleteVersion = db.prepare('DELETE FROM versions WHERE name_id = ? AND version = ?');
    this.#deleteBelow = db.prepare('DELETE FROM versions WHERE name_id = ? AND version < ?');
    this.#bury = db.prepare('INSERT INTO tombstones VALUES (?, ?, ?, ?, ?)');
    this.#newestSize = db.prepare(`
      SELECT version, rows, bytes FROM versions WHERE name_id = ? ORDER BY version DESC LIMIT 1`);
    this.#setEnded = db.prepare(`
      UPDATE names SET newest = NULL, kept = 0, expires_at = NULL, oldest_at = NULL, ended_reason = ?, ended_at = ?,
        versions_keep = NULL, pinned = 0, pinned_bytes = 0, pins_until = NULL
      WHERE id = ?`);
    this.#recount = db.prepare(`
      UPDATE names SET
        (newest, kept) = (SELECT max(version), count(*) FROM versions WHERE name_id = ?1),
        oldest_at = (SELECT created_at FROM versions WHERE name_id = ?1 ORDER BY version LIMIT 1),
        pinned = 0, pinned_bytes = 0, pins_until = NULL
      WHERE id = ?1`);
  }

  drop(change: Drop): void {
    const attempt = { id: change.attempt, now: change.now };
    this.#tables.attempts.once(attempt, () => this.#drop(change), { keep: () => '', again: () => {} });
  }

  #drop(change: Drop): void {
    const { version, now } = change;
    const row = this.#tables.names.requireLive(change.tenant, change.name, now);
    const ended = version === null ? undefined : this.#find(row.id, version);
    if (version !== null && !ended) throw this.#tables.names.versionAbsence(row, version, now);
    this.#tables.names.checkNewest(row, change.ifVersion);
    const drop = nameDrop(change, row);
    if (drop) {
      if (drop.keptUntil === null) this.#endName(row, 'dropped', now);
      else this.#keepDropped(row, drop.keptUntil, now);
      this.#tables.events.add(drop.event, now);
    } else if (ended) {
      this.#deleteVersion.run(row.id, ended.version);
      this.#recount.run(row.id);
      this.#cleanUp(row.id, [ended], 'dropped', now);
      const newest = this.#newestSize.get(row.id) as unknown as VersionSize;
      this.#tables.events.add(versionDroppedEvent(row, ended.version, newest), now);
    }
  }

  expire(row: NameRow, now: number): void {
    const { endedAt, event } = nameExpiry(row, now);
    this.#endName(row, 'expired', endedAt);
    this.#tables.events.add(event, now);
  }

  #endName(row: NameRow, reason: EndReason, at: number): void {
    const ended = this.#findBelow(row.id, row.next_version);
    this.#deleteBelow.run(row.id, row.next_version);
    this.#setEnded.run(reason, at, row.id);
    this.#tables.shares.end(row.id);
    this.#cleanUp(row.id, ended, reason, at);
  }

  /** Ends the name but keeps its content: all of it can come back until then. */
  #keepDropped(row: NameRow, until: number, now: number): void {
    const ended = this.#findBelow(row.id, row.next_version);
    this.#tables.dropped.keep(row, until);
    this.#setEnded.run('dropped', now, row.id);
    this.#tables.shares.end(row.id);
    this.#tables.files.end(row.id);
    this.#remember(row.id, ended, 'dropped', now);
  }

  /** Ends the versions beyond the newest `keep` and those made before `since`, except the newest and those that are pinned. */
  prune({ id }: NameRow, keep: number, since: number | null, now: number): void {
    const first = Math.max(
      versionIn(this.#nthNewest.get(id, keep - 1)),
      since === null ? 0 : versionIn(this.#firstSince.get(id, since, id)),
    );
    const pruning = pruningOf(this.#findBelow(id, first), this.#tables.pins.endsBelow(id, first, now));
    const { ended, left } = pruning;
    if (left.length === 0) this.#deleteBelow.run(id, first);
    else for (const { version } of ended) this.#deleteVersion.run(id, version);
    this.#recount.run(id);
    if (ended.length > 0) this.#cleanUp(id, ended, 'superseded', now);
    if (left.length > 0) this.#tables.pins.record(id, pruning);
  }

  #find(nameId: number, version: number): EndedVersion | undefined {
    return this.#version.get(nameId, version) as EndedVersion | undefined;
  }

  #findBelow(nameId: number, version: number): EndedVersion[] {
    return this.#below.all(nameId, version) as unknown as EndedVersion[];
  }

  /**
   * After the version rows have gone. A log keeps the parts that its longest kept version needs. The newest version is
   * always the longest of its log, and no kept version is in a log that continues it: so the next append continues exactly
   * when that version ends.
   */
  #cleanUp(nameId: number, ended: readonly EndedVersion[], reason: EndReason, at: number): void {
    const left = leftBy(ended);
    for (const log of left.logs) this.#tables.logs.trim(nameId, log);
    this.#tables.positions.forgetUnneeded(nameId, ended);
    this.#remember(nameId, ended, reason, at);
    this.#tables.statistics.end(nameId);
    this.#tables.tags.end(nameId);
    this.#tables.files.end(nameId);
    this.#tables.schemas.deleteUnused(left.schemas);
  }

  #remember(nameId: number, ended: readonly EndedVersion[], reason: EndReason, at: number): void {
    for (const [first, last] of runsOf(ended)) this.#bury.run(nameId, first, last, reason, at);
  }
}

/** 0 if there is none. */
function versionIn(row: Record<string, unknown> | undefined): number {
  return Number(row?.version ?? 0);
}
