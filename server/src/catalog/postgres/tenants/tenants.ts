import type { SharedCount, TenantHolding, TenantShares } from '../../../ports/catalog/sharing.ts';
import type { Sql } from '../../../postgres/database.ts';

/** Of the tenants that one shares with: as many as a single frame can be shared with. */
const othersMax = 1_000;

const live = 'FROM shares s JOIN names n ON n.id = s.name_id WHERE n.newest IS NOT NULL';

/** All tenants, for an operator. Shares are counted by going through all of them once: an operator asks now and then. */
export class Tenants {
  async tenants(sql: Sql, after: string, limit: number): Promise<TenantHolding[]> {
    return sql.rows<TenantHolding>(
      `WITH page AS MATERIALIZED (
        SELECT tenant, frames, bytes FROM tenants WHERE tenant > $1 ORDER BY tenant LIMIT $2),
      given AS (
        SELECT n.tenant, count(*) AS frames ${live} AND n.tenant IN (SELECT tenant FROM page) GROUP BY n.tenant),
      received AS (
        SELECT s.tenant, count(*) AS frames ${live} AND s.tenant IN (SELECT tenant FROM page) GROUP BY s.tenant)
      SELECT page.tenant, page.frames, page.bytes,
        coalesce(given.frames, 0) AS "sharesGiven", coalesce(received.frames, 0) AS "sharesReceived"
      FROM page LEFT JOIN given USING (tenant) LEFT JOIN received USING (tenant) ORDER BY page.tenant`,
      [after, limit],
    );
  }

  async tenantShares(sql: Sql, tenant: string): Promise<TenantShares> {
    const given = await sql.rows<SharedCount>(
      `SELECT s.tenant, count(*) AS frames ${live} AND n.tenant = $1
      GROUP BY s.tenant ORDER BY s.tenant LIMIT ${othersMax}`,
      [tenant],
    );
    const received = await sql.rows<SharedCount>(
      `SELECT n.tenant, count(*) AS frames ${live} AND s.tenant = $1
      GROUP BY n.tenant ORDER BY n.tenant LIMIT ${othersMax}`,
      [tenant],
    );
    return { given, received };
  }
}
