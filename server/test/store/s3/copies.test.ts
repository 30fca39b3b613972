import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ObjectReader } from '../../../src/frames/objects/object-reader.ts';
import type { StoredObject } from '../../../src/model/version.ts';
import type { S3Store, S3StoreOptions } from '../../../src/store/s3/s3-store.ts';
import { publishBytes } from '../../support/object-content.ts';
import { type S3Server, startS3 } from '../../support/s3-server.ts';
import { flipBit } from '../../support/stored-objects.ts';
import { closeStore, observed, openMarked, overwrite, s3Options } from './open-s3-store.ts';

let server: S3Server;
before(async () => {
  server = await startS3();
});
after(() => server.stop());

const never = new AbortController().signal;
let count = 0;
const newKey = () => `t/c${++count}.arrow`;

interface Node {
  readonly store: S3Store;
  readonly options: S3StoreOptions;
  readonly seen: ReturnType<typeof observed>;
}

async function openNode(changes: Partial<S3StoreOptions> = {}): Promise<Node> {
  const seen = observed();
  const options = s3Options(server, { observe: seen.observe, ...changes });
  return { store: await openMarked(options), options, seen };
}

/** The node after a restart, with the copies it had. */
async function restarted({ store, options }: Node): Promise<Node> {
  await closeStore(store);
  const seen = observed();
  return { store: await openMarked({ ...options, observe: seen.observe }), options, seen };
}

async function read(store: S3Store, object: StoredObject): Promise<Buffer> {
  const { path, release } = await store.open(object);
  try {
    return readFileSync(path);
  } finally {
    release();
  }
}

/** Fetches of objects; the bucket's identity is fetched too. */
const fetches = ({ seen }: Node) =>
  seen.observations.filter(({ event }) => event === 'object-fetched').length;
const misses = ({ seen }: Node) =>
  seen.observations.filter((each) => each.event === 'object-cache' && !each.hit).length;

describe('copies of objects on a node', () => {
  test('what was published is its own copy: it is not fetched', async () => {
    const node = await openNode();
    for (const bytes of [Buffer.from('small'), randomBytes(20_000_000)]) {
      const object = await publishBytes(node.store, newKey(), bytes);
      assert.deepEqual(await read(node.store, object), bytes);
    }
    assert.equal(fetches(node), 0);
    assert.equal(misses(node), 0);
  });

  test('twenty readers at once fetch an object once', async () => {
    const [writer, reader] = [await openNode(), await openNode()];
    const bytes = randomBytes(20_000_000);
    const object = await publishBytes(writer.store, newKey(), bytes);
    const all = await Promise.all(Array.from({ length: 20 }, () => read(reader.store, object)));
    for (const each of all) assert.deepEqual(each, bytes);
    assert.equal(fetches(reader), 1);
    assert.equal(reader.store.openCount, 0);
  });

  test('copies survive a restart, and are compared once before they are used', async () => {
    const first = await openNode();
    const [sound, changed] = [randomBytes(50_000), randomBytes(50_000)];
    const objects = [
      await publishBytes(first.store, newKey(), sound),
      await publishBytes(first.store, newKey(), changed),
    ] as const;
    const { path, release } = await first.store.open(objects[1]);
    release();
    flipBit(path, 0.5);
    const second = await restarted(first);
    assert.deepEqual(await read(second.store, objects[0]), sound);
    assert.equal(fetches(second), 0);
    assert.deepEqual(await read(second.store, objects[1]), changed);
    assert.equal(fetches(second), 1, 'the copy that had changed was fetched again');
    assert.deepEqual(await read(second.store, objects[1]), changed);
    assert.equal(fetches(second), 1);
  });

  test('a copy that changes while the server runs is found when a reader complains, and is no damage', async () => {
    const node = await openNode();
    const bytes = randomBytes(50_000);
    const object = await publishBytes(node.store, newKey(), bytes);
    const { path, release } = await node.store.open(object);
    flipBit(path, 0.5);
    assert.deepEqual(await node.store.verify([object], { bytesPerSecond: null, signal: never }), []);
    assert.deepEqual(await read(node.store, object), bytes, 'the copy was fetched again');
    release();
    assert.equal(fetches(node), 1);
  });

  test('a copy that somebody removed is fetched again', async () => {
    const node = await openNode();
    const object = await publishBytes(node.store, newKey(), 'swept away');
    const { path, release } = await node.store.open(object);
    release();
    await rm(path);
    assert.equal((await read(node.store, object)).toString(), 'swept away');
  });

  test('bytes that changed in the bucket are never given to a reader', async () => {
    const [writer, reader] = [await openNode(), await openNode()];
    const object = await publishBytes(writer.store, newKey(), 'as they were');
    await overwrite(server, writer.options, object.key, 'as they are!');
    await assert.rejects(reader.store.open(object), { kind: 'frame_damaged' });
    const [fault] = await reader.store.verify([object], { bytesPerSecond: null, signal: never });
    assert.equal(fault?.kind, 'corrupt');
    assert.deepEqual(readdirSync(join(reader.options.cacheDirectory, 'fetched')), []);
    assert.equal(
      (await read(writer.store, object)).toString(),
      'as they were',
      'whoever has a sound copy reads it',
    );
  });

  test('an object that another node removes stays for those who read it, and is gone for others', async () => {
    const [reader, remover] = [await openNode(), await openNode()];
    const object = await publishBytes(reader.store, newKey(), 'still read');
    const { path, release } = await reader.store.open(object);
    assert.equal(await remover.store.remove(object.key), true);
    assert.equal(readFileSync(path, 'utf8'), 'still read');
    release();
    await assert.rejects(remover.store.open(object), { kind: 'frame_damaged' });
  });

  test('what an earlier process had not finished is removed at the start', async () => {
    const first = await openNode();
    const { cacheDirectory } = first.options;
    for (const folder of ['staging', 'fetched'])
      writeFileSync(join(cacheDirectory, folder, 'half'), 'of an object');
    writeFileSync(join(cacheDirectory, 'objects', 'stray'), 'no object');
    await restarted(first);
    for (const folder of ['staging', 'fetched', 'objects'])
      assert.equal(
        readdirSync(join(cacheDirectory, folder)).filter((name) => name !== 't').length,
        0,
        folder,
      );
  });
});

describe('a cache that is too small', () => {
  const kilobyte = 1_000;
  const bytesOf = (store: S3Store, size: number) => publishBytes(store, newKey(), randomBytes(size));
  const filesOf = ({ options }: Node) => {
    const folder = join(options.cacheDirectory, 'objects', 't');
    return readdirSync(folder).map((name) => name.split('~')[0]);
  };
  const nameOf = ({ key }: StoredObject) => key.slice(2);

  test('what was not used for longest goes first, and what is open stays', async () => {
    const node = await openNode({ cacheBytesMax: 30 * kilobyte });
    const objects: StoredObject[] = [];
    for (let index = 0; index < 3; index++) objects.push(await bytesOf(node.store, 10 * kilobyte));
    const [oldest, second, third] = objects as [StoredObject, StoredObject, StoredObject];
    const { release } = await node.store.open(oldest);
    await read(node.store, second);
    await bytesOf(node.store, 10 * kilobyte);
    assert.equal(filesOf(node).includes(nameOf(oldest)), true, 'it is open');
    assert.equal(filesOf(node).includes(nameOf(second)), true, 'it was used after the third');
    await read(node.store, third);
    release();
    assert.equal(fetches(node), 1, 'the third was fetched again');
  });

  test('a read that needs more than the cache holds says so, before it fetches anything', async () => {
    const writer = await openNode();
    const node = await openNode({ cacheBytesMax: 15 * kilobyte });
    const objects = [await bytesOf(writer.store, 10 * kilobyte), await bytesOf(writer.store, 10 * kilobyte)];
    const catalog = { renew: async () => {} };
    const reader = new ObjectReader(
      { catalog, store: node.store, observe: () => {}, now: Date.now },
      { delayMs: 0, intervalMs: 60_000 },
    );
    await assert.rejects(reader.open(objects), (error: { kind: string; hint: string; message: string }) => {
      assert.equal(error.kind, 'disk_full');
      assert.match(error.message, /20000 bytes .* holds 15000/);
      assert.match(error.hint, /storage\.cache_size_gb/);
      return true;
    });
    assert.equal(fetches(node), 0);
    for (const object of objects) (await reader.open([object])).release();
    reader.close();
  });

  test('one who finds the cache full of what others read is told to come back, and can', async () => {
    const writer = await openNode();
    const node = await openNode({ cacheBytesMax: 15 * kilobyte });
    const [held, wanted] = [
      await bytesOf(writer.store, 10 * kilobyte),
      await bytesOf(writer.store, 10 * kilobyte),
    ];
    const { path, release } = await node.store.open(held);
    await assert.rejects(node.store.open(wanted), { kind: 'overloaded' });
    assert.equal(readFileSync(path).byteLength, 10 * kilobyte);
    release();
    assert.equal((await read(node.store, wanted)).byteLength, 10 * kilobyte);
  });

  test('an object that is larger than the cache can be published, and cannot be opened', async () => {
    const node = await openNode({ cacheBytesMax: 5 * kilobyte });
    const object = await bytesOf(node.store, 10 * kilobyte);
    await assert.rejects(node.store.open(object), { kind: 'disk_full' });
    for (const folder of ['objects', 'staging', 'fetched'])
      assert.deepEqual(readdirSync(join(node.options.cacheDirectory, folder)), []);
  });

  test('sixteen readers of more than the cache holds read right bytes or are told to come back; it never holds more', async () => {
    const writer = await openNode();
    const node = await openNode({ cacheBytesMax: 50 * kilobyte });
    const objects: { readonly object: StoredObject; readonly bytes: Buffer }[] = [];
    for (let index = 0; index < 12; index++) {
      const bytes = randomBytes(10 * kilobyte);
      objects.push({ object: await publishBytes(writer.store, newKey(), bytes), bytes });
    }
    let [right, later] = [0, 0];
    const reader = async (start: number) => {
      for (let step = 0; step < 20; step++) {
        const { object, bytes } = objects[
          (start * 7 + step * 5) % objects.length
        ] as (typeof objects)[number];
        try {
          assert.deepEqual(await read(node.store, object), bytes);
          right += 1;
        } catch (error) {
          assert.equal((error as { kind?: string }).kind, 'overloaded');
          later += 1;
        }
      }
    };
    await Promise.all(Array.from({ length: 16 }, (_, index) => reader(index)));
    assert.equal(right + later, 320);
    assert.equal(right > 100, true, `${right} of 320 were read`);
    assert.equal(node.store.openCount, 0);
    const sizes = node.seen.observations.flatMap((each) => (each.event === 'cache-size' ? [each.bytes] : []));
    assert.equal(Math.max(...sizes) <= 50 * kilobyte, true);
  });
});
