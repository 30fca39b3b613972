import type { Commit } from '../frames/ports/catalog/versions.ts';
import type { Origin, PartRecord } from '../frames/version.ts';

/** Records and answers as they are in tables: also those that a catalog keeps to answer a repeated change. */

/** Columns as JSON text: parsed on the main thread, and only if the schema is not known there yet. */
export interface WireSchema {
  readonly hash: string;
  readonly message: Uint8Array;
  readonly columns: string;
}

/** A version record as a row: five times as fast between threads as an object. The order is also that of kept answers. */
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
  /** These as well: kept answers of older servers end before them. */
  restoredFrom?: number | null,
  life?: number,
  versionId?: string,
  versionsKeep?: number | null,
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

/** Answers that were kept before versions had ids were given with that of their name. */
export function versionIdOf(record: WireRecord): string {
  return record[15] ?? record[3];
}

export function versionsKeepOf(record: WireRecord): number | null {
  return record[16] ?? null;
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
  /** As in Committed. */
  readonly added?: number;
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
