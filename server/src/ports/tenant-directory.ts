import type { LimitChanges, SetLimits, TenantLimitValues } from '../model/limits/tenant-limit-values.ts';

/** A tenant as the command line shows it. */
export interface ListedTenant {
  readonly tenant: string;
  readonly frames: number;
  readonly bytes: number;
  /** Those in force, if the server runs with the same settings. */
  readonly limits: TenantLimitValues;
  readonly limitsSet: SetLimits;
}

/** The tenants of a data directory or of a shared catalog. */
export interface TenantDirectory {
  /** By name. */
  list(): Promise<readonly ListedTenant[]>;
  show(tenant: string): Promise<ListedTenant>;
  /** Durable when it resolves. */
  set(tenant: string, changes: LimitChanges): Promise<void>;
  close(): Promise<void>;
}
