import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { renderPools } from '../../src/compose/workers/worker-pools.ts';
import { WorkerRenderer } from '../../src/encode/renderer.ts';
import { Comparisons } from './comparisons.ts';
import { collect, readingOf, type SampleFrames, sampleFrames } from './sample-frames.ts';

let frames: SampleFrames;
let renderer: WorkerRenderer;
before(async () => {
  renderer = new WorkerRenderer(renderPools({ threads: 1 }));
  frames = await sampleFrames();
});
after(() => renderer.close());

const never = new AbortController().signal;

test('every range of a batch of every type is what pyarrow makes of it', async () => {
  const comparisons = new Comparisons(frames, renderer);
  const rows = frames.expected('everything').json.length;
  for (let offset = 0; offset < rows; offset++)
    for (const rowCount of [1, 2, 3, rows - offset])
      if (offset + rowCount <= rows) await comparisons.add(['everything'], { offset, rowCount });
  await comparisons.add(['pieces'], { offset: 3, rowCount: 7 });
  await comparisons.add(['pieces', 'pieces-zstd'], { offset: 8, rowCount: 9 });
  await comparisons.add(['pieces-lz4'], { offset: 1, rowCount: 9 });
  await comparisons.add(['everything'], { offset: 4, rowCount: 0 });
  assert.deepEqual(await comparisons.differences(), []);
});

test('chosen columns keep their fields, metadata and dictionaries', async () => {
  const comparisons = new Comparisons(frames, renderer);
  const last = frames.expected('everything').columns.length - 1;
  for (let column = 0; column <= last; column++)
    await comparisons.add(['pieces-zstd'], { columns: [column] });
  await comparisons.add(['pieces'], { columns: [last, 0, 24, 3], offset: 2, rowCount: 8 });
  await comparisons.add(['everything'], { columns: [] });
  assert.deepEqual(await comparisons.differences(), []);
});

test('dictionaries that grow and change reach the reader before the rows that need them', async () => {
  const comparisons = new Comparisons(frames, renderer);
  for (let offset = 0; offset < 12; offset++)
    for (const rowCount of [1, 4, 12 - offset])
      if (offset + rowCount <= 12) await comparisons.add(['changing-dictionaries'], { offset, rowCount });
  await comparisons.add(['changing-dictionaries'], { columns: [1], offset: 2 });
  await comparisons.add(['changing-dictionaries'], { columns: [0], offset: 5 });
  assert.deepEqual(await comparisons.differences(), []);
});

test('whole frames pass through byte by byte', async () => {
  for (const name of ['everything', 'pieces', 'pieces-lz4', 'changing-dictionaries', 'no-rows']) {
    const options = { format: 'arrow', query: '', quoteLargeNumbers: false } as const;
    const bytes = await collect(renderer.render(readingOf([frames.path(name)]), options, never));
    assert.ok(bytes.equals(readFileSync(frames.path(name))), name);
  }
});

test('several parts pass through as one stream', async () => {
  const comparisons = new Comparisons(frames, renderer);
  await comparisons.add(['everything', 'pieces', 'pieces-zstd'], {});
  await comparisons.add(['changing-dictionaries', 'changing-dictionaries'], {});
  assert.deepEqual(await comparisons.differences(), []);
});

test('rows out of a batch of megabytes, which is read in pieces', async () => {
  const comparisons = new Comparisons(frames, renderer);
  for (const offset of [0, 1, 7, 8, 12_345, 43_990])
    for (const rowCount of [1, 10]) await comparisons.add(['one-batch'], { offset, rowCount });
  await comparisons.add(['one-batch'], { offset: 13, rowCount: 30_000 });
  await comparisons.add(['one-batch'], { columns: [40, 3, 22] });
  assert.deepEqual(await comparisons.differences(), []);
});
