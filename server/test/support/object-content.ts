import { createHash } from 'node:crypto';
import type { StoredObject } from '../../src/model/version.ts';
import type { ObjectContent, ObjectStore } from '../../src/ports/object-store.ts';

/** Size and hash of what a test publishes. */
export function contentOf(bytes: string | Uint8Array): ObjectContent {
  return {
    bytes: Buffer.byteLength(bytes),
    sha256: createHash('sha256').update(bytes).digest('hex'),
  };
}

/** Stages the bytes and publishes them. */
export async function publishBytes(
  store: Pick<ObjectStore, 'staging' | 'publish'>,
  key: string,
  bytes: string | Uint8Array,
): Promise<StoredObject> {
  const staged = await store.staging.file(key);
  await staged.write([Buffer.from(bytes)]);
  const content = contentOf(bytes);
  await store.publish(staged, content);
  return { key, ...content };
}
