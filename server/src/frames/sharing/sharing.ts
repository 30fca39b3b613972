import type { Caller } from '../../model/caller.ts';
import { formatHandle, type Handle } from '../../model/handle.ts';
import type { VersionRecord } from '../../model/version.ts';
import type { LinkRecord, SharedPage } from '../../ports/catalog/sharing.ts';
import type { Listed } from '../../ports/catalog/versions.ts';

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
  /** Links in force, newest first. */
  links(caller: Caller, name: string, signal: AbortSignal): Promise<readonly LinkRecord[]>;
  /** Revokes one link: its next use is refused. */
  unlink(caller: Caller, name: string, id: string, signal: AbortSignal): Promise<void>;
  link(caller: Caller, handle: Handle, ttlMs: number, signal: AbortSignal): Promise<SignedLink>;
}

export interface SignedLink {
  readonly record: VersionRecord;
  /** To list and revoke it. No secret. */
  readonly id: string;
  /** A credential: its holder can read. */
  readonly link: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** A link as lists show it: without what makes it a credential. */
export function linkEntryOf({ id, name, version, createdAt, createdBy, expiresAt }: LinkRecord): object {
  return {
    id,
    handle: formatHandle(name, version),
    createdAt: new Date(createdAt).toISOString(),
    createdBy,
    expiresAt: new Date(expiresAt).toISOString(),
  };
}
