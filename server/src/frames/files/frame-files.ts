import type { Caller } from '../../model/caller.ts';
import type { Handle } from '../../model/handle.ts';
import type { VersionRecord } from '../../model/version.ts';
import type { ByteRange } from './file-pieces.ts';

/** Versions as Parquet files that can be read in pieces. */
export interface FrameFiles {
  /**
   * The file of a version. If it is not there, it is made first; file_not_ready if that takes long. not_representable if Parquet cannot hold the version.
   * The caller releases it.
   */
  open(caller: Caller, handle: Handle, signal: AbortSignal): Promise<FrameFile>;
}

export interface FrameFile {
  readonly record: VersionRecord;
  /** Equal only for the same bytes, on all nodes. Without quotation marks. */
  readonly etag: string;
  readonly bytes: number;
  /** Some of its bytes, in chunks. */
  read(range: ByteRange): AsyncIterable<Uint8Array>;
  /** Calling it again does nothing. */
  release(): void;
}
