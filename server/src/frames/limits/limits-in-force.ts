import {
  quotaOf,
  type SetLimits,
  type TenantLimitValues,
  type TenantQuota,
} from '../../model/limits/tenant-limit-values.ts';
import type { StoredLimits } from '../../ports/stored-limits.ts';

/** The limits of each tenant at this moment: those that were set for it, and else the server's. */
export class LimitsInForce {
  readonly #kept: StoredLimits;
  #serverLimits: TenantLimitValues;

  constructor(serverLimits: TenantLimitValues, kept: StoredLimits) {
    this.#serverLimits = serverLimits;
    this.#kept = kept;
  }

  /** From now on these apply to tenants that have none of their own. */
  useServerLimits(limits: TenantLimitValues): void {
    this.#serverLimits = limits;
  }

  readonly of = (tenant: string): TenantLimitValues => {
    const set = this.#kept.of(tenant);
    // Asked with every request, and hardly any tenant has its own.
    for (const _ in set) return { ...this.#serverLimits, ...set };
    return this.#serverLimits;
  };

  readonly quotaOf = (tenant: string): TenantQuota | null => quotaOf(this.of(tenant));

  setFor(tenant: string): SetLimits {
    return this.#kept.of(tenant);
  }
}
