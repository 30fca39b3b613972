import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { faultOf, unavailable } from './s3-faults.ts';
import type { S3Requests } from './s3-requests.ts';
import { encryptionOf } from './upload.ts';

/** Says whose objects are in the bucket. An object that is not in a bucket with another mark, or without one, is not missing. */
export interface BucketMark {
  readonly catalogId: string;
  /** Grows with the catalog's. If the bucket's is larger, the catalog was restored to an earlier moment. */
  readonly epoch: number;
}

export interface FoundMark extends BucketMark {
  /** Of this state of the mark: a change is made only to what was read. */
  readonly tag: string;
}

const markKey = 'framehold.json';

/** null if the bucket has none. */
export async function readMark(requests: S3Requests, signal: AbortSignal): Promise<FoundMark | null> {
  const { bucket } = requests.connection;
  try {
    return await requests.send('get', { signal }, async ({ client, signal: until }) => {
      const command = new GetObjectCommand({ Bucket: bucket, Key: requests.keyOf(markKey) });
      const { Body, ETag = '' } = await client.send(command, { abortSignal: until });
      return { ...parseMark((await Body?.transformToString()) ?? ''), tag: ETag };
    });
  } catch (thrown) {
    if (faultOf(thrown) === 'absent') return null;
    throw thrown;
  }
}

/** False if the mark is not (any more) the one with this tag; null: that there is none yet. */
export async function writeMark(
  requests: S3Requests,
  { catalogId, epoch }: BucketMark,
  tag: string | null,
  signal: AbortSignal,
): Promise<boolean> {
  const { bucket } = requests.connection;
  const command = new PutObjectCommand({
    Bucket: bucket,
    Key: requests.keyOf(markKey),
    Body: `${JSON.stringify({ catalogId, epoch })}\n`,
    ContentType: 'application/json',
    ...encryptionOf(requests.connection),
    ...(tag === null ? { IfNoneMatch: '*' } : { IfMatch: tag }),
  });
  try {
    await requests.send('put', { signal }, ({ client, signal: until }) =>
      client.send(command, { abortSignal: until }),
    );
    return true;
  } catch (thrown) {
    const fault = faultOf(thrown);
    if (fault === 'absent') return false;
    if (fault !== 'exists') throw thrown;
    // An earlier try may have written it, and its answer was lost.
    const found = await readMark(requests, signal);
    return found?.catalogId === catalogId && found.epoch === epoch;
  }
}

/** Throws `unavailable` unless the bucket is the one that this catalog's objects are in. */
export async function requireMark(
  requests: S3Requests,
  catalogId: string,
  signal: AbortSignal,
): Promise<void> {
  const mark = await readMark(requests, signal);
  if (mark?.catalogId === catalogId) return;
  const reason =
    mark === null ? 'the bucket has no mark of any catalog' : 'the bucket belongs to another catalog';
  throw unavailable(requests.connection, new Error(reason));
}

function parseMark(text: string): BucketMark {
  const { catalogId, epoch } = JSON.parse(text) as Partial<BucketMark>;
  if (typeof catalogId !== 'string' || !Number.isSafeInteger(epoch))
    throw new Error(`${markKey} is not a mark of Framehold`);
  return { catalogId, epoch: epoch as number };
}
