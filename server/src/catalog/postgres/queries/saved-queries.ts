import type { SavedLimits, SavedQuery } from '../../../ports/catalog/queries.ts';
import type { Sql, Transaction } from '../../../postgres/database.ts';
import { checkSaved, type SavedSize } from '../../rules/saved-queries.ts';
import { storable } from './storable-text.ts';

/** Statements that tenants have given a name. */
export class SavedQueries {
  async savedQueries(sql: Sql, tenant: string): Promise<readonly SavedQuery[]> {
    return sql.rows<SavedQuery>(
      `SELECT name, sql, saved_at AS "savedAt", saved_by AS "savedBy" FROM saved_queries WHERE tenant = $1 ORDER BY name`,
      [tenant],
    );
  }

  async saveQuery(
    sql: Transaction,
    tenant: string,
    { name, sql: text, savedAt, savedBy }: SavedQuery,
    limits: SavedLimits,
  ): Promise<{ readonly isCreated: boolean }> {
    // One change of a tenant's saved queries at a time: else two of them, on two nodes, could exceed the limits together.
    sql.send(`SELECT pg_advisory_xact_lock(hashtextextended('saved_queries/' || $1, 0))`, [tenant]);
    const saved = await sql.first<{ is_created: boolean }>(
      `INSERT INTO saved_queries VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (tenant, name) DO UPDATE SET sql = excluded.sql, saved_at = excluded.saved_at, saved_by = excluded.saved_by
      RETURNING xmax = 0 AS is_created`,
      [tenant, name, storable(text), savedAt, savedBy],
    );
    const isCreated = saved?.is_created ?? false;
    const size = await sql.first<SavedSize>(
      `SELECT count(*) AS count, coalesce(sum(octet_length(name) + octet_length(sql)), 0) AS bytes
      FROM saved_queries WHERE tenant = $1`,
      [tenant],
    );
    // In the transaction of the change: if it throws, nothing was changed.
    checkSaved(size ?? { count: 0, bytes: 0 }, limits, isCreated);
    return { isCreated };
  }

  async removeQuery(sql: Transaction, tenant: string, name: string): Promise<boolean> {
    return (await sql.run('DELETE FROM saved_queries WHERE tenant = $1 AND name = $2', [tenant, name])) > 0;
  }
}
