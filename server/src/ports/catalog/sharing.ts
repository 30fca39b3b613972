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
  /** Records a link that was signed, to a kept version of a live name, which it pins. bad_request if too many are in force. */
  addLink(link: LinkRecord, now: number): Promise<void>;
  /** The links in force to the kept versions of a live name, newest first. They are at most a thousand. */
  links(tenant: string, name: string, now: number): Promise<readonly LinkRecord[]>;
  /** Ends a link to this live name; safe to repeat. link_not_found if there is none with this id. */
  revokeLink(tenant: string, name: string, id: string, now: number): Promise<LinkRecord>;
  /** Whether the link was recorded and not revoked. One that has expired may be forgotten. */
  isLinkInForce(id: string): Promise<boolean>;
  /** Tenants that have or had frames, sorted by name, after `after`, with how much they hold and share. */
  tenants(after: string, limit: number): Promise<readonly TenantHolding[]>;
  /** What is stored for a tenant, dropped frames that can be undropped included. Of so many objects at most. */
  storedBytes(tenant: string, objectsMax: number): Promise<StoredBytes>;
  /** With whom a tenant shares frames, and who shares with it: each other tenant once, at most a thousand of either. */
  tenantShares(tenant: string): Promise<TenantShares>;
}

export interface SharedPage<Schemas extends boolean = false> extends SchemasOption<Schemas> {
  /** The page begins after this one. */
  readonly after: { readonly tenant: string; readonly name: string } | null;
  readonly limit: number;
}

/** What is kept of a link. The link itself, a credential, is not. */
export interface LinkRecord {
  readonly id: string;
  readonly tenant: string;
  readonly name: string;
  readonly version: number;
  /** Of the name, as in `VersionRecord`. A link to an earlier incarnation is not in force. */
  readonly incarnation: number;
  readonly createdAt: number;
  /** The name of the caller. */
  readonly createdBy: string;
  readonly expiresAt: number;
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

/** Bytes of the objects of a tenant, by their form. */
export interface StoredBytes {
  readonly arrow: number;
  readonly parquet: number;
  /** Whether all objects were counted. */
  readonly isWhole: boolean;
}
