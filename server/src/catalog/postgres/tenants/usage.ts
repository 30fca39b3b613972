import type { FrameholdError } from '../../../model/errors.ts';
import type { TenantQuota } from '../../../model/limits/tenant-limit-values.ts';
import type { StoredBytes } from '../../../ports/catalog/sharing.ts';
import type { TenantUsage } from '../../../ports/catalog/versions.ts';
import type { Sql, Transaction } from '../../../postgres/database.ts';
import { bytesExceeded, framesExceeded } from '../../rules/quota.ts';
import { keysOf, type StoredRow, storedBytes, storedColumns } from '../../stored-bytes.ts';

/** SQLSTATE of a change above the quota. */
const framesState = 'FH001';
const bytesState = 'FH002';

/** What each tenant holds, counted by the database itself as names and parts come and go. */
export class Usage {
  async usage(sql: Sql, tenant: string): Promise<TenantUsage> {
    const row = await sql.first<TenantUsage>('SELECT frames, bytes FROM tenants WHERE tenant = $1', [tenant]);
    return { frames: row?.frames ?? 0, bytes: row?.bytes ?? 0 };
  }

  async storedBytes(sql: Sql, tenant: string, objectsMax: number): Promise<StoredBytes> {
    const row = await sql.first<StoredRow>(
      `SELECT ${storedColumns} FROM (SELECT key, bytes FROM objects WHERE key > $1 AND key < $2 LIMIT $3) o`,
      [...keysOf(tenant), objectsMax],
    );
    return storedBytes(row ?? { objects: 0, parquet: 0, bytes: 0 }, objectsMax);
  }

  /**
   * After the change, in its transaction: if it throws, nothing was changed. The change has counted itself in the tenant's row and so holds its
   * lock: no other one can be counted in between. The database refuses it, with one of the states below, so that nothing waits for the answer.
   */
  check(sql: Transaction, tenant: string, { framesMax, bytesMax }: TenantQuota, created: boolean): void {
    sql.send('SELECT check_quota($1, $2, $3)', [tenant, created ? framesMax : null, bytesMax]);
  }
}

/** What `check` has refused, as the caller is told. null for any other error. */
export function quotaRefusal(error: unknown, quota: TenantQuota): FrameholdError | null {
  const { code } = error as { code?: unknown };
  if (code === framesState) return framesExceeded(quota.framesMax ?? 0);
  return code === bytesState ? bytesExceeded(quota.bytesMax ?? 0) : null;
}
