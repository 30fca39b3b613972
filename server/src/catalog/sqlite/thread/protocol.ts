import type { ErrorPayload } from '../../../frames/errors.ts';
import type { MergeLimits } from '../../../frames/parts/merge-runs.ts';
import type { Catalog } from '../../../frames/ports/catalog/catalog.ts';
import type { SharedPage } from '../../../frames/ports/catalog/sharing.ts';
import type {
  Commit,
  ListPage,
  Restore,
  Undrop,
  VersionsPage,
} from '../../../frames/ports/catalog/versions.ts';
import type { Origin, PartRecord } from '../../../frames/version.ts';

/** Messages between the main thread and the catalog's thread. */

/** Columns as JSON text: parsed on the main thread, and only if the schema is not known there yet. */
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

/** Each schema of the records once; none if they were not requested. */
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
  /** The previous frame of this name, if it had expired and was ended only now. */
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
  /** There are more logs to examine. */
  readonly more: boolean;
}

/** Operations whose messages differ from the port's signatures. */
interface WireOperations {
  resolve(tenant: string, name: string, version: number | null, now: number): WireVersions;
  list(tenant: string, page: ListPage<boolean>, now: number): WireVersions;
  versions(tenant: string, name: string, page: VersionsPage<boolean>, now: number): WireVersions;
  shared(reader: string, page: SharedPage<boolean>, now: number): WireVersions;
  replay(tenant: string, key: string, fingerprint: string, now: number): WireCommitted | null;
  commit(change: WireCommit): WireCommitted;
  restore(change: Restore): WireRestored;
  expire(
    tenant: string,
    name: string,
    expiresAt: number | null,
    now: number,
    ifVersion: number | null,
  ): WireVersions;
  undrop(change: Undrop): WireUndropped;
  mergeable(limits: MergeLimits, now: number): MergeStep;
  sweep(versionsKeep: number, versionsSince: number | null, now: number): SweepStep;
}

type WireOperationName = keyof WireOperations;
type PlainOperationName = Exclude<keyof Catalog, WireOperationName | 'watchEvents' | 'close'>;

/** All others have the arguments and the answer of the port. */
type PlainOperations = {
  readonly [Name in PlainOperationName]: (
    ...args: Parameters<Catalog[Name]>
  ) => Awaited<ReturnType<Catalog[Name]>>;
};

export type Operations = WireOperations & PlainOperations;
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

/** In one message: a second one would wake the main thread once more for each change. */
export interface Answers {
  /** In the order in which the operations took effect. */
  readonly answers: readonly OperationAnswer[];
  /** They may have new events. */
  readonly changedTenants?: readonly string[];
}

export interface OperationNames {
  readonly reads: readonly OperationName[];
  readonly writes: readonly OperationName[];
}

export type FromThread =
  /** It is open, and these are its operations. */
  | OperationNames
  | { readonly openFailed: ErrorPayload }
  /** The previous answers were large: no more are sent until they are taken. */
  | 'heavy'
  | Answers;
