import type { Caller } from '../access/caller.ts';
import type { Handle } from '../handle.ts';
import type { SharedPage } from '../ports/catalog/sharing.ts';
import type { Listed } from '../ports/catalog/versions.ts';
import type { VersionRecord } from '../version.ts';

/** Read access for others: a share for another tenant, until the name ends; a link for its holder, to one version for a limited time. */
export interface Sharing {
  /** Returns all tenants that may read it. */
  share(caller: Caller, name: string, tenant: string, signal: AbortSignal): Promise<readonly string[]>;
  unshare(caller: Caller, name: string, tenant: string, signal: AbortSignal): Promise<readonly string[]>;
  shares(caller: Caller, name: string, signal: AbortSignal): Promise<readonly string[]>;
  /** What other tenants share with the caller's. */
  sharedWithMe<Schemas extends boolean = false>(
    caller: Caller,
    page: SharedPage<Schemas>,
    signal: AbortSignal,
  ): Promise<readonly Listed<Schemas>[]>;
  link(caller: Caller, handle: Handle, ttlMs: number, signal: AbortSignal): Promise<SignedLink>;
}

export interface SignedLink {
  readonly record: VersionRecord;
  /** A credential: its holder can read. */
  readonly link: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}
