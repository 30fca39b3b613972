import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { faultOf, unavailable } from './s3-faults.ts';
import type { S3Requests } from './s3-requests.ts';
import { encryptionOf } from './upload.ts';

/** Says whose objects are in the bucket. An object that is not in a bucket with another identity, or without one, is not missing. */
export interface BucketIdentity {
  readonly catalogId: string;
  /** Grows with the catalog's. If the bucket's is larger, the catalog was restored to an earlier moment. */
  readonly epoch: number;
}

export interface FoundIdentity extends BucketIdentity {
  /** Of this state of the identity: a change is made only to what was read. */
  readonly tag: string;
}

const identityKey = 'framehold.json';

/** null if the bucket has none. */
export async function readIdentity(requests: S3Requests, signal: AbortSignal): Promise<FoundIdentity | null> {
  const { bucket } = requests.connection;
  try {
    return await requests.send('get', { signal }, async ({ client, signal: until }) => {
      const command = new GetObjectCommand({ Bucket: bucket, Key: requests.keyOf(identityKey) });
      const { Body, ETag = '' } = await client.send(command, { abortSignal: until });
      return { ...parseIdentity((await Body?.transformToString()) ?? ''), tag: ETag };
    });
  } catch (thrown) {
    if (faultOf(thrown) === 'absent') return null;
    throw thrown;
  }
}

/** False if the identity is not (any more) the one with this tag; null: that there is none yet. */
export async function writeIdentity(
  requests: S3Requests,
  { catalogId, epoch }: BucketIdentity,
  tag: string | null,
  signal: AbortSignal,
): Promise<boolean> {
  const { bucket } = requests.connection;
  const command = new PutObjectCommand({
    Bucket: bucket,
    Key: requests.keyOf(identityKey),
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
    const found = await readIdentity(requests, signal);
    return found?.catalogId === catalogId && found.epoch === epoch;
  }
}

/** Throws `unavailable` unless the bucket is the one that this catalog's objects are in. */
export async function requireIdentity(
  requests: S3Requests,
  catalogId: string,
  signal: AbortSignal,
): Promise<void> {
  const identity = await readIdentity(requests, signal);
  if (identity?.catalogId === catalogId) return;
  const reason =
    identity === null ? 'the bucket has no identity of any catalog' : 'the bucket belongs to another catalog';
  throw unavailable(requests.connection, new Error(reason));
}

function parseIdentity(text: string): BucketIdentity {
  const { catalogId, epoch } = JSON.parse(text) as Partial<BucketIdentity>;
  if (typeof catalogId !== 'string' || !Number.isSafeInteger(epoch))
    throw new Error(`${identityKey} is not an identity of Framehold`);
  return { catalogId, epoch: epoch as number };
}
