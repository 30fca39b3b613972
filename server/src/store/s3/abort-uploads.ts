import { AbortMultipartUploadCommand, ListMultipartUploadsCommand } from '@aws-sdk/client-s3';
import { faultOf } from './s3-faults.ts';
import type { S3Requests } from './s3-requests.ts';

/** Ends uploads of keys with this prefix that began before this time and were never finished; returns how many. */
export async function abortUploads(
  requests: S3Requests,
  prefix: string,
  before: number,
  signal: AbortSignal,
): Promise<number> {
  const place = { Bucket: requests.connection.bucket };
  let count = 0;
  for (let after: { KeyMarker?: string; UploadIdMarker?: string } = {}; ; ) {
    const command = new ListMultipartUploadsCommand({ ...place, Prefix: requests.keyOf(prefix), ...after });
    const page = await requests.send('uploads', { signal }, ({ client, signal: until }) =>
      client.send(command, { abortSignal: until }),
    );
    for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
      if (Initiated === undefined || Initiated.getTime() >= before) continue;
      const abort = new AbortMultipartUploadCommand({ ...place, Key, UploadId });
      try {
        await requests.send('abort', { signal }, ({ client, signal: until }) =>
          client.send(abort, { abortSignal: until }),
        );
        count += 1;
      } catch (thrown) {
        // Another node was faster.
        if (faultOf(thrown) !== 'no-upload') throw thrown;
      }
    }
    if (page.IsTruncated !== true || !page.NextKeyMarker) return count;
    after = {
      KeyMarker: page.NextKeyMarker,
      ...(page.NextUploadIdMarker === undefined ? {} : { UploadIdMarker: page.NextUploadIdMarker }),
    };
  }
}
