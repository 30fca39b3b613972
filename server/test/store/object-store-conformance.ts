import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { StoredObject } from '../../src/model/version.ts';
import type { ObjectStore } from '../../src/ports/object-store.ts';
import { contentOf, publishBytes } from '../support/object-content.ts';

/** What every object store must do. `open` gives a store on an empty place; `reopen` closes and opens the same place again. */
export interface StoreUnderTest {
  readonly store: ObjectStore;
  reopen(): Promise<ObjectStore>;
  /** The bytes at an address, read without the store. */
  read(address: string): Promise<Buffer>;
  /** Gives a stored object other bytes, as a fault of the medium would. */
  damage(key: string, bytes: string): Promise<void>;
}

export function objectStoreConformance(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`object store: ${name}`, () => {
    it('a published object has the bytes that were written, in order', async () => {
      const { store } = await open();
      const staged = await store.staging.file('t/aa.arrow');
      await staged.write([Buffer.from('one,'), Buffer.from('two,')]);
      await staged.write([Buffer.from('three')]);
      assert.equal(staged.bytesWritten, 13);
      const object = { key: 't/aa.arrow', ...contentOf('one,two,three') };
      await store.publish(staged, object);
      assert.equal((await read(store, object)).toString(), 'one,two,three');
    });

    it('every byte below bytesWritten can be read from the staged path', async () => {
      const { store } = await open();
      const staged = await store.staging.file('t/ab.arrow');
      await staged.write([Buffer.from('seen')]);
      assert.equal((await readFile(staged.path, 'utf8')).slice(0, staged.bytesWritten), 'seen');
      await staged.discard();
    });

    it('more buffers than one system call takes are all written', async () => {
      const { store } = await open();
      const staged = await store.staging.file('t/ac.arrow');
      const buffers = Array.from({ length: 5_000 }, (_, index) => Buffer.from([index & 255]));
      await staged.write(buffers);
      const object = { key: 't/ac.arrow', ...contentOf(Buffer.concat(buffers)) };
      await store.publish(staged, object);
      assert.deepEqual(await read(store, object), Buffer.concat(buffers));
    });

    it('what is staged is not listed, and is gone after discard', async () => {
      const { store } = await open();
      const staged = await store.staging.file('t/ad.arrow');
      await staged.write([Buffer.from('x')]);
      assert.deepEqual(await keys(store), []);
      await staged.discard();
      await staged.discard();
      await assert.rejects(stat(staged.path), { code: 'ENOENT' });
    });

    it('verify finds what is missing, has another size or other bytes, and nothing else', async () => {
      const { store, damage } = await open();
      for (const key of ['t/va.arrow', 't/vb.arrow', 't/vc.0.parquet'])
        await publishBytes(store, key, 'sound');
      const objects = ['t/va.arrow', 't/vb.arrow', 't/vc.0.parquet', 't/vd.arrow'].map((key) => ({
        key,
        ...contentOf('sound'),
      }));
      await damage('t/vb.arrow', 'sounD');
      await damage('t/vc.0.parquet', 'soun');
      for (const bytesPerSecond of [null, 1_000_000]) {
        const signal = new AbortController().signal;
        const faults = await store.verify(objects, { bytesPerSecond, signal });
        assert.deepEqual(
          faults.map(({ key, kind }) => `${key} ${kind}`),
          ['t/vb.arrow corrupt', 't/vc.0.parquet wrong-size', 't/vd.arrow missing'],
        );
      }
    });

    it('reports how much space is left', async () => {
      const { store } = await open();
      assert.ok((await store.staging.freeBytes('t/aa.arrow')) > 0);
      assert.ok((await store.staging.freeBytes('t/aa.0.parquet')) > 0);
    });

    it('an object that is open stays until it is released, and one that was removed cannot be opened', async () => {
      const { store } = await open();
      const object = await publishBytes(store, 't/pa.arrow', 'pinned');
      const [first, second] = [await store.open(object), await store.open(object)];
      assert.equal(store.openCount, 1);
      first.release();
      first.release();
      // A store on another machine removes the object and keeps the local file.
      if (!(await store.remove('t/pa.arrow'))) assert.deepEqual(await keys(store), ['t/pa.arrow']);
      assert.equal(await readFile(second.path, 'utf8'), 'pinned');
      second.release();
      assert.equal(store.openCount, 0);
      const [removed, late] = await Promise.allSettled([store.remove('t/pa.arrow'), store.open(object)]);
      assert.deepEqual(removed, { status: 'fulfilled', value: true });
      assert.equal(late.status, 'rejected');
      assert.equal(await store.remove('t/pa.arrow'), true, 'repeating the call is safe');
      assert.equal(store.openCount, 0);
    });

    it('an address is where others find the object, and names nothing else', async () => {
      const { store, read } = await open();
      for (const key of ['t/ba.arrow', 't/ba.0.parquet']) {
        await publishBytes(store, key, `at ${key}`);
        assert.equal((await read(store.address(key))).toString(), `at ${key}`);
      }
      assert.notEqual(store.address('t/ba.arrow'), store.address('t/ba.0.parquet'));
      assert.throws(() => store.address('t/../../a.arrow'), /not an object key/);
    });

    it('an object that is held for others stays at its address, where holding it keeps it', async () => {
      const { store, read } = await open();
      const object = await publishBytes(store, 't/bb.0.parquet', 'held');
      const [first, second] = [await store.hold(object), await store.hold(object)];
      first();
      first();
      // A store on another machine removes the object: there, readers renew it in the catalog.
      if (!(await store.remove(object.key)))
        assert.equal((await read(store.address(object.key))).toString(), 'held');
      second();
      assert.equal(store.openCount, 0);
      assert.equal(await store.remove(object.key), true);
    });

    it('discard after publish leaves the object', async () => {
      const { store } = await open();
      const staged = await store.staging.file('t/ae.arrow');
      await staged.write([Buffer.from('kept')]);
      const object = { key: 't/ae.arrow', ...contentOf('kept') };
      await store.publish(staged, object);
      await staged.discard();
      assert.equal((await read(store, object)).toString(), 'kept');
    });

    it('a finished file of a worker can be published', async () => {
      const { store } = await open();
      const path = join(store.staging.directory('t/af.0.parquet'), 'made');
      await writeFile(path, 'parquet');
      const object = { key: 't/af.0.parquet', ...contentOf('parquet') };
      await store.publish({ key: object.key, path }, object);
      assert.equal((await read(store, object)).toString(), 'parquet');
      await assert.rejects(stat(path), { code: 'ENOENT' });
    });

    it('lists every object of every tenant, across pages', async () => {
      const { store } = await open();
      const wanted: string[] = [];
      for (let index = 0; index < 1_100; index++) {
        const key = `${index % 2 === 0 ? 'a' : 'b'}/p${index}.arrow`;
        const path = join(store.staging.directory(key), `n${index}`);
        await writeFile(path, '');
        await store.publish({ key, path }, contentOf(''));
        wanted.push(key);
      }
      assert.deepEqual((await keys(store)).sort(), wanted.sort());
    });

    it('remove takes the object away, and is no error for an unknown key', async () => {
      const { store } = await open();
      const object = await publishBytes(store, 't/ag.arrow', '');
      await store.remove('t/ag.arrow');
      await store.remove('t/ag.arrow');
      assert.deepEqual(await keys(store), []);
      await assert.rejects(store.open(object), { kind: 'frame_damaged' });
    });

    it('objects survive reopening, staged files do not', async () => {
      const { store, reopen } = await open();
      await publishBytes(store, 't/ah.arrow', 'kept');
      const staged = await store.staging.file('t/ai.arrow');
      const scratch = join(store.staging.directory('t/ai.0.parquet'), 'left');
      await writeFile(scratch, '');
      const again = await reopen();
      assert.deepEqual(await keys(again), ['t/ah.arrow']);
      await assert.rejects(stat(staged.path), { code: 'ENOENT' });
      await assert.rejects(stat(scratch), { code: 'ENOENT' });
      await staged.discard();
    });
  });
}

async function read(store: ObjectStore, object: StoredObject): Promise<Buffer> {
  const { path, release } = await store.open(object);
  try {
    return await readFile(path);
  } finally {
    release();
    release();
  }
}

async function keys(store: ObjectStore): Promise<string[]> {
  const all: string[] = [];
  for await (const page of store.list()) all.push(...page);
  return all;
}
