import { rm, stat } from 'node:fs/promises';
import { openParquet } from '../../parquet/read-parquet.ts';
import { recompressParquet } from '../../parquet/recompress-parquet.ts';
import type { RecompressRequest, Written } from '../../ports/codec.ts';
import { verifyHash } from '../verify-hash.ts';

/**
 * All files of a part's Parquet form, or none: a form is at one level. It ends as soon as what was written so far does not pay: a part whose first
 * file hardly shrinks costs that file only.
 */
export async function recompressFiles(
  { files, level, bytesMax }: RecompressRequest,
  signal: AbortSignal,
): Promise<readonly Written[] | null> {
  const sizes = await Promise.all(files.map(async ({ source }) => (await stat(source)).size));
  const share = bytesMax / sizes.reduce((sum, size) => sum + size, 0);
  const written: Written[] = [];
  let room = 0;
  let kept = false;
  try {
    for (const [index, { source, sha256, target }] of files.entries()) {
      room += (sizes[index] as number) * share;
      await verifyHash(source, sha256, signal);
      await rm(target, { force: true });
      const result = await recompressParquet(source, target, level, room, signal);
      if (result === null) return null;
      room -= result.bytes;
      await readThrough(source, target, signal);
      written.push(result);
    }
    kept = true;
    return written;
  } finally {
    if (!kept) for (const { target } of files) await rm(target, { force: true });
  }
}

/** The pages are known to be equal; this shows that the library finds them all, by the new footer and indexes. */
async function readThrough(source: string, target: string, signal: AbortSignal): Promise<void> {
  const { rows, schemaHeader } = await shapeOf(source);
  await using file = await openParquet(target);
  if (file.rows !== rows || Buffer.compare(file.schemaHeader, schemaHeader) !== 0)
    throw new Error('a Parquet file that was compressed anew has another schema or number of rows');
  for await (const _ of file.batches()) signal.throwIfAborted();
}

async function shapeOf(path: string): Promise<{ rows: number; schemaHeader: Uint8Array }> {
  await using file = await openParquet(path);
  return { rows: file.rows, schemaHeader: file.schemaHeader.slice() };
}
