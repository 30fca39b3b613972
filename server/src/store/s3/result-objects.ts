import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { DeleteObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { idTime } from '../../model/handle.ts';
import type { Written } from '../../ports/codec.ts';
import type { ResultFile } from '../../ports/result-folders.ts';
import { entriesMax } from '../result-names.ts';
import { abortUploads } from './abort-uploads.ts';
import type { ChunkMemory } from './chunk-memory.ts';
import { download, ObjectDiffers, ObjectReplaced } from './download.ts';
import { faultOf, unavailable } from './s3-faults.ts';
import type { S3Requests } from './s3-requests.ts';

/** No tenant's name begins with an underscore: what an engine may write is never beside objects of frames. */
export const attemptsPrefix = '_attempts';

/** Removed at once: a folder may have thousands of keys, and others use the bucket too. */
const removalsAtOnce = 16;
/** Of a file that does not come twice with the same bytes. */
const copiesMax = 3;

interface Entry {
  /** As in the bucket, without the prefix of the store. */
  readonly key: string;
  readonly bytes: number;
  readonly tag: string;
}

/** All keys of a folder; null if there are more than any result has. */
export async function listResult(
  requests: S3Requests,
  folder: string,
  signal: AbortSignal,
): Promise<readonly ResultFile[] | null> {
  const prefix = `${attemptsPrefix}/${folder}/`;
  const found: ResultFile[] = [];
  for await (const entries of pages(requests, prefix, signal)) {
    for (const { key, bytes, tag } of entries) {
      // Some clients of S3 mark a folder with an empty key of its name.
      if (key !== prefix) found.push({ name: key.slice(prefix.length), bytes, tag });
    }
    if (found.length > entriesMax) return null;
  }
  return found;
}

/**
 * null if the object is not the one that was listed. Nobody knows the hash of what an engine wrote, so it is read twice, the second time over other connections: bytes
 * that change on their way would become rows of a frame.
 */
export async function copyResult(
  requests: S3Requests,
  memory: ChunkMemory,
  { folder, file, path }: { readonly folder: string; readonly file: ResultFile; readonly path: string },
  signal: AbortSignal,
): Promise<Written | null> {
  const { bytes, tag } = file;
  const object = { key: `${attemptsPrefix}/${folder}/${file.name}`, bytes, tag };
  const read = (isRepeated: boolean, take: (piece: Uint8Array) => void) =>
    hashed(download(requests, memory, { ...object, isRepeated }, signal), take);
  const target = openSync(path, 'wx');
  try {
    for (let copies = 1; copies <= copiesMax; copies++) {
      let end = 0;
      const sha256 = await read(copies > 1, (piece) => {
        end = writeAt(target, piece, end);
      });
      if ((await read(true, () => {})) !== sha256) continue;
      fsyncSync(target);
      return { bytes, sha256 };
    }
    throw unavailable(requests.connection, new Error('a result comes with other bytes each time'));
  } catch (thrown) {
    if (thrown instanceof ObjectDiffers || thrown instanceof ObjectReplaced) return null;
    throw thrown;
  } finally {
    closeSync(target);
  }
}

async function hashed(pieces: AsyncIterable<Uint8Array>, take: (piece: Uint8Array) => void): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of pieces) {
    hash.update(piece);
    take(piece);
  }
  return hash.digest('hex');
}

/** Returns where it ends. */
function writeAt(file: number, bytes: Uint8Array, start: number): number {
  for (let done = 0; done < bytes.byteLength; )
    done += writeSync(file, bytes, done, bytes.byteLength - done, start + done);
  return start + bytes.byteLength;
}

export async function removeResult(requests: S3Requests, folder: string, signal: AbortSignal): Promise<void> {
  const prefix = `${attemptsPrefix}/${folder}/`;
  // First: Spark's committer for S3 completes its uploads last, and must not find any.
  await abortUploads(requests, prefix, Number.POSITIVE_INFINITY, signal);
  for await (const entries of pages(requests, prefix, signal))
    await removeAll(
      requests,
      entries.map(({ key }) => key),
      signal,
    );
}

/** Returns how many folders there were. */
export async function removeStaleResults(
  requests: S3Requests,
  { before, inUse }: { readonly before: number; readonly inUse: readonly string[] },
  signal: AbortSignal,
): Promise<number> {
  const removed = new Set<string>();
  for await (const entries of pages(requests, `${attemptsPrefix}/`, signal)) {
    const stale = entries.filter(({ key }) => {
      const [, tenant, id = ''] = key.split('/', 3);
      const at = idTime(id);
      if (at === null || at >= before || inUse.includes(`${tenant}/${id}`)) return false;
      removed.add(`${tenant}/${id}`);
      return true;
    });
    await removeAll(
      requests,
      stale.map(({ key }) => key),
      signal,
    );
  }
  return removed.size;
}

/** At most a thousand keys each. What was removed since the page before does not come again. */
async function* pages(
  requests: S3Requests,
  prefix: string,
  signal: AbortSignal,
): AsyncGenerator<readonly Entry[], void, void> {
  const own = requests.keyOf('');
  for (let token: string | undefined; ; ) {
    const command = new ListObjectsV2Command({
      Bucket: requests.connection.bucket,
      Prefix: requests.keyOf(prefix),
      ContinuationToken: token,
    });
    const { Contents = [], NextContinuationToken } = await requests.send(
      'list',
      { signal },
      ({ client, signal: until }) => client.send(command, { abortSignal: until }),
    );
    const entries = Contents.flatMap(({ Key, Size, ETag }) =>
      Key === undefined ? [] : [{ key: Key.slice(own.length), bytes: Size ?? -1, tag: ETag ?? '' }],
    );
    if (entries.length > 0) yield entries;
    if (NextContinuationToken === undefined) return;
    token = NextContinuationToken;
  }
}

async function removeAll(requests: S3Requests, keys: readonly string[], signal: AbortSignal): Promise<void> {
  const waiting = [...keys];
  const remover = async () => {
    for (let key = waiting.shift(); key !== undefined; key = waiting.shift()) {
      const command = new DeleteObjectCommand({
        Bucket: requests.connection.bucket,
        Key: requests.keyOf(key),
      });
      try {
        await requests.send('delete', { signal }, ({ client, signal: until }) =>
          client.send(command, { abortSignal: until }),
        );
      } catch (thrown) {
        if (faultOf(thrown) !== 'absent') throw thrown;
      }
    }
  };
  await Promise.all(Array.from({ length: removalsAtOnce }, remover));
}
