import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { RowPositions } from '../../../ports/catalog/versions.ts';
import type { EndedVersion } from '../../rules/ended-versions.ts';
import {
  type LineageRow,
  lineageMax,
  type PositionRow,
  positionsMax,
  rowsBetween,
} from '../../rules/row-range.ts';
import type { Names } from './names.ts';

/** Its methods that are operations of the catalog. */
export const rowPositionOperations = {
  reads: ['rowPositions'],
  writes: [],
} as const;

interface VersionRun {
  readonly first: number;
  readonly base: number | null;
  /** The first version of the next one. */
  readonly next: number;
}

/** Where versions end, and which of them begin with the rows of others. A trigger adds both with each version. */
export class RowPositionTable {
  readonly #names: Names;
  readonly #version: StatementSync;
  readonly #position: StatementSync;
  readonly #lineage: StatementSync;
  readonly #earliest: StatementSync;
  readonly #run: StatementSync;
  readonly #isNeeded: StatementSync;
  readonly #forgetRun: StatementSync;
  readonly #forgetPositions: StatementSync;
  readonly #forgetOldRuns: StatementSync;
  readonly #forgetOldPositions: StatementSync;

  constructor(db: DatabaseSync, names: Names) {
    this.#names = names;
    this.#version = db.prepare(
      'SELECT version, version_id, rows FROM versions WHERE name_id = ? AND version = ?',
    );
    this.#position = db.prepare(
      'SELECT version, version_id, rows FROM positions WHERE name_id = ? AND version = ?',
    );
    const runOf = (version: string) =>
      `(SELECT max(first) FROM version_runs WHERE name_id = ?1 AND first <= ${version})`;
    this.#lineage = db.prepare(`
      WITH RECURSIVE lineage (version, first, base) AS (
        SELECT ?2, first, base FROM version_runs WHERE name_id = ?1 AND first = ${runOf('?2')}
        UNION ALL
        SELECT l.base, r.first, r.base FROM lineage l
          JOIN version_runs r ON r.name_id = ?1 AND r.first = ${runOf('l.base')} WHERE l.first > ?3
        LIMIT ${lineageMax})
      SELECT version, first, base FROM lineage`);
    this.#earliest = db.prepare(`
      SELECT min(version) AS version FROM positions WHERE name_id = ? AND version BETWEEN ? AND ?`);
    this.#run = db.prepare(`
      SELECT first, base,
        ifnull((SELECT min(first) FROM version_runs WHERE name_id = ?1 AND first > r.first), 9007199254740991) AS next
      FROM version_runs r WHERE name_id = ?1 AND first = ${runOf('?2')}`);
    this.#isNeeded = db.prepare(`
      SELECT EXISTS (SELECT 1 FROM versions WHERE name_id = ?1 AND version >= ?2 AND version < ?3)
        OR EXISTS (SELECT 1 FROM dropped_versions WHERE name_id = ?1 AND version >= ?2 AND version < ?3)
        OR EXISTS (SELECT 1 FROM version_runs WHERE name_id = ?1 AND base >= ?2 AND base < ?3) AS needed`);
    this.#forgetRun = db.prepare('DELETE FROM version_runs WHERE name_id = ? AND first = ?');
    this.#forgetPositions = db.prepare(
      'DELETE FROM positions WHERE name_id = ? AND version >= ? AND version < ?',
    );
    // Never below a version that is kept, however old it is.
    this.#forgetOldRuns = db.prepare(`
      DELETE FROM version_runs WHERE name_id = ?1 AND first < ${runOf(`min(
        (SELECT next_version - ${positionsMax} FROM names WHERE id = ?1),
        (SELECT ifnull(min(version), 9007199254740991) FROM versions WHERE name_id = ?1),
        (SELECT ifnull(min(version), 9007199254740991) FROM dropped_versions WHERE name_id = ?1))`)}`);
    this.#forgetOldPositions = db.prepare(`
      DELETE FROM positions WHERE name_id = ?1
        AND version < (SELECT next_version - ${positionsMax} FROM names WHERE id = ?1)`);
  }

  rowPositions(tenant: string, name: string, after: number, until: number | null, now: number): RowPositions {
    const row = this.#names.requireLive(tenant, name, now);
    const kept = this.#version.get(row.id, until ?? row.newest) as PositionRow | undefined;
    const read = kept ?? (this.#version.get(row.id, row.newest) as unknown as PositionRow);
    const lineage = this.#lineage.all(row.id, read.version, after) as unknown as LineageRow[];
    const oldest = lineage.at(-1);
    const found = {
      name: row,
      read,
      lineage,
      after: this.#positionOf(row.id, after),
      until: until === null ? undefined : this.#positionOf(row.id, until),
      earliest:
        oldest === undefined
          ? null
          : (this.#earliest.get(row.id, oldest.first, oldest.version)?.version as number | null),
    };
    const rows = rowsBetween({ after, until }, found);
    if (rows === null) throw this.#names.versionAbsence(row, until ?? row.newest, now);
    return rows;
  }

  /** After these versions have gone: runs of versions that no kept one goes back to are forgotten, and what is too old. */
  forgetUnneeded(nameId: number, ended: readonly EndedVersion[]): void {
    const newestFirst = ended.map(({ version }) => version).sort((a, b) => b - a);
    let seen = Infinity;
    for (const version of newestFirst) {
      if (version < seen) seen = this.#forgetRunsFrom(nameId, version);
    }
    this.#forgetOldRuns.run(nameId);
    this.#forgetOldPositions.run(nameId);
  }

  /** The run of a version, if nothing needs it, and then the one that it continued. Returns the first version of the first one. */
  #forgetRunsFrom(nameId: number, ended: number): number {
    let version: number | null = ended;
    let seen: number | null = null;
    while (version !== null) {
      const run = this.#run.get(nameId, version) as unknown as VersionRun | undefined;
      if (run === undefined) break;
      seen ??= run.first;
      const { first, next, base } = run;
      if (Number(this.#isNeeded.get(nameId, first, next)?.needed) === 1) break;
      this.#forgetRun.run(nameId, first);
      this.#forgetPositions.run(nameId, first, next);
      version = base;
    }
    return seen ?? ended;
  }

  #positionOf(nameId: number, version: number): PositionRow | undefined {
    return this.#position.get(nameId, version) as PositionRow | undefined;
  }
}
