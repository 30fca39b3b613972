import type { TenantUsage } from '../../../ports/catalog/versions.ts';
import type { Database } from '../../../postgres/database.ts';

/** What each tenant holds, for a command that opens no catalog. */
export async function readUsage(database: Database): Promise<ReadonlyMap<string, TenantUsage>> {
  const rows = await database.read((sql) =>
    sql.rows<TenantUsage & { readonly tenant: string }>('SELECT tenant, frames, bytes FROM tenants'),
  );
  return new Map(rows.map(({ tenant, frames, bytes }) => [tenant, { frames, bytes }]));
}
