import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Drop } from '../../../frames/ports/catalog/versions.ts';
import type { NameRow } from '../../name-rows.ts';
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

/** Its methods that are operations of the catalog. */
export const endingOperations = {
  reads: [],
  writes: ['drop'],
} as const;

/** The ways in which names and versions end. What they alone needed becomes garbage in the same transaction. */
export class Endings {
  readonly #attempts: Attempts;
  readonly #names: Names;
  readonly #logs: Logs;
  readonly #dropped: Dropped;
  readonly #schemas: Schemas;
  readonly #shares: Shares;
  readonly #events: Events;
  readonly #statistics: Statistics;
  readonly #files: FileLayouts;
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

  constructor(
    db: DatabaseSync,
    { attempts, names, logs, dropped, schemas, shares, events, statistics, files }: EndingTables,
  ) {
    this.#attempts = attempts;
    this.#names = names;
    this.#logs = logs;
    this.#dropped = dropped;
    this.#schemas = schemas;
    this.#shares = shares;
    this.#events = events;
    this.#statistics = statistics;
    this.#files = files;
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
      UPDATE names SET newest = NULL, kept = 0, expires_at = NULL, oldest_at = NULL, ended_reason = ?, ended_at = ?
      WHERE id = ?`);
    this.#recount = db.prepare(`
      UPDATE names SET
        (newest, kept) = (SELECT max(version), count(*) FROM versions WHERE name_id = ?1),
        oldest_at = (SELECT created_at FROM versions WHERE name_id = ?1 ORDER BY version LIMIT 1)
      WHERE id = ?1`);
  }

  drop(change: Drop): void {
    const attempt = { id: change.attempt, now: change.now };
    this.#attempts.once(attempt, () => this.#drop(change), { keep: () => '', again: () => {} });
  }

  #drop({ tenant, name, version, ifVersion, undropMs, now }: Drop): void {
    const row = this.#names.requireLive(tenant, name, now);
    const ended = version === null ? null : this.#find(row.id, version);
    if (version !== null && !ended) throw this.#names.versionAbsence(row, version, now);
    if (ifVersion !== null && ifVersion !== row.newest) throw versionMismatch(name, ifVersion, row.newest);
    if (!ended || row.kept === 1) {
      if (undropMs > 0) this.#keepDropped(row, undropMs, now);
      else this.#endName(row, 'dropped', now);
      this.#events.add(tenant, 'frame.dropped', { name, version: row.newest }, now);
      return;
    }
    this.#deleteVersion.run(row.id, ended.version);
    this.#recount.run(row.id);
    this.#cleanUp(row.id, [ended], 'dropped', now);
    this.#reportDroppedVersion(row, ended.version, now);
  }

  /** Ends a name whose time has come, as of its expiry. */
  expire(row: NameRow, now: number): void {
    const { tenant, name, newest, expires_at: expiresAt } = row;
    this.#endName(row, 'expired', expiresAt ?? now);
    this.#events.add(tenant, 'frame.expired', { name, version: newest ?? 0, expiresAt }, now);
  }

  #endName(row: NameRow, reason: EndReason, at: number): void {
    const ended = this.#findBelow(row.id, row.next_version);
    this.#deleteBelow.run(row.id, row.next_version);
    this.#setEnded.run(reason, at, row.id);
    this.#shares.end(row.id);
    this.#cleanUp(row.id, ended, reason, at);
  }

  /** The name lives on, with a newest version that may be another one. */
  #reportDroppedVersion(
    { id, tenant, name, expires_at: expiresAt }: NameRow,
    dropped: number,
    now: number,
  ): void {
    const { version, rows, bytes } = this.#newestSize.get(id) as {
      readonly version: number;
      readonly rows: number;
      readonly bytes: number;
    };
    const frame = { name, version, rows, bytes, expiresAt, change: 'version', dropped } as const;
    this.#events.add(tenant, 'frame.changed', frame, now);
  }

  /** Ends the name but keeps its content: all of it can come back, though never after its expiry. */
  #keepDropped(row: NameRow, undropMs: number, now: number): void {
    const ended = this.#findBelow(row.id, row.next_version);
    this.#dropped.keep(row, Math.min(now + undropMs, row.expires_at ?? Number.MAX_SAFE_INTEGER));
    this.#setEnded.run('dropped', now, row.id);
    this.#shares.end(row.id);
    this.#files.end(row.id);
    this.#remember(row.id, ended, 'dropped', now);
  }

  /** Keeps the newest `keep` versions. */
  prune(nameId: number, keep: number, now: number): void {
    const oldestKept = this.#nthNewest.get(nameId, keep - 1) as { version: number } | undefined;
    if (oldestKept) this.#supersedeBelow(nameId, oldestKept.version, now);
  }

  /** Ends the versions made before `since`, the newest excepted. */
  pruneOld(nameId: number, since: number, now: number): void {
    const oldestKept = this.#firstSince.get(nameId, since, nameId) as { version: number } | undefined;
    if (oldestKept) this.#supersedeBelow(nameId, oldestKept.version, now);
  }

  #supersedeBelow(nameId: number, version: number, now: number): void {
    const ended = this.#findBelow(nameId, version);
    this.#deleteBelow.run(nameId, version);
    this.#recount.run(nameId);
    this.#cleanUp(nameId, ended, 'superseded', now);
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
    for (const log of new Set(ended.map((version) => version.log))) this.#logs.trim(nameId, log);
    this.#remember(nameId, ended, reason, at);
    this.#statistics.end(nameId);
    this.#files.end(nameId);
    this.#schemas.deleteUnused(new Set(ended.map((version) => version.schema_id)));
  }

  #remember(nameId: number, ended: readonly EndedVersion[], reason: EndReason, at: number): void {
    for (const [first, last] of runsOf(ended)) this.#bury.run(nameId, first, last, reason, at);
  }
}
