import type { LimitChanges, SetLimits } from '../model/limits/tenant-limit-values.ts';

/** Limits that were set for single tenants, kept across restarts. Called for every request, so `of` answers at once. */
export interface StoredLimits {
  /** Only those that were set. */
  of(tenant: string): SetLimits;
  /** Those that have any. */
  readonly tenants: Iterable<string>;
  /** Durable when it resolves. Returns what is set then. */
  set(tenant: string, changes: LimitChanges): Promise<SetLimits>;
}
