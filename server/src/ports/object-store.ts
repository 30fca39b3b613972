import type { StoredObject } from '../model/version.ts';

/**
 * Immutable objects under keys that are ids: `<tenant>/<attempt id>.arrow`, `<tenant>/<attempt id>.<n>.parquet`.
 * Bytes are staged in a local file first and become an object when published; readers open a local file.
 */
export interface ObjectStore {
  readonly staging: Staging;
  /**
   * Makes the bytes of a staged or finished file durable under its key; `content` is what they are. The file is consumed, also if this fails,
   * except that a staged file is left to `discard` then.
   */
  publish(file: FinishedFile, content: ObjectContent): Promise<void>;
  /**
   * The object as a file on this machine, which stays until it is released. `frame_damaged` if the object cannot be read or is being removed;
   * `unavailable` if the store does not answer, or answers with other bytes each time, which says nothing about the object.
   */
  open(object: StoredObject, signal?: AbortSignal): Promise<LocalObject>;
  /**
   * Keeps the object in the store for readers elsewhere, without a copy of it here, until the returned function is called; calling that again does nothing.
   * It holds for this process: what others may remove is kept by renewing it in the catalog. `frame_damaged` if the object is being removed, or is not there where
   * that costs nothing to see.
   */
  hold(object: StoredObject): Promise<() => void>;
  /** Whether what it opens has been compared with its size and hash. Otherwise the reader does that. */
  readonly opensVerified: boolean;
  /** Bytes that can be open at once, where files on this machine are copies; null: all of them can. */
  readonly openBytesMax: number | null;
  /** How many objects are open. */
  readonly openCount: number;
  /**
   * Removes the object; nothing happens if it does not exist. False if it has to stay because it is open: try again later. Repeating the
   * call is safe.
   */
  remove(key: string): Promise<boolean>;
  /**
   * Where a program on another machine finds the object: a scheme and a path in which nothing is escaped, as Hadoop reads addresses. It says nothing
   * about whether the object exists, and does not keep it from being removed.
   */
  address(key: string): string;
  /** Every object's key, in pages of limited size. */
  list(): AsyncIterable<readonly string[]>;
  /** Ends uploads that began before this time, in milliseconds since 1970, and were never finished; returns how many. */
  removeStale(before: number): Promise<number>;
  /**
   * Reads whole objects from where they are kept, never from a copy, and compares size and SHA-256, off the main thread; returns those that differ. One that
   * differs is read twice more, over another connection if there is one between: it is returned only if it is wrong in the same way each time.
   * `unavailable` if the store does not answer, or answers with other bytes each time.
   */
  verify(objects: readonly StoredObject[], options: VerifyOptions): Promise<readonly ObjectFault[]>;
  close(): Promise<void>;
}

/** Local room for bytes that are to become objects. What was left in it is removed when the store opens. */
export interface Staging {
  /**
   * A new empty file for the object with this key. `likely`: it will probably be published as it is written, so that a store elsewhere may begin to
   * send it.
   */
  file(key: string, options?: { readonly likely: boolean }): Promise<StagedFile>;
  /** A directory in which workers write files for objects with such a key. */
  directory(key: string): string;
  /** Bytes that can still be written there. */
  freeBytes(key: string): Promise<number>;
}

/** A file in the staging directory of its key whose bytes are complete and synced to the disk. */
export interface FinishedFile {
  readonly key: string;
  readonly path: string;
}

/** What an object has to be. */
export type ObjectContent = Pick<StoredObject, 'bytes' | 'sha256'>;

export interface LocalObject {
  readonly path: string;
  /** Calling it again does nothing. */
  release(): void;
}

export interface VerifyOptions {
  /** null: at once, because a caller waits. Otherwise in the background, at low priority, limited to this rate. */
  readonly bytesPerSecond: number | null;
  readonly signal: AbortSignal;
}

export interface ObjectFault {
  readonly key: string;
  readonly kind: 'missing' | 'wrong-size' | 'corrupt' | 'unreadable';
  readonly detail: string;
}

/** A file being written, append-only, by one writer. Publishing syncs it. */
export interface StagedFile extends FinishedFile {
  /** Bytes written so far, in order: every byte below this number can be read from the path. */
  readonly bytesWritten: number;
  /** Resolves when the bytes are in the file. The caller must not change the buffers until then. */
  write(buffers: readonly Uint8Array[]): Promise<void>;
  /** Everything written is on the disk. */
  sync(): Promise<void>;
  /** Closes and removes the file. After publish it does nothing. */
  discard(): Promise<void>;
}
