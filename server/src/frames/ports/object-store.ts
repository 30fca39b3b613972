import type { StoredObject } from '../version.ts';

/**
 * Immutable objects under keys that are ids: `<tenant>/<part id>.arrow`, `<tenant>/<part id>.<n>.parquet`.
 * Bytes are staged in a local file first and become an object when published; readers get a local path.
 */
export interface ObjectStore {
  /** A new empty local file, in the filesystem in which an object with this key ends. */
  stage(key: string): Promise<StagedFile>;
  /** Makes the staged bytes durable under its key. The staged file is used up. */
  publish(staged: StagedFile): Promise<void>;
  /** A path on this machine that holds the object's bytes. frame data that is missing is an `internal` error. */
  localPath(key: string): Promise<string>;
  /** Removes the object; nothing happens where it does not exist. */
  remove(key: string): Promise<void>;
  /** Every object's key, in pages of a bounded size. */
  list(): AsyncIterable<readonly string[]>;
  /** A directory for scratch files in the filesystem in which an object with this key ends; a start sweeps what was left in it. */
  scratchDirectory(key: string): string;
  /** Makes a finished file from that scratch directory, already synced to the disk, the object with this key. */
  adopt(path: string, key: string): Promise<void>;
  /** Reads whole objects and compares size and SHA-256, off the main thread; answers those that are not what they were. */
  verify(objects: readonly StoredObject[], options: VerifyOptions): Promise<readonly ObjectFault[]>;
  /** Bytes that can still be written where an object with this key ends. */
  freeBytes(key: string): Promise<number>;
  close(): Promise<void>;
}

export interface VerifyOptions {
  /** null: at once, because somebody waits. Else in the background, at low priority and at most so fast. */
  readonly bytesPerSecond: number | null;
  readonly signal: AbortSignal;
}

export interface ObjectFault {
  readonly key: string;
  readonly kind: 'missing' | 'wrong-size' | 'corrupt' | 'unreadable';
  readonly detail: string;
}

/** A file being written, append-only, by one writer. */
export interface StagedFile {
  readonly key: string;
  readonly path: string;
  /** Bytes written so far, in order: every byte below this number can be read from the path. */
  readonly bytesWritten: number;
  /** Resolves when the bytes are in the file. The caller leaves the buffers alone until then. */
  write(buffers: readonly Uint8Array[]): Promise<void>;
  /** Everything written is on the disk. */
  sync(): Promise<void>;
  /** Closes and removes the file. Safe after publish, where it does nothing. */
  discard(): Promise<void>;
}
