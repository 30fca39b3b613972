import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import type { StoredObject } from '../../../src/model/version.ts';
import type { S3Store, S3StoreOptions } from '../../../src/store/s3/s3-store.ts';
import { publishBytes } from '../../support/object-content.ts';
import type { BodyFault } from '../../support/s3-body-faults.ts';
import { S3FaultProxy } from '../../support/s3-fault-proxy.ts';
import { type S3Server, startS3 } from '../../support/s3-server.ts';
import { openMarked, overwrite, s3Options } from './open-s3-store.ts';

const never = new AbortController().signal;
const small = randomBytes(10_000);
/** Two ranges. */
const large = randomBytes(10 * 1024 * 1024);

let server: S3Server;
let proxy: S3FaultProxy;
let writer: S3Store;
let options: S3StoreOptions;
/** A node that reads through the proxy and has no copy. */
let reader: S3Store;
let count = 0;

before(async () => {
  server = await startS3();
  proxy = await S3FaultProxy.start(server.endpoint);
  writer = await openMarked(s3Options(server));
  options = s3Options(server, { endpoint: proxy.endpoint });
  reader = await openMarked(options);
});
afterEach(() => proxy.heal());
after(async () => {
  await proxy.stop();
  await server.stop();
});

const publish = (bytes: Uint8Array) => publishBytes(writer, `t/w${++count}.arrow`, bytes);
const isOf =
  ({ key }: StoredObject) =>
  (path: string) =>
    path.includes(key);

/** The first so many bodies of the object, each in its own way; the rest pass. */
function spoilFirst(object: StoredObject, times: number, kind: BodyFault): void {
  let left = times;
  proxy.spoilBodies({
    share: 1,
    kinds: [kind],
    matches: (path) => isOf(object)(path) && left-- > 0,
  });
}

async function read(object: StoredObject): Promise<Buffer> {
  const { path, release } = await reader.open(object);
  try {
    return readFileSync(path);
  } finally {
    release();
  }
}

function verify(object: StoredObject, bytesPerSecond: number | null = null) {
  return reader.verify([object], { bytesPerSecond, signal: never });
}

describe('a body that was changed on its way', () => {
  for (const kind of ['flip', 'repeat', 'shorten', 'cut', 'delay'] as const)
    test(`${kind}: the object is read again, and its reader gets the right bytes`, async () => {
      for (const bytes of kind === 'flip' || kind === 'cut' ? [small, large] : [small]) {
        const object = await publish(bytes);
        spoilFirst(object, 2, kind);
        assert.deepEqual(await read(object), bytes);
        spoilFirst(object, 2, kind);
        assert.deepEqual(await verify(object), [], 'and it is not damaged');
      }
    });

  test('the reads that follow come over other connections', async () => {
    const object = await publish(small);
    const before = proxy.seen.length;
    spoilFirst(object, 2, 'flip');
    await verify(object);
    const ports = proxy.seen.slice(before).filter(({ path }) => isOf(object)(path));
    assert.equal(new Set(ports.map(({ clientPort }) => clientPort)).size, 3);
  });

  test('changed in another way each time, it is unavailable: that says nothing about the object', async () => {
    const object = await publish(small);
    proxy.spoilBodies({ share: 1, kinds: ['flip'], matches: isOf(object) });
    await assert.rejects(reader.open(object), { kind: 'unavailable', message: /damaged on their way/ });
    for (const bytesPerSecond of [null, 10_000_000])
      await assert.rejects(verify(object, bytesPerSecond), { kind: 'unavailable' });
    proxy.heal();
    assert.deepEqual(await read(object), small);
    assert.deepEqual(readdirSync(join(options.cacheDirectory, 'fetched')), []);
  });

  test('an object that is missing twice is not missing', async () => {
    const object = await publish(small);
    let left = 2;
    proxy.interfere = ({ path }) => (isOf(object)(path) && left-- > 0 ? 'deny' : 'pass');
    assert.deepEqual(await verify(object), []);
    left = 2;
    assert.deepEqual(await read(object), small);
  });
});

test('what is stored wrongly is found, also if bodies are changed on their way now and then', async () => {
  const object = await publish(small);
  await overwrite(server, options, object.key, randomBytes(10_000));
  const [fault] = await verify(object);
  assert.equal(fault?.kind, 'corrupt');
  await assert.rejects(reader.open(object), { kind: 'frame_damaged' });
  spoilFirst(object, 1, 'flip');
  await assert.rejects(verify(object), { kind: 'unavailable' }, 'three reads must say the same');
});

test('the result of an engine is stored as it was written', async () => {
  const folder = await reader.results.create('acme');
  const { host, pathname } = new URL(folder.address.replace('s3a:', 'http:'));
  const client = server.client();
  for (const [name, Body] of [
    ['_SUCCESS', ''],
    ['part-00000-a.parquet', small],
  ] as const)
    await client.send(new PutObjectCommand({ Bucket: host, Key: `${pathname.slice(1)}/${name}`, Body }));
  client.destroy();
  const [file] = await folder.files();
  if (file === undefined) throw new Error('it was written');
  const target = join(options.cacheDirectory, 'copied');
  let left = 1;
  const matches = (path: string) => path.includes('part-00000-a') && left-- > 0;
  proxy.spoilBodies({ share: 1, kinds: ['flip'], matches });
  await folder.copy(file, target, never);
  assert.deepEqual(readFileSync(target), small);
  proxy.spoilBodies({ share: 1, kinds: ['flip'], matches: (path) => path.includes('part-00000-a') });
  await assert.rejects(folder.copy(file, `${target}-2`, never), { kind: 'unavailable' });
  proxy.heal();
  await folder.remove();
});

test('a third of all bodies flipped: whatever is read is right, and nothing is damaged', async () => {
  const objects: StoredObject[] = [];
  for (let index = 0; index < 40; index++) objects.push(await publish(small));
  proxy.spoilBodies({ share: 0.3, kinds: ['flip'] });
  const before = proxy.spoiledBodies;
  let unavailable = 0;
  for (const object of objects) {
    try {
      assert.deepEqual(await read(object), small);
      assert.deepEqual(await verify(object), []);
    } catch (error) {
      assert.equal((error as { kind?: string }).kind, 'unavailable');
      unavailable += 1;
    }
  }
  assert.ok(proxy.spoiledBodies > before, 'some were spoiled');
  assert.ok(unavailable < 20, `${unavailable} of 40 could not be read`);
});
