import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import type { Observation } from '../../../src/ports/observation.ts';
import { openS3Store, type S3Store, type S3StoreOptions } from '../../../src/store/s3/s3-store.ts';
import type { S3Server } from '../../support/s3-server.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';

export const catalogId = 'catalog-of-tests';

/** Options of a store in a bucket of this server, with a cache directory of its own. */
export function s3Options(server: S3Server, changes: Partial<S3StoreOptions> = {}): S3StoreOptions {
  const cacheDirectory = temporaryFolder('s3-cache');
  const [accessKeyFile, secretKeyFile] = [join(cacheDirectory, 'access'), join(cacheDirectory, 'secret')];
  writeFileSync(accessKeyFile, `${server.accessKey}\n`);
  writeFileSync(secretKeyFile, `${server.secretKey}\n`);
  return {
    bucket: server.bucket,
    prefix: 'some/prefix',
    endpoint: server.endpoint,
    region: server.region,
    pathStyle: true,
    caFile: null,
    accessKeyFile,
    secretKeyFile,
    encryption: 'none',
    kmsKey: null,
    requestsMax: 16,
    cacheDirectory,
    cacheBytesMax: 1024 * 1024 * 1024,
    catalogId,
    observe: () => {},
    ...changes,
  };
}

const open = new Set<S3Store>();
after(async () => {
  for (const store of open) await store.close();
});

/** A store that is closed after the tests of the file, in a bucket with its identity. */
export async function openMarked(options: S3StoreOptions): Promise<S3Store> {
  const store = await openS3Store(options);
  open.add(store);
  const identity = await store.readIdentity();
  if (identity === null) await store.writeIdentity({ catalogId: options.catalogId, epoch: 1 }, null);
  return store;
}

/** The same without a look at the bucket, for one that cannot be reached. */
export async function openUnmarked(options: S3StoreOptions): Promise<S3Store> {
  const store = await openS3Store(options);
  open.add(store);
  return store;
}

export async function closeStore(store: S3Store, options?: S3StoreOptions): Promise<void> {
  open.delete(store);
  await store.close();
  if (options !== undefined) removeFolder(options.cacheDirectory);
}

/** Gives a stored object other bytes. */
export async function overwrite(
  server: S3Server,
  options: S3StoreOptions,
  key: string,
  bytes: string | Uint8Array,
): Promise<void> {
  const client = server.client();
  const { bucket, prefix } = options;
  await client.send(new PutObjectCommand({ Bucket: bucket, Key: `${prefix}/${key}`, Body: bytes }));
  client.destroy();
}

/** The bytes at an address of the form `s3a://bucket/key`. */
export async function readAddress(server: S3Server, address: string): Promise<Buffer> {
  const { protocol, host, pathname } = new URL(address);
  if (protocol !== 's3a:') throw new Error(`not an address in a bucket: ${address}`);
  const client = server.client();
  const { Body } = await client.send(new GetObjectCommand({ Bucket: host, Key: pathname.slice(1) }));
  const bytes = await Body?.transformToByteArray();
  client.destroy();
  return Buffer.from(bytes ?? []);
}

/** What was observed, for a test that counts. */
export function observed() {
  const observations: Observation[] = [];
  const observe = (observation: Observation) => void observations.push(observation);
  const requests = (operation: string, outcome?: string) =>
    observations.reduce(
      (sum, each) =>
        each.event === 's3-requests' &&
        each.operation === operation &&
        (outcome === undefined || each.outcome === outcome)
          ? sum + each.count
          : sum,
      0,
    );
  return { observations, observe, requests };
}
