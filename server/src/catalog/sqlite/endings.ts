import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type EndReason, versionMismatch } from '../refusals.ts';
import type { Merges } from './merges.ts';
import type { NameRow, Names } from './names.ts';
import type { Parts } from './parts.ts';
import type { Schemas } from './schemas.ts';
import type { Shares } from './shares.ts';

interface EndedVersion {
  readonly version: number;
  readonly log: number;
  readonly schema_id: number;
}

export interface EndingTables {
  readonly names: Names;
  readonly parts: Parts;
  readonly merges: Merges;
  readonly schemas: Schemas;
  readonly shares: Shares;
}

/** The ways in which names and versions end. What they alone needed becomes garbage in the same transaction. */
export class Endings {
  readonly #names: Names;
  readonly #parts: Parts;
  readonly #merges: Merges;
  readonly #schemas: Schemas;
  readonly #shares: Shares;
  readonly #version: StatementSync;
  readonly #below: StatementSync;
  readonly #nthNewest: StatementSync;
  readonly #firstSince: StatementSync;
  readonly #deleteVersion: StatementSync;
  readonly #deleteBelow: StatementSync;
  readonly #logEnd: StatementSync;
  readonly #bury: StatementSync;
  readonly #endName: StatementSync;
  readonly #recount: StatementSync;

  constructor(db: DatabaseSync, { names, parts, merges, schemas, shares }: EndingTables) {
    this.#names = names;
    this.#parts = parts;
    this.#merges = merges;
    this.#schemas = schemas;
    this.#shares = shares;
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
    this.#logEnd = db.prepare(
      'SELECT ifnull(max(part_count), 0) AS count FROM versions WHERE name_id = ? AND log = ?',
    );
    this.#bury = db.prepare('INSERT INTO tombstones VALUES (?, ?, ?, ?, ?)');
    this.#endName = db.prepare(`
      UPDATE names SET newest = NULL, kept = 0, expires_at = NULL, oldest_at = NULL, ended_reason = ?, ended_at = ?
      WHERE id = ?`);
    this.#recount = db.prepare(`
      UPDATE names SET
        (newest, kept) = (SELECT max(version), count(*) FROM versions WHERE name_id = ?1),
        oldest_at = (SELECT created_at FROM versions WHERE name_id = ?1 ORDER BY version LIMIT 1)
      WHERE id = ?1`);
  }

  drop(tenant: string, name: string, version: number | null, ifVersion: number | null, now: number): void {
    const row = this.#names.requireLive(tenant, name, now);
    const ended = version === null ? null : this.#find(row.id, version);
    if (version !== null && !ended) throw this.#names.versionAbsence(row, version, now);
    if (ifVersion !== null && ifVersion !== row.newest) throw versionMismatch(name, ifVersion, row.newest);
    if (!ended || row.kept === 1) {
      this.endName(row, 'dropped', now);
      return;
    }
    this.#deleteVersion.run(row.id, ended.version);
    this.#recount.run(row.id);
    this.#cleanUp(row.id, [ended], 'dropped', now);
  }

  endName(row: NameRow, reason: EndReason, at: number): void {
    const ended = this.#findBelow(row.id, row.next_version);
    this.#deleteBelow.run(row.id, row.next_version);
    this.#endName.run(reason, at, row.id);
    this.#shares.end(row.id);
    this.#cleanUp(row.id, ended, reason, at);
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
   * After the version rows have gone. A log keeps the parts that its longest kept version needs: the newest version is
   * always the longest of its log, so the next append continues exactly where that version ends.
   */
  #cleanUp(nameId: number, ended: readonly EndedVersion[], reason: EndReason, at: number): void {
    for (const log of new Set(ended.map((version) => version.log))) {
      const needed = Number(this.#logEnd.get(nameId, log)?.count);
      this.#parts.removeTail(nameId, log, needed);
      // A version that has gone no longer keeps the parts on both sides of its end apart.
      if (needed > 1) this.#merges.mark(nameId, log);
    }
    for (const [first, last] of runs(ended)) this.#bury.run(nameId, first, last, reason, at);
    this.#schemas.deleteUnused(new Set(ended.map((version) => version.schema_id)));
  }
}

/** Ascending versions as runs without gaps, so that a long history takes few tombstones. */
function runs(versions: readonly EndedVersion[]): [first: number, last: number][] {
  const found: [number, number][] = [];
  for (const { version } of versions) {
    const open = found.at(-1);
    if (open && open[1] === version - 1) open[1] = version;
    else found.push([version, version]);
  }
  return found;
}
