import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileError } from '../local-error.ts';

/** Writes a file that has its name only when it is complete: until then it is beside it under another. */
export async function writeWholeFile(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const there = await stat(path).catch(() => null);
  if (there?.isDirectory() === true) throw fileError(Object.assign(new Error(), { code: 'EISDIR' }), path);
  // A pipe or a device cannot be replaced by a file.
  if (there !== null && !there.isFile()) return await writeInto(path, 'w', path, chunks);
  const staged = join(dirname(path), `.${basename(path)}.${randomBytes(4).toString('hex')}.part`);
  try {
    await writeInto(staged, 'wx', path, chunks);
    await rename(staged, path).catch((thrown) => {
      throw fileError(thrown, path);
    });
  } catch (thrown) {
    await rm(staged, { force: true });
    throw thrown;
  }
}

async function writeInto(
  file: string,
  flags: 'w' | 'wx',
  path: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  // Errors of the file are told apart from those of the bytes, which come from the server.
  const ofFile = async <T>(work: Promise<T>): Promise<T> =>
    await work.catch((thrown) => {
      throw fileError(thrown, path);
    });
  const handle: FileHandle = await ofFile(open(file, flags));
  try {
    for await (const chunk of chunks) await ofFile(handle.writeFile(chunk));
    // Devices cannot be synchronised.
    if (flags === 'wx') await ofFile(handle.sync());
  } finally {
    await handle.close();
  }
}
