import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { ListMultipartUploadsCommand } from '@aws-sdk/client-s3';
import type { StoredObject } from '../../../src/model/version.ts';
import type { S3Store, S3StoreOptions } from '../../../src/store/s3/s3-store.ts';
import { assertTook } from '../../support/machine-pace.ts';
import { contentOf, publishBytes } from '../../support/object-content.ts';
import { eventually } from '../../support/patience.ts';
import { S3FaultProxy, type SeenRequest } from '../../support/s3-fault-proxy.ts';
import { type S3Server, startS3 } from '../../support/s3-server.ts';
import { type Passage, Toxiproxy } from '../../support/toxiproxy-process.ts';
import { closeStore, observed, openMarked, openUnmarked, s3Options } from './open-s3-store.ts';

const small = randomBytes(10_000);
/** Three parts. */
const large = randomBytes(20 * 1024 * 1024);

let server: S3Server;
let direct: S3Store;
let count = 0;
const newKey = () => `t/f${++count}.arrow`;

before(async () => {
  server = await startS3();
  direct = await openMarked(s3Options(server));
});
after(() => server.stop());

/** Read by another node, which has no copy. */
async function bytesOf(object: StoredObject): Promise<Buffer> {
  const { path, release } = await direct.open(object);
  try {
    return await readFile(path);
  } finally {
    release();
  }
}

/** Nothing is left of what was under way. */
async function assertNothingLeft(store: S3Store, { cacheDirectory }: S3StoreOptions): Promise<void> {
  assert.equal(store.openCount, 0);
  for (const folder of ['staging', 'fetched'])
    assert.deepEqual(readdirSync(join(cacheDirectory, folder)), [], `${folder} is empty`);
  const client = server.client();
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: server.bucket }));
  client.destroy();
  assert.deepEqual(Uploads, [], 'no upload is left');
}

/** As a put does it: what could not be published is discarded. */
async function publishOrDiscard(store: S3Store, bytes: Uint8Array): Promise<StoredObject> {
  const key = newKey();
  const staged = await store.staging.file(key);
  try {
    await staged.write([bytes]);
    const object = { key, ...contentOf(bytes) };
    await store.publish(staged, object);
    return object;
  } finally {
    await staged.discard();
  }
}

describe('what an S3 server may answer', () => {
  let proxy: S3FaultProxy;
  let options: S3StoreOptions;
  let store: S3Store;
  const seen = observed();

  before(async () => {
    proxy = await S3FaultProxy.start(server.endpoint);
    options = s3Options(server, { endpoint: proxy.endpoint, observe: seen.observe });
    store = await openMarked(options);
  });
  afterEach(async () => {
    proxy.interfere = () => 'pass';
    assert.equal((await proxy.connections()) <= options.requestsMax, true, 'no connection is left over');
    await assertNothingLeft(store, options);
  });
  after(() => proxy.stop());

  const isPut = ({ method, path }: SeenRequest) => method === 'PUT' && !path.includes('uploadId');
  const isPart = ({ path }: SeenRequest) => path.includes('partNumber=');
  const isComplete = ({ method, path }: SeenRequest) => method === 'POST' && path.includes('uploadId=');

  test('503 SlowDown is waited out, and counted', async () => {
    const before = seen.requests('put', 'retried');
    proxy.next(2, 'refuse', isPut);
    assert.deepEqual(await bytesOf(await publishOrDiscard(store, small)), small);
    assert.equal(seen.requests('put', 'retried') - before, 2);
  });

  test('a third of all requests answered with 503 still gives whole objects', async () => {
    let turn = 0;
    proxy.interfere = () => (++turn % 3 === 0 ? 'refuse' : 'pass');
    for (const bytes of [small, large, small])
      assert.deepEqual(await bytesOf(await publishOrDiscard(store, bytes)), bytes);
  });

  test('503 that does not end is unavailable: nothing is stored, and nothing is left', async () => {
    proxy.interfere = () => 'refuse';
    for (const bytes of [small, large])
      await assert.rejects(publishOrDiscard(store, bytes), { kind: 'unavailable' });
    const absent = { key: newKey(), ...contentOf(small) };
    await assert.rejects(store.open(absent), { kind: 'unavailable' });
    await assert.rejects(store.remove(absent.key), { kind: 'unavailable' });
  });

  test('503 to every part: the upload is given up', async () => {
    proxy.next(Number.POSITIVE_INFINITY, 'refuse', isPart);
    await assert.rejects(publishOrDiscard(store, large), { kind: 'unavailable' });
  });

  test('the lost answer to a PUT is not taken for another object: the second try finds its own', async () => {
    proxy.next(1, 'lose', isPut);
    assert.deepEqual(await bytesOf(await publishOrDiscard(store, small)), small);
  });

  test('the lost answer to the completion of an upload is found out', async () => {
    proxy.next(1, 'lose', isComplete);
    assert.deepEqual(await bytesOf(await publishOrDiscard(store, large)), large);
  });

  test('an error in the body of a completion with status 200 is an error, and is tried again', async () => {
    const before = proxy.seen.filter(isComplete).length;
    proxy.next(1, 'spoil', isComplete);
    assert.deepEqual(await bytesOf(await publishOrDiscard(store, large)), large);
    assert.equal(proxy.seen.filter(isComplete).length - before, 2);
  });

  test('a completion that always carries an error stores nothing', async () => {
    proxy.next(Number.POSITIVE_INFINITY, 'spoil', isComplete);
    const key = newKey();
    const staged = await store.staging.file(key);
    await staged.write([large]);
    const object = { key, ...contentOf(large) };
    await assert.rejects(store.publish(staged, object), { kind: 'unavailable' });
    await staged.discard();
    await assert.rejects(direct.open(object), { kind: 'frame_damaged' });
  });

  test('a key that has other bytes is never written over', async () => {
    const object = await publishOrDiscard(store, small);
    const others = await store.staging.file(object.key);
    await others.write([Buffer.from('others')]);
    await assert.rejects(store.publish(others, contentOf('others')), { kind: 'internal' });
    await others.discard();
    assert.deepEqual(await bytesOf(object), small);
  });

  test('an object is written with the encryption that was asked for, in one request and in parts', async () => {
    const keyed = s3Options(server, {
      endpoint: proxy.endpoint,
      encryption: 'aws:kms',
      kmsKey: 'key-of-tests',
    });
    const encrypting = await openUnmarked(keyed);
    const from = proxy.seen.length;
    // The server of the tests knows no keys: what it was asked is what counts.
    await publishOrDiscard(encrypting, small).catch(() => {});
    await publishOrDiscard(encrypting, large).catch(() => {});
    const created = proxy.seen
      .slice(from)
      .filter((each) => isPut(each) || (each.method === 'POST' && each.path.includes('uploads')));
    assert.equal(created.length >= 2, true);
    for (const { headers } of created) {
      assert.equal(headers['x-amz-server-side-encryption'], 'aws:kms');
      assert.equal(headers['x-amz-server-side-encryption-aws-kms-key-id'], 'key-of-tests');
    }
    await closeStore(encrypting, keyed);
  });
});

describe('a bad network', () => {
  let toxiproxy: Toxiproxy;
  let passage: Passage;
  let options: S3StoreOptions;
  let store: S3Store;

  before(async () => {
    toxiproxy = await Toxiproxy.start();
    passage = await toxiproxy.before(server.endpoint);
    options = s3Options(server, { endpoint: passage.url });
    store = await openMarked(options);
  });
  afterEach(async () => {
    await passage.heal();
    await passage.open();
    await assertNothingLeft(store, options);
  });
  after(() => toxiproxy.stop());

  test('300 ms to every answer: slower, and right', async () => {
    await passage.poison({ type: 'latency', attributes: { latency: 300 } });
    const object = await publishOrDiscard(store, large);
    assert.deepEqual(await bytesOf(object), large);
    const theirs = await publishBytes(direct, newKey(), large);
    const { path, release } = await store.open(theirs);
    assert.deepEqual(await readFile(path), large);
    release();
  });

  test('connections cut in the middle of an upload: unavailable or stored whole, and whole once they are not', async () => {
    await passage.poison({ type: 'limit_data', stream: 'upstream', attributes: { bytes: 3_000_000 } });
    await assert.rejects(publishOrDiscard(store, large), { kind: 'unavailable' });
    await passage.heal();
    assert.deepEqual(await bytesOf(await publishOrDiscard(store, large)), large);
  });

  test('connections cut in the middle of a download: never a short file', async () => {
    const theirs = await publishBytes(direct, newKey(), large);
    await passage.poison({ type: 'limit_data', attributes: { bytes: 3_000_000 } });
    await assert.rejects(store.open(theirs), { kind: 'unavailable' });
    await passage.heal();
    const { path, release } = await store.open(theirs);
    assert.deepEqual(await readFile(path), large);
    release();
  });

  test('connections that are reset: unavailable', async () => {
    await passage.poison({ type: 'reset_peer', attributes: { timeout: 0 } });
    await assert.rejects(publishOrDiscard(store, small), { kind: 'unavailable' });
  });

  test('nobody listens: unavailable within seconds, for every call, and right at once when somebody does', async () => {
    const theirs = await publishBytes(direct, newKey(), small);
    await passage.close();
    const began = performance.now();
    const [published, opened, verified, removed] = await Promise.allSettled([
      publishOrDiscard(store, small),
      store.open(theirs),
      store.verify([theirs], { bytesPerSecond: null, signal: new AbortController().signal }),
      store.remove(theirs.key),
    ]);
    for (const each of [published, opened, verified, removed]) {
      assert.equal(each?.status, 'rejected');
      assert.equal((each as PromiseRejectedResult).reason.kind, 'unavailable');
    }
    assertTook(performance.now() - began, 10_000);
    await passage.open();
    const { path, release } = await store.open(theirs);
    assert.deepEqual(await readFile(path), small);
    release();
  });

  test('a caller that leaves stops what is fetched for nobody else', async () => {
    const theirs = await publishBytes(direct, newKey(), large);
    await passage.poison({ type: 'bandwidth', attributes: { rate: 1_000 } });
    const leaves = new AbortController();
    const opening = store.open(theirs, leaves.signal);
    const rejected = assert.rejects(opening, { name: 'AbortError' });
    const folder = join(options.cacheDirectory, 'fetched');
    await eventually('some of it has come', () =>
      readdirSync(folder).some((name) => statSync(join(folder, name)).size > 0),
    );
    leaves.abort();
    await rejected;
    await passage.heal();
    const { path, release } = await store.open(theirs);
    assert.deepEqual(await readFile(path), large);
    release();
  });
});
