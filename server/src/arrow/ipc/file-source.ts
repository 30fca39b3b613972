import { closeSync, openSync, readSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { ByteSource } from './message-reader.ts';

/** An open file as a source of messages, read through libuv: the thread serves other jobs in the meantime. */
export function fileSource(file: FileHandle): ByteSource {
  return {
    async read(target, position) {
      if (target.length === 0) return 0;
      const { bytesRead } = await file.read(target, 0, target.length, position);
      return bytesRead;
    },
  };
}

/** The most that one read call is asked for; the system's own limit is 2 GiB. */
const readBytesMax = 1024 * 1024 * 1024;

/** A file that a worker reads without libuv, whose few threads long queries may hold. */
export class SyncFileSource implements ByteSource, Disposable {
  readonly #file: number;

  constructor(path: string) {
    this.#file = openSync(path, 'r');
  }

  async read(target: Uint8Array, position: number): Promise<number> {
    return readSync(this.#file, target, 0, Math.min(target.length, readBytesMax), position);
  }

  async exactly(position: number, byteCount: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(byteCount);
    for (let filled = 0; filled < byteCount; ) {
      const count = await this.read(bytes.subarray(filled), position + filled);
      if (count === 0) throw new Error(`the file ends at byte ${position + filled}, inside a message`);
      filled += count;
    }
    return bytes;
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }
}
