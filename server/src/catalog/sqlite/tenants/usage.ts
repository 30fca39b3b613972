import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { TenantQuota, TenantUsage } from '../../../frames/ports/catalog/versions.ts';
import { checkQuota } from '../../quota.ts';

/** Its methods that are operations of the catalog. */
export const usageOperations = {
  reads: ['usage'],
  writes: [],
} as const;

/** What each tenant holds, counted by the database itself as names and parts come and go. */
export class Usage {
  readonly #find: StatementSync;

  constructor(db: DatabaseSync) {
    this.#find = db.prepare('SELECT frames, bytes FROM tenants WHERE tenant = ?');
  }

  usage(tenant: string): TenantUsage {
    const row = this.#find.get(tenant) as TenantUsage | undefined;
    return { frames: row?.frames ?? 0, bytes: row?.bytes ?? 0 };
  }

  /** After the change, in its transaction: if it throws, nothing was changed. */
  check(tenant: string, quota: TenantQuota, created: boolean): void {
    checkQuota(this.usage(tenant), quota, created);
  }
}
