import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { TenantQuota } from '../../../model/limits/tenant-limit-values.ts';
import type { StoredBytes } from '../../../ports/catalog/sharing.ts';
import type { TenantUsage } from '../../../ports/catalog/versions.ts';
import { checkQuota } from '../../rules/quota.ts';
import { keysOf, type StoredRow, storedBytes, storedColumns } from '../../stored-bytes.ts';

/** Its methods that are operations of the catalog. */
export const usageOperations = {
  reads: ['usage', 'storedBytes'],
  writes: [],
} as const;

/** What each tenant holds, counted by the database itself as names and parts come and go. */
export class Usage {
  readonly #find: StatementSync;
  readonly #stored: StatementSync;

  constructor(db: DatabaseSync) {
    this.#find = db.prepare('SELECT frames, bytes FROM tenants WHERE tenant = ?');
    this.#stored = db.prepare(
      `SELECT ${storedColumns} FROM (SELECT key, bytes FROM objects WHERE key > ? AND key < ? LIMIT ?)`,
    );
  }

  usage(tenant: string): TenantUsage {
    const row = this.#find.get(tenant) as TenantUsage | undefined;
    return { frames: row?.frames ?? 0, bytes: row?.bytes ?? 0 };
  }

  storedBytes(tenant: string, objectsMax: number): StoredBytes {
    return storedBytes(this.#stored.get(...keysOf(tenant), objectsMax) as unknown as StoredRow, objectsMax);
  }

  /** After the change, in its transaction: if it throws, nothing was changed. */
  check(tenant: string, quota: TenantQuota, created: boolean): void {
    checkQuota(this.usage(tenant), quota, created);
  }
}
