/** Ranges of rows as messages: whole batches pass through on the main thread, and the rows are those that workers make of the same range. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endOfStream, frameHeader } from '../../src/arrow/ipc/framing.ts';
import { renderPools } from '../../src/compose/workers/worker-pools.ts';
import { WorkerRenderer } from '../../src/encode/renderer.ts';
import type { Reading } from '../../src/ports/reading.ts';
import { collect, readingOf, type SampleFrames, sampleFrames } from './sample-frames.ts';

let frames: SampleFrames;
let renderer: WorkerRenderer;
before(async () => {
  renderer = new WorkerRenderer(renderPools({ threads: 1 }));
  frames = await sampleFrames();
});
after(() => renderer.close());

const never = new AbortController().signal;
const arrow = { format: 'arrow', query: '', quoteLargeNumbers: false } as const;

async function streamOf(reading: Reading): Promise<Buffer> {
  const pieces: Uint8Array[] = [frameHeader(await renderer.schemaMessage(reading))];
  for await (const { header, bodyBytes, readBody } of renderer.messages(reading, never)) {
    const body = new Uint8Array(bodyBytes);
    await readBody(body);
    pieces.push(frameHeader(header), body);
  }
  return Buffer.concat([...pieces, endOfStream]);
}

const names: readonly (readonly string[])[] = [
  ['everything'],
  ['pieces'],
  ['pieces-lz4'],
  ['pieces-zstd'],
  ['changing-dictionaries'],
  ['pieces', 'pieces-zstd', 'pieces-lz4'],
  ['changing-dictionaries', 'changing-dictionaries'],
];

for (const parts of names)
  test(`every range of ${parts.join(' and ')} is that of the workers, byte for byte`, async () => {
    const paths = parts.map((name) => frames.path(name));
    const { rows } = readingOf(paths).record;
    let ranges = 0;
    for (let offset = 0; offset < rows; offset++)
      for (const rowCount of new Set([1, 3, Math.ceil(rows / 2), rows - offset]))
        if (offset + rowCount <= rows) {
          const reading = readingOf(paths, { offset, rowCount });
          const wanted = await collect(renderer.render(reading, arrow, never));
          assert.ok(wanted.equals(await streamOf(reading)), `rows ${offset} to ${offset + rowCount}`);
          ranges++;
        }
    assert.ok(ranges > rows, 'ranges were compared');
  });

test('parts that hold fewer rows than their version are an error, not a short answer', async () => {
  const reading = readingOf([frames.path('pieces')], { offset: 1 });
  const { rows } = reading.record;
  const sources = reading.sources.map((source) => ({ ...source, rows: rows + 5 }));
  await assert.rejects(streamOf({ ...reading, sources, rowCount: rows + 4 }), /5 rows less/);
});
