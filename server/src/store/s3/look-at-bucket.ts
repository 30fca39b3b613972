import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { type BucketIdentity, readIdentity } from './bucket-identity.ts';
import { RequestCounts } from './request-counts.ts';
import type { S3Connection } from './s3-connection.ts';
import { S3Requests } from './s3-requests.ts';

/** What can be seen of a bucket without changing it. */
export interface BucketSight {
  /** null: no catalog has used it yet. */
  readonly identity: BucketIdentity | null;
  /** Nothing is below the prefix. */
  readonly isEmpty: boolean;
}

/** For `framehold doctor`. Throws unavailable if the bucket does not exist, refuses or does not answer. */
export async function lookAtBucket(connection: S3Connection, signal: AbortSignal): Promise<BucketSight> {
  const requests = new S3Requests(connection, new RequestCounts());
  try {
    const command = new ListObjectsV2Command({
      Bucket: connection.bucket,
      Prefix: requests.keyOf(''),
      MaxKeys: 1,
    });
    const { KeyCount = 0 } = await requests.send('list', { signal }, ({ client, signal: until }) =>
      client.send(command, { abortSignal: until }),
    );
    return { isEmpty: KeyCount === 0, identity: await readIdentity(requests, signal) };
  } finally {
    requests.close();
  }
}
