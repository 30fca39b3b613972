import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { after, afterEach, test } from 'node:test';
import { ObjectGuard } from '../../../src/frames/objects/object-guard.ts';
import { ObjectReader } from '../../../src/frames/objects/object-reader.ts';
import { PartTranscoding } from '../../../src/frames/parts/part-transcoding.ts';
import { openCaller } from '../../../src/model/caller.ts';
import type { VersionRecord } from '../../../src/model/version.ts';
import { sliceOf } from '../../../src/model/version-slice.ts';
import { AddressedVersions } from '../../../src/sql/tables/addressed-versions.ts';
import { openCore } from '../../frames/open-core.ts';
import { arrowBytes } from '../../support/python.ts';
import { stoppedClock } from '../../support/stopped-clock.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';

const never = new AbortController().signal;
const folder = temporaryFolder('addressed-versions');
const { table, empty } = await arrowBytes({
  table: "pa.table({'n': pa.array([1, 2, 3])})",
  empty: "pa.table({'n': pa.array([], pa.int64())})",
});
const core = await openCore(folder);
const { store, catalog, observations } = core;
const versions = new AddressedVersions({ ...core, transcoding: new PartTranscoding(core) });

after(async () => {
  await core.close();
  removeFolder(folder);
});
afterEach(() => assert.equal(store.openCount, 0, 'something is still held'));

interface PutOptions {
  readonly bytes?: Uint8Array;
  readonly mode?: 'create' | 'replace';
}

async function put(
  { frames }: Pick<typeof core, 'frames'>,
  name: string,
  count: number,
  { bytes = table as Uint8Array, mode = 'create' }: PutOptions = {},
): Promise<void> {
  for (let index = 0; index < count; index++) {
    const target = {
      name,
      mode: index === 0 ? mode : 'append',
      format: 'arrow',
      originFormat: 'arrow',
    } as const;
    const session = await frames.beginPut(openCaller, target, never);
    await session.write([bytes]);
    await session.finish();
  }
}

async function newly(name: string, count: number, options?: PutOptions): Promise<VersionRecord> {
  await put(core, name, count, options);
  return await newest(name);
}

async function newest(name: string): Promise<VersionRecord> {
  return await catalog.resolve(openCaller.tenant, name, null, Date.now());
}

function bytesAt(address: string): Buffer {
  return readFileSync(address.slice('file://'.length));
}

test('every part has a file of its own in the store, also a small one, in the order of the rows', async () => {
  const record = await newly('many', 12);
  const opened = await versions.open(record, never);
  const parts = await catalog.parts(record.tenant, record.name, record.version);
  const keys = parts.flatMap(({ forms }) => forms.find(({ kind }) => kind === 'parquet')?.objects ?? []);
  assert.equal(keys.length, 12);
  assert.deepEqual(
    opened.files,
    keys.map(({ key }) => store.address(key)),
  );
  assert.deepEqual(opened.objects, keys);
  for (const file of opened.files) assert.equal(bytesAt(file).subarray(0, 4).toString(), 'PAR1');
  opened.release();
  opened.release();
});

test('a version that was opened before needs nothing to be transcoded', async () => {
  const record = await newest('many');
  const before = observations.filter(({ event }) => event === 'settled').length;
  (await versions.open(record, never)).release();
  assert.equal(observations.filter(({ event }) => event === 'settled').length, before);
});

test('rows since a version are the files that have them, or are refused if these have others', async () => {
  const record = await newest('many');
  const slice = (firstRow: number, endRow: number) =>
    sliceOf(record, { after: 2, until: 4, untilId: 'four', firstRow, endRow });
  const whole = await versions.open(record, never);
  const some = await versions.open(slice(6, 12), never);
  assert.deepEqual(some.files, whole.files.slice(2, 4));
  for (const opened of [whole, some]) opened.release();
  await assert.rejects(versions.open(slice(7, 12), never), {
    kind: 'not_representable',
    message: /many@2\.\.4: the rows begin or end inside/,
  });
});

test('a part without rows is transcoded like any other', async () => {
  const opened = await versions.open(await newly('empty', 1, { bytes: empty as Uint8Array }), never);
  assert.equal(opened.files.length, opened.objects.length);
  opened.release();
});

test('what another put replaces meanwhile stays until it is released', async () => {
  let clock = Date.now();
  const replaced = await openCore(temporaryFolder('addressed-replaced'), { now: () => clock });
  after(() => replaced.close());
  const opener = new AddressedVersions({ ...replaced, transcoding: new PartTranscoding(replaced) });
  await put(replaced, 'f', 2);
  const opened = await opener.open(
    await replaced.catalog.resolve(openCaller.tenant, 'f', null, clock),
    never,
  );
  await put(replaced, 'f', 1, { mode: 'replace' });
  await replaced.catalog.sweep(1, null, clock);
  await replaced.collection.collect(never);
  for (const file of opened.files) assert.equal(bytesAt(file).subarray(0, 4).toString(), 'PAR1');
  opened.release();
  clock += 30_000;
  await replaced.collection.collect(never);
  for (const file of opened.files) assert.throws(() => bytesAt(file), { code: 'ENOENT' });
});

test('what is read on another machine is renewed in the catalog until it is released', async (context) => {
  const clock = stoppedClock(context);
  const intervalMs = 5_000;
  const renewed: (readonly string[])[] = [];
  const reader = new ObjectReader(
    { ...core, catalog: { renew: async (keys) => void renewed.push(keys) } },
    { delayMs: 60_000, intervalMs },
  );
  after(() => reader.close());
  const opener = new AddressedVersions({ ...core, reader, transcoding: new PartTranscoding(core) });
  const opened = await opener.open(await newest('many'), never);
  clock.pass(intervalMs);
  assert.deepEqual(
    renewed.at(-1),
    opened.objects.map(({ key }) => key),
  );
  assert.equal(renewed.length, 1);
  opened.release();
  clock.pass(10 * intervalMs);
  assert.equal(renewed.length, 1);
});

test('a damaged object is transcoded again, out of the Arrow form', async () => {
  const record = await newly('damaged', 1);
  const first = await versions.open(record, never);
  const [address] = first.files as [string];
  first.release();
  writeFileSync(address.slice('file://'.length), 'PAR1 no more');
  // What this process has found sound is not compared again; another process does.
  const guard = new ObjectGuard({ ...core, onDamage: () => {} });
  const other = new AddressedVersions({ ...core, guard, transcoding: new PartTranscoding(core) });
  const again = await other.open(record, never);
  assert.notEqual(again.files[0], address);
  assert.equal(
    bytesAt(again.files[0] as string)
      .subarray(0, 4)
      .toString(),
    'PAR1',
  );
  again.release();
});

test('an object that has gone is transcoded again, and nothing stays held', async () => {
  const record = await newly('gone', 2);
  const first = await versions.open(record, never);
  const [, second] = first.files as [string, string];
  first.release();
  rmSync(second.slice('file://'.length));
  const again = await versions.open(record, never);
  assert.equal(again.files.length, 2);
  assert.notEqual(again.files[1], second);
  again.release();
});

test('a caller who leaves ends the transcoding', async () => {
  const record = await newly('left', 3);
  await assert.rejects(versions.open(record, AbortSignal.abort(new Error('left'))), /left/);
});
