import type { PartRecord } from '../model/version.ts';
import type { Commit } from '../ports/catalog/versions.ts';
import type { RecordRow } from './record-rows.ts';

/** Changes and answers with schemas as they are in tables. */

/** Columns as JSON text: parsed on the main thread, and only if the schema is not known there yet. */
export interface WireSchema {
  readonly hash: string;
  readonly message: Uint8Array;
  readonly columns: string;
}

/** Each schema of the records once; none if they were not requested. */
export interface FoundVersions {
  readonly records: readonly RecordRow[];
  readonly schemas: readonly WireSchema[];
}

export type WireCommit = Omit<Commit, 'schema'> & { readonly schema: WireSchema };

export interface WireCommitted {
  readonly record: RecordRow;
  readonly created: boolean;
  /** Only for a replay: its columns as JSON, which may be others than the change's. */
  readonly replayedColumns: string | null;
  /** The rows of the part that the change has added. Absent for a restore, and for keys of older servers. */
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
  readonly found: FoundVersions;
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

export interface WireCompactionRun {
  readonly tenant: string;
  readonly schema: WireSchema;
  readonly parts: readonly PartRecord[];
}

export interface CompactionStep {
  readonly run: WireCompactionRun | null;
  /** There are more logs to examine. */
  readonly more: boolean;
}
