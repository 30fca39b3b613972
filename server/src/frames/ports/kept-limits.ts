import type { LimitChanges, SetLimits } from '../limits/tenant-limit-values.ts';

/** Limits that were set for single tenants, kept over restarts. Asked with every request, so `of` answers at once. */
export interface KeptLimits {
  /** Those that were set; nothing else is in it. */
  of(tenant: string): SetLimits;
  /** Those that have any. */
  readonly tenants: Iterable<string>;
  /** Durable when it resolves. Answers what is set then. */
  set(tenant: string, changes: LimitChanges): Promise<SetLimits>;
}
