import { addAbortSignal, type Readable } from 'node:stream';
import { GetObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3';
import { type Chunk, type ChunkMemory, chunkBytes } from './chunk-memory.ts';
import { faultOf } from './s3-faults.ts';
import type { S3Requests } from './s3-requests.ts';

/** Ranges of one object that are fetched at once. One connection to a large object store carries some 100 MB/s. */
const rangesAtOnce = 4;

/** What is in the bucket cannot be the wanted object. */
export class ObjectDiffers extends Error {
  readonly kind: 'missing' | 'wrong-size';

  constructor(kind: 'missing' | 'wrong-size', message: string) {
    super(message);
    this.name = 'ObjectDiffers';
    this.kind = kind;
  }
}

/** The object has been replaced since it was listed. */
export class ObjectReplaced extends Error {}

interface WantedObject {
  readonly key: string;
  readonly bytes: number;
  /** Its entity tag, if others can replace it. */
  readonly tag?: string;
  /** Read again: over connections of its own. */
  readonly isRepeated?: boolean;
}

/** The bytes of an object in order, fetched in ranges, several at once. What was given is gone when the next one is asked for. */
export async function* download(
  requests: S3Requests,
  memory: ChunkMemory,
  object: WantedObject,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  if (object.bytes === 0) return requireEmpty(requests, object, signal);
  const stop = new AbortController();
  const until = AbortSignal.any([signal, stop.signal]);
  const coming: Promise<Chunk>[] = [];
  let next = 0;
  const ask = () => {
    if (next >= object.bytes) return;
    const chunk = fetchRange(requests, memory, object, next, until);
    // Whoever waits for it sees the failure; after a failure nobody may wait any more.
    chunk.catch(() => {});
    coming.push(chunk);
    next += chunkBytes;
  };
  try {
    for (let count = 0; count < rangesAtOnce; count++) ask();
    for (let first = coming.shift(); first !== undefined; first = coming.shift()) {
      const chunk = await first;
      try {
        ask();
        yield chunk.bytes;
      } finally {
        chunk.release();
      }
    }
  } finally {
    stop.abort();
    for (const chunk of coming)
      chunk.then(
        (arrived) => arrived.release(),
        () => {},
      );
  }
}

async function fetchRange(
  requests: S3Requests,
  memory: ChunkMemory,
  { key, bytes, tag, isRepeated = false }: WantedObject,
  begin: number,
  signal: AbortSignal,
): Promise<Chunk> {
  const length = Math.min(chunkBytes, bytes - begin);
  const isWhole = length === bytes;
  // In the order of the ranges: the first of them never waits for memory that the later ones hold.
  const chunk = await memory.take(length, signal);
  const { bucket } = requests.connection;
  try {
    await requests.send(
      'get',
      { bytes: length, signal, isApart: isRepeated },
      async ({ client, signal: until }) => {
        const command = new GetObjectCommand({
          Bucket: bucket,
          Key: requests.keyOf(key),
          ...(isWhole ? {} : { Range: `bytes=${begin}-${begin + length - 1}` }),
          ...(tag === undefined ? {} : { IfMatch: tag }),
        });
        const { Body, ContentRange, ContentLength } = await client.send(command, { abortSignal: until });
        const body = addAbortSignal(until, Body as Readable);
        try {
          const total = ContentRange === undefined ? ContentLength : Number(ContentRange.split('/')[1]);
          if (total !== bytes) throw wrongSize(total, bytes);
          await receive(body, chunk.bytes);
        } finally {
          body.destroy();
        }
      },
    );
    return chunk;
  } catch (thrown) {
    chunk.release();
    throw explained(thrown, bytes);
  }
}

async function receive(body: Readable, target: Uint8Array): Promise<void> {
  let received = 0;
  for await (const piece of body as AsyncIterable<Uint8Array>) {
    if (received + piece.byteLength > target.byteLength)
      throw new Error('more bytes came than were asked for');
    target.set(piece, received);
    received += piece.byteLength;
  }
  if (received < target.byteLength) throw new Error('the answer ended early');
}

async function requireEmpty(requests: S3Requests, { key }: WantedObject, signal: AbortSignal): Promise<void> {
  const head = await headObject(requests, key, signal);
  if (head === null) throw new ObjectDiffers('missing', 'the object does not exist');
  if (head.bytes !== 0) throw wrongSize(head.bytes, 0);
}

export interface ObjectHead {
  readonly bytes: number;
  /** As the one who uploaded it has recorded it, if it was known then. */
  readonly sha256: string | null;
  /** Of the upload that has made it. */
  readonly token: string | null;
}

/** Names of the metadata that tell which bytes were uploaded, and by which upload. */
export const hashMetadata = 'framehold-sha256';
export const tokenMetadata = 'framehold-upload';

/** null if the object does not exist, or the bucket does not: the answer to HEAD has no body to tell. */
export async function headObject(
  requests: S3Requests,
  key: string,
  signal: AbortSignal,
): Promise<ObjectHead | null> {
  const { bucket } = requests.connection;
  try {
    return await requests.send('head', { signal }, async ({ client, signal: until }) => {
      const command = new HeadObjectCommand({ Bucket: bucket, Key: requests.keyOf(key) });
      const { ContentLength = -1, Metadata } = await client.send(command, { abortSignal: until });
      return {
        bytes: ContentLength,
        sha256: Metadata?.[hashMetadata] ?? null,
        token: Metadata?.[tokenMetadata] ?? null,
      };
    });
  } catch (thrown) {
    if (faultOf(thrown) === 'absent') return null;
    throw thrown;
  }
}

function explained(thrown: unknown, bytes: number): unknown {
  const fault = faultOf(thrown);
  if (fault === 'absent') return new ObjectDiffers('missing', 'the object does not exist');
  if (fault === 'exists') return new ObjectReplaced('the object has been replaced');
  if (fault === 'no-range') return new ObjectDiffers('wrong-size', `it has fewer than ${bytes} bytes`);
  return thrown;
}

function wrongSize(actual: number | undefined, wanted: number): ObjectDiffers {
  return new ObjectDiffers('wrong-size', `it has ${actual} bytes, not ${wanted}`);
}
