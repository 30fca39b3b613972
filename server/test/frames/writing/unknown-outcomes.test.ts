import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, afterEach, describe, test } from 'node:test';
import { outcomeUnknown } from '../../../src/catalog/refusals.ts';
import { Compaction } from '../../../src/frames/background/compaction.ts';
import { PartTranscoding } from '../../../src/frames/parts/part-transcoding.ts';
import { openCaller } from '../../../src/model/caller.ts';
import type { Catalog } from '../../../src/ports/catalog/catalog.ts';
import type { ObjectStore } from '../../../src/ports/object-store.ts';
import { garbageOf } from '../../catalog/conformance/assertions.ts';
import { type Fault, faultyPort } from '../../support/faulty-port.ts';
import { arrowBytes } from '../../support/python.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { openCore } from '../open-core.ts';

/** The catalog's answer is lost, before or after the change took effect, once or for good. */

const never = new AbortController().signal;
const { tenant } = openCaller;
const catalogFaults = new Map<keyof Catalog, Fault>();
const storeFaults = new Map<keyof ObjectStore, Fault>();
const core = await openCore(temporaryFolder('unknown-outcomes'), {
  wrapCatalog: (catalog) => faultyPort(catalog, catalogFaults),
  wrapStore: (store) => faultyPort(store, storeFaults),
});
const { catalog, store, frames, collection, observations } = core;
const { table } = await arrowBytes({ table: "pa.table({'n': pa.array([1, 2, 3])})" });

after(() => core.close());
afterEach(() => {
  catalogFaults.clear();
  storeFaults.clear();
});

const lost = () => outcomeUnknown(new Error('the connection was cut'));
/** Of the change that the answer is lost of. */
const moments = {
  before: () => Promise.reject(lost()),
  after: async (work: () => Promise<unknown>) => {
    await work();
    throw lost();
  },
};
type Moment = keyof typeof moments;

/** Loses so many answers to an operation. */
function lose(operation: keyof Catalog, moment: Moment, times: number): void {
  let left = times;
  catalogFaults.set(operation, (work) => (left-- > 0 ? moments[moment](work) : work()));
}

async function put(name: string, mode: 'create' | 'append'): Promise<void> {
  const target = { name, mode, format: 'arrow', originFormat: 'arrow' } as const;
  const session = await frames.beginPut(openCaller, target, never);
  await session.write([table]);
  await session.finish();
}

async function rowsOf(name: string): Promise<number> {
  const reading = await frames.read(openCaller, { name, version: null }, {}, never);
  try {
    const files = reading.sources.flatMap(({ paths }) => paths);
    assert.ok(files.every(existsSync), 'every part has its file');
    return reading.sources.reduce((sum, { rows }) => sum + rows, 0);
  } finally {
    reading.release();
  }
}

async function storedKeys(): Promise<Set<string>> {
  const found = new Set<string>();
  for await (const keys of store.list()) for (const key of keys) found.add(key);
  return found;
}

async function appended(name: string, count: number): Promise<void> {
  for (let index = 0; index < count; index++) await put(name, index === 0 ? 'create' : 'append');
}

for (const moment of ['before', 'after'] as const) {
  describe(`the answer is lost ${moment} the change`, () => {
    test('put and append have one effect if the catalog answers again', async () => {
      const name = `again-${moment}`;
      for (const mode of ['create', 'append'] as const) {
        lose('commit', moment, 2);
        await put(name, mode);
      }
      assert.equal((await catalog.resolve(tenant, name, null, Date.now())).version, 2);
      assert.equal(await rowsOf(name), 6);
    });

    test('put and append keep their objects if it does not', async () => {
      const name = `silent-${moment}`;
      for (const mode of ['create', 'append'] as const) {
        const before = await storedKeys();
        lose('commit', moment, 100);
        await assert.rejects(put(name, mode), { kind: 'outcome_unknown' });
        catalogFaults.clear();
        assert.equal((await storedKeys()).size, before.size + 1);
        if (moment === 'before') await put(name, mode);
      }
      assert.equal(await rowsOf(name), 6);
    });

    test('a drop ends the frame once', async () => {
      const name = `dropped-${moment}`;
      await put(name, 'create');
      lose('drop', moment, 2);
      await frames.drop(openCaller, { name, version: null }, { ifVersion: null, purge: false }, never);
      await assert.rejects(rowsOf(name), { kind: 'frame_gone' });
      assert.equal((await frames.undrop(openCaller, name, never)).record.version, 1);
      assert.equal(await rowsOf(name), 3);
    });

    test('a compaction loses no row, whether or not the catalog answers again', async () => {
      for (const times of [2, 100]) {
        const name = `compacted-${moment}-${times}`;
        await appended(name, 9);
        await catalog.sweep(1, null, Date.now());
        lose('compact', moment, times);
        await new Compaction(core).run(never).catch(() => {});
        catalogFaults.clear();
        await collection.collect(never);
        assert.equal(await rowsOf(name), 27);
        await new Compaction(core).run(never);
        await collection.collect(never);
        assert.equal(await rowsOf(name), 27);
        assert.equal((await catalog.parts(tenant, name, 9)).length, 1);
      }
    });

    test('a part is transcoded, whether or not the catalog answers again', async () => {
      for (const times of [2, 100]) {
        const name = `transcoded-${moment}-${times}`;
        await put(name, 'create');
        const transcoding = new PartTranscoding(core);
        const transcode = async () => {
          const [part] = await catalog.parts(tenant, name, 1);
          assert.ok(part);
          return await transcoding.transcode(part, { interactive: true }, never);
        };
        lose('addForm', moment, times);
        const { kind } = await transcode();
        assert.equal(kind, times === 2 ? 'transcoded' : 'failed');
        catalogFaults.clear();
        await transcode();
        await collection.collect(never);
        const [part] = await catalog.parts(tenant, name, 1);
        const parquet = part?.forms.find((form) => form.kind === 'parquet')?.objects ?? [];
        assert.equal(parquet.length, 1);
        const stored = await storedKeys();
        assert.ok(parquet.every(({ key }) => stored.has(key)));
      }
    });
  });
}

test('a put whose objects cannot be removed gives its place back, and says so', async () => {
  const refuse = () => Promise.reject(new Error('the store does not answer'));
  for (let tries = 0; tries < 10; tries++) {
    storeFaults.set('remove', refuse);
    if (tries === 0) await put('taken', 'create');
    else {
      // Refused by the commit, not before: the object is in the store by then.
      catalogFaults.set('resolve', () => Promise.reject(Object.assign(lost(), { kind: 'frame_not_found' })));
      await assert.rejects(put('taken', 'create'), { kind: 'frame_exists' });
      catalogFaults.clear();
    }
  }
  assert.ok(observations.some((each) => each.event === 'background-failed' && each.job === 'put'));
  storeFaults.clear();
  assert.equal(await rowsOf('taken'), 3);
});

test('an object that cannot be removed does not hold up the others', async () => {
  const names = Array.from({ length: 5 }, (_, index) => `rubbish-${index}`);
  const keys: string[] = [];
  for (const name of names) {
    await put(name, 'create');
    const [part] = await catalog.parts(tenant, name, 1);
    keys.push(part?.forms[0]?.objects[0]?.key ?? '');
    await frames.drop(openCaller, { name, version: null }, { ifVersion: null, purge: true }, never);
  }
  let removals = 0;
  storeFaults.set('remove', (work) => (removals++ === 1 ? Promise.reject(new Error('held')) : work()));
  await collection.collect(never);
  const stored = await storedKeys();
  assert.equal(keys.filter((key) => stored.has(key)).length, 1);
  assert.ok(observations.some((each) => each.event === 'background-failed' && each.job === 'collect'));
  storeFaults.clear();
  await collection.collect(never);
  assert.deepEqual(await garbageOf(catalog, 10), []);
});
