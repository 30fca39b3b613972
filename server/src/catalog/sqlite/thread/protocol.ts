import type { CompactionLimits } from '../../../model/compaction-runs.ts';
import type { ErrorPayload } from '../../../model/errors.ts';
import type { ExpectedVersion } from '../../../model/expected-version.ts';
import type { Catalog } from '../../../ports/catalog/catalog.ts';
import type { SharedPage } from '../../../ports/catalog/sharing.ts';
import type { ListPage, Restore, Undrop, VersionsPage } from '../../../ports/catalog/versions.ts';

import type { CompactionStep, SweepStep, WireCommit, WireCommitted, WireRestored } from '../../wire.ts';
import type { Packed, TupleUndropped, TupleVersions } from './record-tuples.ts';

/** Messages between the main thread and the catalog's thread. */

/** Operations whose messages differ from the port's signatures. */
interface WireOperations {
  resolve(tenant: string, name: string, version: number | null, now: number): TupleVersions;
  list(tenant: string, page: ListPage<boolean>, now: number): TupleVersions;
  versions(tenant: string, name: string, page: VersionsPage<boolean>, now: number): TupleVersions;
  shared(reader: string, page: SharedPage<boolean>, now: number): TupleVersions;
  replay(
    tenant: string,
    key: string,
    fingerprint: string,
    now: number,
    body?: string,
  ): Packed<WireCommitted> | null;
  commit(change: WireCommit): Packed<WireCommitted>;
  restore(change: Restore): Packed<WireRestored>;
  expire(
    tenant: string,
    name: string,
    expiresAt: number | null,
    now: number,
    ifVersion: ExpectedVersion | null,
  ): TupleVersions;
  keepVersions(
    tenant: string,
    name: string,
    versionsKeep: number | null,
    now: number,
    ifVersion: ExpectedVersion | null,
  ): TupleVersions;
  undrop(change: Undrop): TupleUndropped;
  compactable(limits: CompactionLimits, now: number): CompactionStep;
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
