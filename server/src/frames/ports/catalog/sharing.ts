import type { Listed, SchemasOption, TenantUsage } from './versions.ts';

/** Who else may read a name, and what tenants hold. */
export interface SharingCatalog {
  /** The tenant `reader` may read this live name of `tenant` from now on, until it is unshared or the name ends; returns all readers. */
  share(tenant: string, name: string, reader: string, now: number): Promise<readonly string[]>;
  unshare(tenant: string, name: string, reader: string, now: number): Promise<readonly string[]>;
  shares(tenant: string, name: string, now: number): Promise<readonly string[]>;
  /** False also if there is no such name: callers without access do not learn whether it exists. */
  isShared(tenant: string, name: string, reader: string): Promise<boolean>;
  /** Live names of others that `reader` may read, with their newest versions, in order of their owners and names. */
  shared<Schemas extends boolean = false>(
    reader: string,
    page: SharedPage<Schemas>,
    now: number,
  ): Promise<readonly Listed<Schemas>[]>;
  /** Tenants that have or had frames, sorted by name, after `after`, with how much they hold and share. */
  tenants(after: string, limit: number): Promise<readonly TenantHolding[]>;
  /** With whom a tenant shares frames, and who shares with it: each other tenant once, at most a thousand of either. */
  tenantShares(tenant: string): Promise<TenantShares>;
}

export interface SharedPage<Schemas extends boolean = false> extends SchemasOption<Schemas> {
  /** The page begins after this one. */
  readonly after: { readonly tenant: string; readonly name: string } | null;
  readonly limit: number;
}

/** What a tenant holds, and how often a frame of its own is shared with another, or one of another with it. */
export interface TenantHolding extends TenantUsage {
  readonly tenant: string;
  readonly sharesGiven: number;
  readonly sharesReceived: number;
}

/** How many frames are shared with, or by, each other tenant. */
export interface TenantShares {
  readonly given: readonly SharedCount[];
  readonly received: readonly SharedCount[];
}

export interface SharedCount {
  readonly tenant: string;
  readonly frames: number;
}
