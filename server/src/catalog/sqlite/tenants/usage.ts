import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { FrameholdError } from '../../../frames/errors.ts';
import type { TenantQuota, TenantUsage } from '../../../frames/ports/catalog/versions.ts';

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
    const { frames, bytes } = this.usage(tenant);
    if (created && quota.framesMax !== null && frames > quota.framesMax)
      throw quotaExceeded(`${quota.framesMax} frames`, 'frames_max');
    if (quota.bytesMax !== null && bytes > quota.bytesMax)
      throw quotaExceeded(`${quota.bytesMax} bytes`, 'bytes_max');
  }
}

function quotaExceeded(limit: string, setting: string): FrameholdError {
  return new FrameholdError('quota_exceeded', `The tenant may hold ${limit}, and would hold more.`, {
    hint: `Drop frames with purge, drop versions, or let them expire. The limit is tenant.${setting}.`,
  });
}
