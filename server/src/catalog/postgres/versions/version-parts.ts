import { otherVersion } from '../../../model/other-version.ts';
import type { PartRecord } from '../../../model/version.ts';
import type { PartsBetween } from '../../../ports/catalog/versions.ts';
import type { Sql } from '../../../postgres/database.ts';
import type { NameRow } from '../../name-rows.ts';
import { frameNotFound } from '../../refusals.ts';
import { partColumns, type SelectedPart, selectedPart } from '../part-selection.ts';
import type { Names } from './names.ts';

/** The logs that a version reads, its own first: each with how many of its puts are the version's. */
const pieces = `
  WITH RECURSIVE version AS (
    SELECT v.name_id, v.log, v.part_count FROM names n JOIN versions v ON v.name_id = n.id
    WHERE n.tenant = $1 AND n.lower = $2 AND n.name = $3 AND v.version = $4
      AND v.version_id = coalesce($5, v.version_id)),
  pieces (name_id, log, count, depth) AS (
    SELECT name_id, log, part_count, 0 FROM version
    UNION ALL
    SELECT p.name_id, l.base_log, l.base_count, p.depth + 1
    FROM pieces p JOIN logs l ON l.name_id = p.name_id AND l.log = p.log)`;
const parts = 'pieces c JOIN parts p ON p.name_id = c.name_id AND p.log = c.log AND p.seq < c.count';

/** The parts of a version, through the logs that it reads. */
export class VersionParts {
  readonly #names: Names;

  constructor(names: Names) {
    this.#names = names;
  }

  async parts(
    sql: Sql,
    tenant: string,
    name: string,
    version: number,
    versionId?: string,
  ): Promise<PartRecord[]> {
    const rows = await sql.rows<SelectedPart>(
      `${pieces} SELECT ${partColumns} FROM ${parts} ORDER BY c.depth DESC, p.seq`,
      [tenant, name.toLowerCase(), name, version, versionId ?? null],
    );
    if (rows.length === 0) await this.#require(sql, tenant, name, version, versionId);
    return rows.map(selectedPart);
  }

  async partsBetween(
    sql: Sql,
    tenant: string,
    name: string,
    version: number,
    first: number,
    end: number,
    versionId?: string,
  ): Promise<PartsBetween> {
    // From the last part of each log that begins at or before the first row: what is before it costs nothing.
    const rows = await sql.rows<SelectedPart & { readonly first_row: number }>(
      `${pieces}
       SELECT ${partColumns}, p.first_row FROM pieces c
       CROSS JOIN LATERAL (SELECT coalesce(max(f.first_row), 0) AS row FROM parts f
         WHERE f.name_id = c.name_id AND f.log = c.log AND f.first_row <= $6) start
       CROSS JOIN LATERAL (SELECT * FROM parts p
         WHERE p.name_id = c.name_id AND p.log = c.log AND p.seq < c.count AND p.first_row >= start.row
           AND p.first_row < $7 AND p.first_row + p.rows > $6 AND $6::bigint < $7::bigint) p
       ORDER BY p.first_row, p.seq`,
      [tenant, name.toLowerCase(), name, version, versionId ?? null, first, end],
    );
    const [row] = rows;
    if (row === undefined) await this.#require(sql, tenant, name, version, versionId);
    return { rowsBefore: row?.first_row ?? 0, parts: rows.map(selectedPart) };
  }

  /** Nothing was found: an empty version, or none. */
  async #require(sql: Sql, tenant: string, name: string, version: number, versionId?: string): Promise<void> {
    const row: NameRow | undefined = await this.#names.find(sql, tenant, name);
    if (row?.name !== name) throw frameNotFound(name, version);
    const found = await sql.first<{ version_id: string }>(
      'SELECT version_id FROM versions WHERE name_id = $1 AND version = $2',
      [row.id, version],
    );
    if (!found) throw await this.#names.versionAbsence(sql, row, version, null);
    if (versionId !== undefined && versionId !== found.version_id) throw otherVersion(name, version);
  }
}
