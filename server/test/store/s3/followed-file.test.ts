import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { ListMultipartUploadsCommand } from '@aws-sdk/client-s3';
import type { StoredObject } from '../../../src/model/version.ts';
import type { StagedFile } from '../../../src/ports/object-store.ts';
import type { S3Store, S3StoreOptions } from '../../../src/store/s3/s3-store.ts';
import { contentOf } from '../../support/object-content.ts';
import { eventually } from '../../support/patience.ts';
import { S3FaultProxy, type SeenRequest } from '../../support/s3-fault-proxy.ts';
import { type S3Server, startS3 } from '../../support/s3-server.ts';
import { openMarked, s3Options } from './open-s3-store.ts';

const bytes = randomBytes(45_000_000);
const content = contentOf(bytes);
const writeBytes = 4_000_000;

let server: S3Server;
let proxy: S3FaultProxy;
let options: S3StoreOptions;
let store: S3Store;
let reader: S3Store;
let count = 0;

before(async () => {
  server = await startS3();
  proxy = await S3FaultProxy.start(server.endpoint);
  options = s3Options(server, { endpoint: proxy.endpoint });
  [store, reader] = [await openMarked(options), await openMarked(s3Options(server))];
});
after(async () => {
  await proxy.stop();
  await server.stop();
});

const isPart = ({ path }: SeenRequest) => path.includes('partNumber=');
const isBegin = ({ method, path }: SeenRequest) => method === 'POST' && path.includes('uploads');
const isComplete = ({ method, path }: SeenRequest) => method === 'POST' && path.includes('uploadId=');
const seen = (matches: (seen: SeenRequest) => boolean) => proxy.seen.filter(matches).length;

afterEach(async () => {
  proxy.interfere = () => 'pass';
  proxy.seen.length = 0;
  assert.deepEqual(readdirSync(join(options.cacheDirectory, 'staging')), []);
  await eventually('no upload that nobody finishes', async () => (await uploads()) === 0);
});

async function uploads(): Promise<number> {
  const client = server.client();
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: server.bucket }));
  client.destroy();
  return Uploads.length;
}

async function writtenFile(): Promise<StagedFile> {
  const file = await store.staging.file(`t/w${++count}.arrow`, { likely: true });
  for (let at = 0; at < bytes.byteLength; at += writeBytes)
    await file.write([bytes.subarray(at, at + writeBytes)]);
  return file;
}

async function assertStored(key: string): Promise<void> {
  const object: StoredObject = { key, ...content };
  const { path, release } = await reader.open(object);
  assert.deepEqual(await readFile(path), bytes);
  release();
}

test('parts are sent while the file is written; publishing sends the last one and completes the upload', async () => {
  const file = await writtenFile();
  await eventually('the whole parts', () => seen(isPart) === 5);
  await store.publish(file, content);
  assert.equal(seen(isPart), 6, 'nothing was sent twice');
  assert.equal(seen(isBegin), 1);
  await assertStored(file.key);
  await file.discard();
});

test('a file that is discarded gives its upload up', async () => {
  const file = await writtenFile();
  await eventually('some parts', () => seen(isPart) > 1);
  await file.discard();
  await eventually('the end of the upload', () => seen(({ method }) => method === 'DELETE') === 1);
  assert.equal(seen(isComplete), 0);
});

test('an upload that failed on the way is made again when the file is published', async () => {
  proxy.next(Number.POSITIVE_INFINITY, 'refuse', isPart);
  const file = await writtenFile();
  await eventually('the end of the upload', () => seen(({ method }) => method === 'DELETE') === 1);
  proxy.interfere = () => 'pass';
  await store.publish(file, content);
  assert.equal(seen(isBegin), 2);
  await assertStored(file.key);
});

test('the lost answer to the completion is found out, although the hash was not known when the upload began', async () => {
  const file = await writtenFile();
  proxy.next(1, 'lose', isComplete);
  await store.publish(file, content);
  await assertStored(file.key);
});

test('a small file is sent when it is published, in one request', async () => {
  const file = await store.staging.file(`t/w${++count}.arrow`, { likely: true });
  await file.write([Buffer.from('small')]);
  await store.publish(file, contentOf('small'));
  assert.equal(seen(isBegin), 0);
  assert.equal(
    seen(({ method }) => method === 'PUT'),
    1,
  );
});
