import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { keptMs, reviewDamage } from '../../../src/frames/background/damage-review.ts';
import { PartTranscoding } from '../../../src/frames/parts/part-transcoding.ts';
import { openCaller } from '../../../src/model/caller.ts';
import { arrowBytes } from '../../support/python.ts';
import { flipBit, objectPath } from '../../support/stored-objects.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { openCore } from '../open-core.ts';

const never = new AbortController().signal;
const folder = temporaryFolder('damage-review');
let clock = Date.now();
const core = await openCore(folder, { now: () => clock });
const { catalog, collection, frames, guard, observations } = core;
const transcoding = new PartTranscoding(core);
let bytes: Uint8Array;

before(async () => {
  bytes = (await arrowBytes({ table: "pa.table({'n': pa.array(range(1000))})" })).table;
});
after(async () => {
  await core.close();
  removeFolder(folder);
});

/** A part with both forms, and where their files are. */
async function partOf(name: string): Promise<{ arrow: string; parquet: string; key: string }> {
  // Commits refuse what began a day ago.
  clock = Date.now();
  const target = { name, mode: 'create', format: 'arrow', originFormat: 'arrow' } as const;
  const session = await frames.beginPut(openCaller, target, never);
  await session.write([bytes]);
  await session.finish();
  const parts = await catalog.parts('default', name, 1);
  for (const part of parts) await transcoding.transcode(part, { interactive: true }, never);
  const forms = (await catalog.parts('default', name, 1))[0]?.forms ?? [];
  const [arrow = '', parquet = ''] = forms.map(({ objects }) => objects[0]?.key ?? '');
  return { arrow: objectPath(folder, arrow), parquet: objectPath(folder, parquet), key: arrow };
}

/** From which form it is read. */
async function readKind(name: string): Promise<string | undefined> {
  const reading = await frames.read(openCaller, { name, version: null }, {}, never);
  reading.release();
  return reading.sources[0]?.kind;
}

async function review(removes: boolean): Promise<void> {
  await reviewDamage(core, { bytesPerSecond: 100_000_000, removes }, never);
  await collection.collect(never);
}

const quarantined = async () => (await catalog.quarantined(null, 10)).map(({ key }) => key);

test('a damaged form stays for a day, and goes only if the other one is sound', async () => {
  const { arrow, parquet, key } = await partOf('f');
  flipBit(arrow, 0.5);
  assert.equal(await readKind('f'), 'parquet', 'the other form is read');
  for (const laterMs of [0, keptMs - 1]) {
    clock += laterMs;
    await review(true);
    assert.deepEqual(await quarantined(), [key]);
    assert.ok(existsSync(arrow));
  }
  clock += 1;
  flipBit(parquet, 0.5);
  await review(true);
  assert.ok(existsSync(arrow), 'the other form is damaged, too');
  assert.equal((await quarantined()).length, 2);
  flipBit(parquet, 0.5);
  await review(true);
  await review(true);
  assert.equal(existsSync(arrow), false);
  assert.deepEqual(await quarantined(), []);
  assert.ok(observations.some((each) => each.event === 'damaged-removed' && each.key === key));
  assert.equal(await readKind('f'), 'parquet');
});

test('on one disk nothing is removed, however long it is damaged', async () => {
  const { arrow, key } = await partOf('g');
  flipBit(arrow, 0.5);
  assert.equal(await readKind('g'), 'parquet');
  clock += 10 * keptMs;
  await review(false);
  assert.ok(existsSync(arrow));
  assert.deepEqual(await quarantined(), [key]);
  flipBit(arrow, 0.5);
  assert.equal((await guard.clear(key)) && (await readKind('g')), 'arrow');
});

test('an object that is sound again is one of its part again', async () => {
  const { arrow, key } = await partOf('h');
  flipBit(arrow, 0.5);
  await readKind('h');
  flipBit(arrow, 0.5);
  await review(true);
  assert.deepEqual(await quarantined(), []);
  assert.equal(await readKind('h'), 'arrow');
  assert.ok(observations.some((each) => each.event === 'object-sound-again' && each.key === key));
});
