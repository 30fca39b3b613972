import type { ErrorPayload } from '../../frames/errors.ts';
import type { MergeBounds } from '../../frames/merge-runs.ts';
import type { Damage, KnownDamage, ScrubState } from '../../frames/ports/catalog/integrity.ts';
import type { SharedPage, TenantHolding, TenantShares } from '../../frames/ports/catalog/sharing.ts';
import type {
  Commit,
  Drop,
  ListPage,
  NewPart,
  Restore,
  TenantUsage,
  Undrop,
  VersionsPage,
} from '../../frames/ports/catalog/versions.ts';
import type { Origin, PartForm, PartRecord, StoredObject } from '../../frames/version.ts';

/** What goes between the main thread and the catalog's thread. */

/** Columns as JSON text: parsed on the main thread, and only where the schema is not known there yet. */
export interface WireSchema {
  readonly hash: string;
  readonly message: Uint8Array;
  readonly columns: string;
}

/** A version record as a row: five times as fast through the port as an object. The order is also that of kept answers in the file. */
export type WireRecord = readonly [
  tenant: string,
  name: string,
  version: number,
  frameId: string,
  createdAt: number,
  expiresAt: number | null,
  rows: number,
  bytes: number,
  partCount: number,
  originKind: Origin['kind'],
  originFormat: string,
  schemaHash: string,
  /** As JSON: the query, or how a text was read. Answers that were kept before there were queries end before it. */
  originQuery?: string | null,
  /** These two as well: kept answers of older servers end before them. */
  restoredFrom?: number | null,
  life?: number,
];

export function schemaHashOf(record: WireRecord): string {
  return record[11];
}

export function originQueryOf(record: WireRecord): string | null {
  return record[12] ?? null;
}

export function restoredFromOf(record: WireRecord): number | null {
  return record[13] ?? null;
}

export function lifeOf(record: WireRecord): number {
  return record[14] ?? 0;
}

/** Each schema of the records once. */
export interface WireVersions {
  readonly records: readonly WireRecord[];
  readonly schemas: readonly WireSchema[];
}

export type WireCommit = Omit<Commit, 'schema'> & { readonly schema: WireSchema };

export interface WireCommitted {
  readonly record: WireRecord;
  readonly created: boolean;
  /** Only for a replay: its columns as JSON, which may be others than the change's. */
  readonly replayedColumns: string | null;
  /** The name in its life before, where that had expired and ended only now. */
  readonly expired: string | null;
  /** The change was made by an earlier try of the same attempt: the record may not be the newest any more. */
  readonly isRepeated?: true;
}

/** `schema` is null for a replay. */
export interface WireRestored extends WireCommitted {
  readonly schema: WireSchema | null;
}

export interface WireUndropped {
  readonly found: WireVersions;
  readonly expired: string | null;
}

export interface TouchedName {
  readonly tenant: string;
  readonly name: string;
}

export interface SweepStep {
  readonly expired: readonly TouchedName[];
  readonly pruned: readonly TouchedName[];
  /** There is more to sweep. */
  readonly more: boolean;
}

export interface WireMergeRun {
  readonly tenant: string;
  readonly schema: WireSchema;
  readonly parts: readonly PartRecord[];
}

export interface MergeStep {
  readonly run: WireMergeRun | null;
  /** There are more logs to look at. */
  readonly more: boolean;
}

export interface ReadOperations {
  resolve(tenant: string, name: string, version: number | null, now: number): WireVersions;
  parts(tenant: string, name: string, version: number): readonly PartRecord[];
  replay(tenant: string, key: string, fingerprint: string, now: number): WireCommitted | null;
  names(tenant: string, page: ListPage, now: number): readonly string[];
  list(tenant: string, page: ListPage, now: number): readonly WireRecord[];
  listWhole(tenant: string, page: ListPage, now: number): WireVersions;
  versions(tenant: string, name: string, page: VersionsPage, now: number): readonly WireRecord[];
  versionsWhole(tenant: string, name: string, page: VersionsPage, now: number): WireVersions;
  shares(tenant: string, name: string, now: number): readonly string[];
  isShared(tenant: string, name: string, reader: string): boolean;
  shared(reader: string, page: SharedPage, now: number): readonly WireRecord[];
  sharedWhole(reader: string, page: SharedPage, now: number): WireVersions;
  usage(tenant: string): TenantUsage;
  tenants(after: string, limit: number): readonly TenantHolding[];
  tenantShares(tenant: string): TenantShares;
  unsettled(limit: number, smallBefore: number): readonly PartRecord[];
  belowLevel(level: number, limit: number): readonly PartRecord[];
  unpacked(limit: number): readonly PartRecord[];
  arrowBytes(): number;
  evictable(limit: number): readonly PartRecord[];
  garbage(after: string | null, limit: number): readonly string[];
  known(keys: readonly string[]): readonly string[];
  objects(after: string | null, limit: number): readonly StoredObject[];
  knownDamage(): readonly KnownDamage[];
  scrubState(): ScrubState;
  integrity(): readonly string[];
  ping(): void;
}

export interface WriteOperations {
  commit(change: WireCommit): WireCommitted;
  expire(tenant: string, name: string, expiresAt: number | null, now: number): WireVersions;
  restore(change: Restore): WireRestored;
  drop(change: Drop): void;
  undrop(change: Undrop): WireUndropped;
  purge(tenant: string, name: string): number;
  releaseDropped(bytesWanted: number): TouchedName | null;
  share(tenant: string, name: string, reader: string, now: number): readonly string[];
  unshare(tenant: string, name: string, reader: string, now: number): readonly string[];
  addForm(partId: string, form: PartForm): boolean;
  refuseSettling(partId: string, reason: string): void;
  replaceForm(partId: string, before: readonly string[], form: PartForm, level: number): boolean;
  keepForm(partId: string, kind: PartForm['kind'], level: number): void;
  evict(partId: string): void;
  mergeable(bounds: MergeBounds): MergeStep;
  merge(partIds: readonly string[], part: NewPart, now: number): boolean;
  refuseMerging(partId: string, reason: string): void;
  sweep(versionsKeep: number, versionsSince: number | null, now: number): SweepStep;
  forget(keys: readonly string[]): void;
  markDamaged(key: string, fault: string, now: number): Damage | null;
  clearDamage(key: string): void;
  saveScrubState(state: ScrubState): void;
}

export type Operations = ReadOperations & WriteOperations;
export type OperationName = keyof Operations;

export interface OperationRequest {
  readonly id: number;
  readonly operation: OperationName;
  readonly args: readonly unknown[];
}

/** `taken` answers `heavy`. */
export type ToThread = readonly OperationRequest[] | 'taken' | 'close';

export type OperationAnswer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: ErrorPayload };

export type FromThread =
  | 'ready'
  | { readonly openFailed: ErrorPayload }
  /** The answers before this were large: nothing more comes until they are taken. */
  | 'heavy'
  /** In the order in which the operations took effect. */
  | readonly OperationAnswer[];
