import type { FileHandle } from 'node:fs/promises';
import { unlink } from 'node:fs/promises';
import type { StagedFile } from '../ports/object-store.ts';

/** Dirty bytes after which the kernel is asked to write back: the last sync then has little left to wait for. */
const syncEveryBytes = 64 * 1024 * 1024;
/** The kernel takes at most 1,024 buffers in one writev. */
const writevBuffersMax = 1_024;

export interface StagedFileOptions {
  /** Whether its bytes must survive the machine: not if they are sent elsewhere before anybody relies on them. */
  readonly syncs: boolean;
}

export class StagedDiskFile implements StagedFile {
  readonly key: string;
  readonly path: string;
  readonly #file: FileHandle;
  readonly #options: StagedFileOptions;
  #bytesWritten = 0;
  #bytesSynced = 0;
  #syncing: Promise<void> | null = null;
  #syncError: unknown = null;
  #open = true;
  #discarded = false;

  constructor(key: string, path: string, file: FileHandle, options: StagedFileOptions) {
    this.key = key;
    this.path = path;
    this.#file = file;
    this.#options = options;
  }

  get bytesWritten(): number {
    return this.#bytesWritten;
  }

  async write(buffers: readonly Uint8Array[]): Promise<void> {
    if (this.#syncError !== null) throw this.#syncError;
    let rest = buffers;
    while (rest.length > 0) {
      const slice = rest.slice(0, writevBuffersMax);
      const { bytesWritten } = await this.#file.writev(slice);
      this.#bytesWritten += bytesWritten;
      rest = afterBytes(rest, bytesWritten);
    }
    if (!this.#options.syncs) return;
    if (this.#bytesWritten - this.#bytesSynced >= syncEveryBytes && this.#syncing === null)
      this.#syncInBackground();
  }

  async sync(): Promise<void> {
    if (!this.#options.syncs) return;
    await this.#syncing;
    if (this.#syncError !== null) throw this.#syncError;
    await this.#file.datasync();
  }

  async close(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    await this.#syncing;
    await this.#file.close();
  }

  /** The file has moved to its final place: there is nothing left to discard. */
  released(): void {
    this.#discarded = true;
  }

  async discard(): Promise<void> {
    if (this.#discarded) return;
    this.#discarded = true;
    await this.close();
    await unlink(this.path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }

  #syncInBackground(): void {
    this.#bytesSynced = this.#bytesWritten;
    this.#syncing = this.#file
      .datasync()
      .catch((error: unknown) => {
        this.#syncError = error;
      })
      .finally(() => {
        this.#syncing = null;
      });
  }
}

function afterBytes(buffers: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  let skip = bytes;
  let index = 0;
  for (; index < buffers.length; index++) {
    const length = buffers[index]?.byteLength ?? 0;
    if (skip < length) break;
    skip -= length;
  }
  const rest = buffers.slice(index);
  const first = rest[0];
  if (skip > 0 && first !== undefined) rest[0] = first.subarray(skip);
  return rest;
}
