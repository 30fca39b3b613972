import type { Caller } from './caller.ts';
import type { SharedCount } from './ports/catalog.ts';
import type { TenantLimitValues } from './tenant-limit-values.ts';
import type { TenantActivity } from './tenant-limits.ts';

/** Tenants as an operator sees them: how much each uses, and never what. */
export interface Tenants {
  /** By name, behind `after`. */
  list(caller: Caller, after: string, limit: number): Promise<readonly TenantSummary[]>;
  /** Any valid name: a tenant exists as soon as a credential names it. */
  show(caller: Caller, tenant: string): Promise<TenantDetail>;
  /** The caller's own. */
  own(caller: Caller): Promise<TenantDetail>;
}

export interface TenantSummary {
  readonly tenant: string;
  readonly frames: number;
  readonly bytes: number;
  readonly activity: TenantActivity;
  readonly sharesGiven: number;
  readonly sharesReceived: number;
  /** Those in force. */
  readonly limits: TenantLimitValues;
}

export interface TenantDetail extends TenantSummary {
  readonly sharedWith: readonly SharedCount[];
  readonly sharedBy: readonly SharedCount[];
}
