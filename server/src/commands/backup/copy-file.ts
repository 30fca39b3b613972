import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';

/** Of a read: large enough for a disk, small enough for several copies at once. */
const pieceBytes = 1024 * 1024;

export interface WrittenFile {
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
}

/** Reads a file from its beginning, gives each piece to `take`, and hashes it on the way. */
export async function readHashed(
  path: string,
  take: (piece: Uint8Array) => Promise<void>,
): Promise<WrittenFile> {
  const file = await open(path, 'r');
  try {
    const hash = createHash('sha256');
    const buffer = new Uint8Array(pieceBytes);
    for (let bytes = 0; ; ) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, bytes);
      if (bytesRead === 0) return { bytes, sha256: hash.digest('hex') };
      const piece = buffer.subarray(0, bytesRead);
      hash.update(piece);
      await take(piece);
      bytes += bytesRead;
    }
  } finally {
    await file.close();
  }
}

/** Copies a file that only its owner may read; on the disk when it returns. The target must not exist. */
export async function copyFile(source: string, target: string): Promise<WrittenFile> {
  const file = await open(target, 'wx', 0o600);
  try {
    const written = await readHashed(source, (piece) => writeAll(file, piece));
    await file.sync();
    return written;
  } finally {
    await file.close();
  }
}

export async function hashFile(path: string): Promise<WrittenFile> {
  return await readHashed(path, async () => {});
}

/** Of a file or directory: what was written to it survives a loss of power. */
export async function syncPath(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done);
    done += bytesWritten;
  }
}
