import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

export interface HashOptions {
  readonly signal: AbortSignal;
  readonly algorithm?: 'sha256' | 'sha512';
  /** At most so fast, for work that nobody waits for. */
  readonly bytesPerSecond?: number | null;
}

export interface HashedFile {
  readonly bytes: number;
  /** Hex. */
  readonly hash: string;
}

/** Of a read: about a millisecond of hashing, after which other jobs of the thread get their turn. */
const readBytes = 1024 * 1024;

/** Reads a file to its end and hashes it. Only in worker threads: it reads synchronously, beside libuv's few threads. */
export async function hashFile(path: string, options: HashOptions): Promise<HashedFile> {
  const { signal, algorithm = 'sha256', bytesPerSecond = null } = options;
  const hash = createHash(algorithm);
  const buffer = new Uint8Array(readBytes);
  const startedAt = performance.now();
  const file = openSync(path, 'r');
  try {
    for (let bytes = 0; ; ) {
      signal.throwIfAborted();
      const count = readSync(file, buffer, 0, buffer.length, bytes);
      if (count === 0) return { bytes, hash: hash.digest('hex') };
      hash.update(buffer.subarray(0, count));
      bytes += count;
      const early = bytesPerSecond === null ? 0 : (bytes / bytesPerSecond) * 1_000 - elapsed(startedAt);
      if (early > 1) await sleep(early, undefined, { signal });
      else await nextTurn();
    }
  } finally {
    closeSync(file);
  }
}

function elapsed(startedAt: number): number {
  return performance.now() - startedAt;
}
