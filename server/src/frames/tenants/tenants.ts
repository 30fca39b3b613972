import type { Caller } from '../../model/caller.ts';
import type { SetLimits, TenantLimitValues } from '../../model/limits/tenant-limit-values.ts';
import type { SharedCount, StoredBytes } from '../../ports/catalog/sharing.ts';

/** Tenants as an operator sees them: how much each uses, and never what. */
export interface Tenants {
  /** Sorted by name, after `after`. */
  list(caller: Caller, after: string, limit: number): Promise<readonly TenantSummary[]>;
  /** Any valid name: a tenant exists as soon as a credential names it. */
  show(caller: Caller, tenant: string): Promise<TenantDetail>;
  /** The caller's own. */
  own(caller: Caller): Promise<TenantDetail>;
  /** Sets limits, or restores the server's with null. They apply at once and are kept. bad_request for invalid values. */
  setLimits(caller: Caller, tenant: string, given: Readonly<Record<string, unknown>>): Promise<TenantDetail>;
}

/** What a tenant does now, and its requests since the server started. Statements are those of all nodes, the rest is of this one. */
interface TenantActivity {
  readonly requests: number;
  readonly requestsRefused: number;
  readonly queries: number;
  readonly streams: number;
}

export interface TenantSummary {
  readonly tenant: string;
  readonly frames: number;
  readonly bytes: number;
  readonly activity: TenantActivity;
  /** The node that answers; null on a server alone. */
  readonly node: string | null;
  readonly sharesGiven: number;
  readonly sharesReceived: number;
  /** Those in force. */
  readonly limits: TenantLimitValues;
  /** Those of them that were set for this tenant. */
  readonly limitsSet: SetLimits;
}

export interface TenantDetail extends TenantSummary {
  /** Held only because it is pinned. Without names: an operator sees none. */
  readonly pinned: { readonly versions: number; readonly bytes: number };
  readonly stored: StoredBytes;
  readonly sharedWith: readonly SharedCount[];
  readonly sharedBy: readonly SharedCount[];
}
