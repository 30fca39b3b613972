import { createHash, type Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';

/** Gathered before they are written: pages and buffers are often small. */
const flushBytes = 1024 * 1024;

/** Writes a file from its beginning and takes its hash on the way. */
export class HashedFile {
  readonly #file: FileHandle;
  readonly #hash: Hash = createHash('sha256');
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  position = 0;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  /** The bytes may not change until the file has ended. */
  async write(bytes: Uint8Array): Promise<void> {
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    this.position += bytes.length;
    if (this.#pendingBytes >= flushBytes) await this.#flush();
  }

  /** Everything is on the disk. */
  async end(): Promise<{ readonly bytes: number; readonly sha256: string }> {
    await this.#flush();
    await this.#file.sync();
    return { bytes: this.position, sha256: this.#hash.digest('hex') };
  }

  async #flush(): Promise<void> {
    const bytes =
      this.#pending.length === 1 ? (this.#pending[0] as Uint8Array) : Buffer.concat(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#hash.update(bytes);
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await this.#file.write(bytes, done, bytes.length - done);
      done += bytesWritten;
    }
  }
}
