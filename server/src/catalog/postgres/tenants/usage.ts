import type { TenantQuota, TenantUsage } from '../../../frames/ports/catalog/versions.ts';
import type { Sql, Transaction } from '../../../postgres/database.ts';
import { checkQuota } from '../../quota.ts';

/** What each tenant holds, counted by the database itself as names and parts come and go. */
export class Usage {
  async usage(sql: Sql, tenant: string): Promise<TenantUsage> {
    const row = await sql.first<TenantUsage>('SELECT frames, bytes FROM tenants WHERE tenant = $1', [tenant]);
    return { frames: row?.frames ?? 0, bytes: row?.bytes ?? 0 };
  }

  /**
   * After the change, in its transaction: if it throws, nothing was changed. The change has counted itself in the tenant's row and so holds its
   * lock: no other one can be counted in between.
   */
  async check(sql: Transaction, tenant: string, quota: TenantQuota, created: boolean): Promise<void> {
    checkQuota(await this.usage(sql, tenant), quota, created);
  }
}
