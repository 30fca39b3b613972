import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { RowPositions } from '../../../ports/catalog/versions.ts';
import { type LineageRow, type PositionRow, positionsMax, rowsBetween } from '../../rules/row-range.ts';
import type { Names } from './names.ts';

/** Its methods that are operations of the catalog. */
export const rowPositionOperations = {
  reads: ['rowPositions'],
  writes: [],
} as const;

interface VersionRun {
  readonly first: number;
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
  readonly #unneeded: StatementSync;
  readonly #forgetRun: StatementSync;
  readonly #forgetPositions: StatementSync;
  readonly #forgetOld: StatementSync;

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
          JOIN version_runs r ON r.name_id = ?1 AND r.first = ${runOf('l.base')} WHERE l.first > ?3)
      SELECT version, first, base FROM lineage`);
    this.#earliest = db.prepare(`
      SELECT min(version) AS version FROM positions WHERE name_id = ? AND version BETWEEN ? AND ?`);
    this.#unneeded = db.prepare(`
      WITH RECURSIVE spans AS MATERIALIZED (
        SELECT first, base, lead(first, 1, 9007199254740991) OVER (ORDER BY first) AS next FROM version_runs
        WHERE name_id = ?1),
      needed (first, base) AS (
        SELECT first, base FROM spans s
          WHERE EXISTS (SELECT 1 FROM versions WHERE name_id = ?1 AND version >= s.first AND version < s.next)
            OR EXISTS (SELECT 1 FROM dropped_versions WHERE name_id = ?1 AND version >= s.first AND version < s.next)
        UNION SELECT s.first, s.base FROM needed n JOIN spans s ON n.base >= s.first AND n.base < s.next)
      SELECT first, next FROM spans WHERE first NOT IN (SELECT first FROM needed)`);
    this.#forgetRun = db.prepare('DELETE FROM version_runs WHERE name_id = ? AND first = ?');
    this.#forgetPositions = db.prepare(
      'DELETE FROM positions WHERE name_id = ? AND version >= ? AND version < ?',
    );
    this.#forgetOld = db.prepare(`
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

  /** After versions of the name have gone: runs of versions that no kept one goes back to are forgotten, and what is too old. */
  forgetUnneeded(nameId: number): void {
    for (const { first, next } of this.#unneeded.all(nameId) as unknown as VersionRun[]) {
      this.#forgetRun.run(nameId, first);
      this.#forgetPositions.run(nameId, first, next);
    }
    this.#forgetOld.run(nameId);
  }

  #positionOf(nameId: number, version: number): PositionRow | undefined {
    return this.#position.get(nameId, version) as PositionRow | undefined;
  }
}
