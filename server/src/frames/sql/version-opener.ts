import type { StoredObject, VersionRecord } from '../version.ts';

/** Opens the frames of a statement for one engine. */
export interface VersionOpener {
  open(record: VersionRecord, signal: AbortSignal): Promise<SettledVersion>;
}

/** The Parquet files of a version, in row order; they stay until `release`. */
export interface SettledVersion {
  /** As the engine opens them. */
  readonly files: readonly string[];
  /** Those of them that are in the store: verified if reading fails. */
  readonly objects: readonly StoredObject[];
  release(): void;
}
