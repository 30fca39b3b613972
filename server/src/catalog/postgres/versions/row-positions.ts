import type { RowPositions } from '../../../ports/catalog/versions.ts';
import type { Sql, Transaction } from '../../../postgres/database.ts';
import type { EndedVersion } from '../../rules/ended-versions.ts';
import {
  type LineageRow,
  lineageMax,
  type PositionRow,
  positionsMax,
  rowsBetween,
} from '../../rules/row-range.ts';
import type { Names } from './names.ts';

interface FoundRow {
  readonly read: PositionRow | null;
  readonly lineage: readonly LineageRow[];
  readonly after: PositionRow | null;
  readonly until: PositionRow | null;
  readonly earliest: number | null;
}

const runOf = (version: string) => `
  SELECT first, base FROM version_runs WHERE name_id = $1 AND first <= ${version} ORDER BY first DESC LIMIT 1`;
const position = `json_build_object('version', version, 'version_id', version_id, 'rows', rows)`;
const positionOf = (version: string) =>
  `SELECT ${position} FROM positions WHERE name_id = $1 AND version = ${version}`;

/** Where versions end, and which of them begin with the rows of others. A trigger adds both with each version. */
export class RowPositionTable {
  readonly #names: Names;

  constructor(names: Names) {
    this.#names = names;
  }

  async rowPositions(
    sql: Sql,
    tenant: string,
    name: string,
    after: number,
    until: number | null,
    now: number,
  ): Promise<RowPositions> {
    const row = await this.#names.requireLive(sql, tenant, name, now);
    const found = await findPositions(sql, row.id, after, until, row.newest);
    // Another node has made it the newest no longer, and ended it.
    if (found?.read == null) return this.rowPositions(sql, tenant, name, after, until, now);
    const rows = rowsBetween(
      { after, until },
      {
        name: row,
        read: found.read,
        lineage: found.lineage,
        after: found.after ?? undefined,
        until: found.until ?? undefined,
        earliest: found.earliest,
      },
    );
    if (rows === null) throw await this.#names.versionAbsence(sql, row, until ?? row.newest, now);
    return rows;
  }

  /** After these versions of a name that is locked have gone: runs of versions that no kept one goes back to are forgotten, and what is too old. */
  forgetUnneeded(sql: Transaction, nameId: number, ended: readonly EndedVersion[]): void {
    sql.send('SELECT forget_positions($1, $2::bigint[], $3)', [
      nameId,
      ended.map(({ version }) => version),
      positionsMax,
    ]);
  }
}

/** In one statement, so that all of it is of one moment. */
function findPositions(
  sql: Sql,
  nameId: number,
  after: number,
  until: number | null,
  newest: number,
): Promise<FoundRow | undefined> {
  return sql.first<FoundRow>(
    `WITH RECURSIVE read AS MATERIALIZED (
      SELECT version, version_id, rows FROM versions WHERE name_id = $1 AND version IN ($3::bigint, $4::bigint)
      ORDER BY version = coalesce($3::bigint, $4::bigint) DESC LIMIT 1),
    lineage (version, first, base, steps) AS (
      SELECT v.version, r.first, r.base, 1 FROM read v CROSS JOIN LATERAL (${runOf('v.version')}) r
      UNION ALL
      SELECT l.base, r.first, r.base, l.steps + 1 FROM lineage l CROSS JOIN LATERAL (${runOf('l.base')}) r
      WHERE l.first > $2::bigint AND l.steps < ${lineageMax}),
    oldest AS (SELECT version, first FROM lineage ORDER BY first LIMIT 1)
    SELECT (SELECT ${position} FROM read) AS read,
      ARRAY(SELECT json_build_object('version', version, 'first', first, 'base', base) FROM lineage ORDER BY first DESC) AS lineage,
      (${positionOf('$2')}) AS after, (${positionOf('$3')}) AS until,
      (SELECT min(p.version) FROM oldest o JOIN positions p ON p.name_id = $1 AND p.version BETWEEN o.first AND o.version)
        AS earliest`,
    [nameId, after, until, newest],
  );
}
