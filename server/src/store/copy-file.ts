import { createHash } from 'node:crypto';
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Written } from '../ports/codec.ts';

export interface CopyTask {
  readonly source: string;
  /** A file that does not exist. */
  readonly target: string;
  readonly bytes: number;
  /** As `identityOf` gives it. */
  readonly identity: string;
}

/** Of a read: about a millisecond of hashing, after which other jobs of the thread get their turn. */
const pieceBytes = 1024 * 1024;

/** Which file it is, and in which state. */
export function identityOf({ dev, ino, nlink, mtimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${nlink}:${mtimeNs}`;
}

/**
 * Copies a file that others can change, hashes the bytes as they are written, and syncs them. null, and no target, if it is not the file that it was or
 * has other than these bytes. Only in worker threads: it reads synchronously.
 */
export async function copyFile(task: CopyTask, signal: AbortSignal): Promise<Written | null> {
  const target = openSync(task.target, 'wx');
  let written: Written | null = null;
  try {
    written = await copyInto(target, task, signal);
    if (written !== null) fsyncSync(target);
  } finally {
    closeSync(target);
    if (written === null) rmSync(task.target, { force: true });
  }
  return written;
}

async function copyInto(
  target: number,
  { source, bytes, identity }: CopyTask,
  signal: AbortSignal,
): Promise<Written | null> {
  const file = openUnlessLink(source);
  if (file === null) return null;
  try {
    const found = fstatSync(file, { bigint: true });
    if (!found.isFile() || Number(found.size) !== bytes || identityOf(found) !== identity) return null;
    const hash = createHash('sha256');
    const buffer = new Uint8Array(Math.min(pieceBytes, Math.max(1, bytes)));
    for (let done = 0; done < bytes; ) {
      signal.throwIfAborted();
      const count = readSync(file, buffer, 0, Math.min(buffer.length, bytes - done), done);
      if (count === 0) return null;
      const piece = buffer.subarray(0, count);
      hash.update(piece);
      for (let put = 0; put < count; ) put += writeSync(target, piece, put, count - put);
      done += count;
      await nextTurn();
    }
    return { bytes, sha256: hash.digest('hex') };
  } finally {
    closeSync(file);
  }
}

/** Without waiting for the other end, if it has become a pipe. */
function openUnlessLink(path: string): number | null {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ELOOP' || code === 'ENXIO') return null;
    throw error;
  }
}
