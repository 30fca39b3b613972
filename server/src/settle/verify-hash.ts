import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** Before a form is made from another: what has rotted must not be written anew as if it were good. */
export async function verifyHash(path: string, expected: string, signal: AbortSignal): Promise<void> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024, signal }))
    hash.update(chunk as Uint8Array);
  if (hash.digest('hex') !== expected)
    throw new Error('a stored object has other bytes than when it was put: the disk may be failing');
}
