import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { Compaction } from '../../../src/frames/background/compaction.ts';
import { openCaller } from '../../../src/model/caller.ts';
import { FrameholdError } from '../../../src/model/errors.ts';
import { partWork } from '../../../src/ports/catalog/leases.ts';
import type { Reading } from '../../../src/ports/reading.ts';
import { dropOf } from '../../catalog/change-builder.ts';
import { arrowBytes, readArrow } from '../../support/python.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { openCore } from '../open-core.ts';

const never = new AbortController().signal;
const folder = temporaryFolder('compacting');
let clock = Date.now();
const core = await openCore(folder, { now: () => clock });
const { catalog, store, collection, observations, frames } = core;
const compacting = new Compaction(core);
after(() => core.close());

async function put(name: string, mode: 'create' | 'append', bytes: Uint8Array): Promise<void> {
  const session = await frames.beginPut(
    openCaller,
    { name, mode, format: 'arrow', originFormat: 'arrow' },
    never,
  );
  await session.write([bytes]);
  await session.finish();
}

function read(name: string): Promise<Reading> {
  return frames.read(openCaller, { name, version: null }, {}, never);
}

function collect(): Promise<void> {
  return collection.collect(never);
}

const pathsOf = (reading: Reading) => reading.sources.flatMap(({ paths }) => paths);

test('small parts become one while a read holds the old ones, and a second run does nothing', async () => {
  const values = Array.from({ length: 12 }, (_, index) => index);
  const streams = await arrowBytes(
    Object.fromEntries(values.map((value) => [`s${value}`, `pa.table({'n': pa.array([${value}, None])})`])),
  );
  for (const value of values)
    await put('f', value === 0 ? 'create' : 'append', streams[`s${value}`] as Uint8Array);
  await catalog.sweep(2, null, Date.now());
  const before = await read('f');
  assert.equal(before.sources.length, 12);

  assert.equal(await compacting.run(never), 1);
  const compacted = observations.find((observation) => observation.event === 'merged');
  assert.deepEqual([compacted?.parts, compacted?.rows], [11, 22]);
  await collect();
  assert.ok(pathsOf(before).every(existsSync), 'an open read keeps what it reads');

  const reading = await read('f');
  assert.deepEqual(
    reading.sources.map(({ rows }) => rows),
    [22, 2],
  );
  assert.equal(reading.record.partCount, 12);
  const table = await readArrow(readFileSync(pathsOf(reading)[0] as string));
  assert.deepEqual(
    table.values.n,
    values.slice(0, 11).flatMap((value) => [value, null]),
  );
  before.release();
  reading.release();
  // What was open is tried again later.
  clock += 60_000;
  await collect();
  assert.deepEqual(
    pathsOf(before).map(existsSync),
    values.map((value) => value === 11),
    'what nobody reads any more goes',
  );
  assert.equal(await compacting.run(never), 0);
});

test('a name that is dropped while its parts are compacted leaves nothing', async () => {
  const { some } = await arrowBytes({ some: "pa.table({'n': pa.array([1])})" });
  for (let count = 0; count < 10; count++) await put('g', count === 0 ? 'create' : 'append', some);
  await catalog.sweep(1, null, Date.now());
  const running = compacting.run(never);
  await catalog.drop(dropOf(openCaller.tenant, 'g', null, null, Date.now()));
  assert.equal(await running, 0);
  await collect();
  const known: string[] = [];
  for await (const keys of store.list()) known.push(...keys);
  assert.equal(known.length, 2, 'only the frame of the first test has files');
});

test('a part that has gone is found damaged, and its neighbours are left alone', async () => {
  const { some } = await arrowBytes({ some: "pa.table({'n': pa.array([1])})" });
  for (let count = 0; count < 8; count++) await put('h', count === 0 ? 'create' : 'append', some);
  await catalog.sweep(1, null, Date.now());
  const reading = await read('h');
  reading.release();
  const lost = (await catalog.parts(openCaller.tenant, 'h', 8))[3]?.forms[0]?.objects[0]?.key ?? '';
  await store.remove(lost);
  assert.equal(await compacting.run(never), 0);
  assert.deepEqual(
    observations.filter(({ event }) => event === 'merge-refused'),
    [],
    'nothing is refused for good because of bytes that may come back',
  );
  assert.equal((await catalog.knownDamage()).length, 1);
  assert.equal((await read('f')).sources.length, 2);
});

test('a run that fails is tried three times and then left alone, also by a server that is started again', async () => {
  const { some } = await arrowBytes({ some: "pa.table({'n': pa.array([1])})" });
  for (let count = 0; count < 8; count++) await put('i', count === 0 ? 'create' : 'append', some);
  await catalog.sweep(1, null, Date.now());
  const before = observations.length;
  const codec = new Proxy(core.codec, {
    get: (target, key) =>
      key === 'compact' ? () => Promise.reject(new Error('broken')) : Reflect.get(target, key),
  });
  for (let start = 1; start <= 2; start++)
    await assert.rejects(new Compaction({ ...core, codec }).run(never), /broken/);
  assert.equal(await new Compaction({ ...core, codec }).run(never), 0);
  assert.equal(await compacting.run(never), 0);
  const failed = observations.slice(before).filter(({ event }) => event === 'merge-failed');
  assert.equal(failed.length, 3);
});

test('a run that a store does not give is tried again, however often', async () => {
  const { some } = await arrowBytes({ some: "pa.table({'n': pa.array([1])})" });
  for (let count = 0; count < 8; count++) await put('k', count === 0 ? 'create' : 'append', some);
  await catalog.sweep(1, null, Date.now());
  const codec = new Proxy(core.codec, {
    get: (target, key) =>
      key === 'compact'
        ? () => Promise.reject(new FrameholdError('unavailable', 'as tested'))
        : Reflect.get(target, key),
  });
  for (let time = 1; time <= 5; time++)
    await assert.rejects(new Compaction({ ...core, codec }).run(never), /as tested/);
  assert.equal(await compacting.run(never), 1);
});

test('a run that ends the server each time is given up without another try', async () => {
  const { some } = await arrowBytes({ some: "pa.table({'n': pa.array([1])})" });
  for (let count = 0; count < 8; count++) await put('j', count === 0 ? 'create' : 'append', some);
  await catalog.sweep(1, null, Date.now());
  const [first] = await catalog.parts(openCaller.tenant, 'j', 8);
  assert.ok(first);
  for (let death = 1; death <= 3; death++) {
    assert.equal(await core.leases.begin(partWork.compact(first.id)), death);
    await core.leases.endEarlier();
  }
  const codec = new Proxy(core.codec, {
    get: (target, key) =>
      key === 'compact' ? () => assert.fail('it is tried again') : Reflect.get(target, key),
  });
  assert.equal(await new Compaction({ ...core, codec }).run(never), 0);
  assert.equal(await compacting.run(never), 0, 'nor is it offered again');
  assert.equal((await catalog.parts(openCaller.tenant, 'j', 8)).length, 8);
});
