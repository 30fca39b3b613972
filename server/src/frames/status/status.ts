import type { Caller } from '../../model/caller.ts';
import type { EngineName } from '../../model/engine-name.ts';
import type { TenantLimitValues } from '../../model/limits/tenant-limit-values.ts';
import type { TranscodingBacklog } from '../../ports/catalog/maintenance.ts';
import type { PinnedHolding } from '../../ports/catalog/pins.ts';

/** What a caller can know about the server, and about its own tenant. */
export interface Status {
  read(caller: Caller): Promise<ServerStatus>;
}

export interface ServerStatus {
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** The command that closes the server; null if it is not open to everybody. */
  readonly closeCommand: string | null;
  /** An external database is configured. */
  readonly hasUpstream: boolean;
  /** What can run the statements of the caller's tenant, the default first. */
  readonly engines: readonly EngineName[];
  /** null if the caller may not read. */
  readonly tenant: TenantStatus | null;
}

export interface TenantStatus {
  readonly frames: number;
  readonly bytes: number;
  readonly pinned: PinnedHolding;
  readonly limits: TenantLimitValues;
  readonly settling: TranscodingBacklog;
  readonly statements: { readonly waiting: number; readonly running: number };
}
