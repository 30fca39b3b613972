import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { renderPools } from '../../src/compose/workers/worker-pools.ts';
import { seekPoint } from '../../src/encode/positions/arrow-positions.ts';
import { findPositions } from '../../src/encode/positions/find-positions.ts';
import { WorkerRenderer } from '../../src/encode/renderer.ts';
import { runPython } from '../support/python.ts';
import { Comparisons } from './comparisons.ts';
import { collect, readingOf, type SampleFrames, sampleFrames } from './sample-frames.ts';

let frames: SampleFrames;
let renderer: WorkerRenderer;
before(async () => {
  renderer = new WorkerRenderer(renderPools({ threads: 1 }));
  frames = await sampleFrames();
  await runPython(['-c', manyBatches, frames.folder], null);
});
after(() => renderer.close());

const never = new AbortController().signal;

/** One row in a batch: its number, and a word of a dictionary that grows every 500 batches and is replaced every 2,000. */
const manyBatches = `
import pyarrow as pa, sys, json
words = []
schema = pa.schema([('n', pa.int64()), ('w', pa.dictionary(pa.int32(), pa.utf8()))])
for name, options in [('many', {}), ('many-zstd', {'compression': 'zstd'})]:
    with pa.OSFile(sys.argv[1] + '/' + name + '.arrows', 'wb') as sink:
        with pa.ipc.new_stream(sink, schema, options=pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True, **options)) as writer:
            for n in range(10_000):
                if n % 2_000 == 0: words = []
                if n % 500 == 0: words = words + [f'from {n}']
                w = pa.DictionaryArray.from_arrays(pa.array([len(words) - 1], pa.int32()), pa.array(words))
                writer.write_batch(pa.record_batch([pa.array([n], pa.int64()), w], schema=schema))
# Six columns of two megabytes in one compressed batch.
import random
random.seed(1)
wide = pa.table({f'c{c}': pa.array([random.random() for _ in range(250_000)]) for c in range(4)})
with pa.OSFile(sys.argv[1] + '/packed.arrows', 'wb') as sink:
    with pa.ipc.new_stream(sink, wide.schema, options=pa.ipc.IpcWriteOptions(compression='lz4')) as writer:
        writer.write_table(wide)
print(json.dumps(None))
`;

async function jsonRows(name: string, offset: number, rowCount: number): Promise<unknown[]> {
  const options = { format: 'json', query: '', quoteLargeNumbers: false } as const;
  const reading = readingOf([frames.path(name)], { offset, rowCount });
  return JSON.parse((await collect(renderer.render(reading, options, never))).toString()).dataset;
}

test('headers are gone through once; of many batches some are remembered', async () => {
  const found = await findPositions(frames.path('many'), never);
  assert.ok(found.positions.length > 4_000 && found.positions.length <= 8_192, `${found.positions.length}`);
  assert.equal(found.dictionaries?.positions.length, 20);
  for (const row of [0, 1, 2, 5, 499, 500, 1_999, 2_000, 7_345, 9_999]) {
    const seek = seekPoint(found, row);
    if (row < 2) assert.equal(seek, null, 'the beginning of the file is as good');
    else assert.ok(seek !== null && seek.rows <= row && row - seek.rows < 2, `${row}: ${seek?.rows}`);
    // The last replacement, and what was added since.
    const pieces = seek === null ? 0 : Math.floor((seek.rows % 2_000) / 500) + 1;
    assert.equal(seek?.dictionaries.length ?? 0, pieces, `${row}`);
  }
});

for (const name of ['many', 'many-zstd']) {
  test(`${name}: any row of ten thousand batches, with the dictionary of its place`, async () => {
    const starts = [0, 1, 498, 1_998, 2_000, 7_777, 9_995];
    for (const start of starts) {
      const rows = await jsonRows(name, start, 5);
      const wanted = Array.from({ length: 5 }, (_, index) => {
        const n = start + index;
        return [n, `from ${n - (n % 500)}`];
      });
      assert.deepEqual(rows, wanted);
    }
    const comparisons = new Comparisons(frames, renderer);
    for (const offset of starts) await comparisons.add([name], { offset, rowCount: 5 });
    await comparisons.add([name], { offset: 1_500, rowCount: 4_000, columns: [1] });
    await comparisons.add([name, name], { offset: 9_500, rowCount: 1_000 });
    assert.deepEqual(await comparisons.differences(), []);
  });
}

test('of a large compressed batch only the columns wanted are read', async () => {
  const comparisons = new Comparisons(frames, renderer);
  for (const columns of [[0], [3, 1], [2]])
    await comparisons.add(['packed'], { offset: 123_456, rowCount: 100, columns });
  assert.deepEqual(await comparisons.differences(), []);
});

test('every window of every type, as text: what the whole frame has there', async () => {
  for (const name of ['everything', 'pieces', 'pieces-lz4'].filter((each) => frames.names.includes(each))) {
    const { json } = frames.expected(name);
    for (let offset = 0; offset < json.length; offset += 3) {
      const rows = await jsonRows(name, offset, Math.min(4, json.length - offset));
      const wanted = JSON.parse(`[${json.slice(offset, offset + 4).map((row) => `[${row.join(',')}]`)}]`);
      assert.deepEqual(rows, wanted, `${name} from ${offset}`);
    }
  }
});

for (const name of ['one-float64', 'one-symbol', 'one-ascii']) {
  test(`${name}: windows over several Parquet files of a part, of all columns and of some`, async () => {
    const comparisons = new Comparisons(frames, renderer);
    const files: string[] = [];
    for (const [offset, rowCount] of [
      [0, 4],
      [4, 1],
      [5, 6],
    ] as const)
      files.push(await comparisons.add([name], { offset, rowCount }, 'parquet'));
    for (let offset = 0; offset < 11; offset++)
      for (const rowCount of [1, 2, 11 - offset])
        if (offset + rowCount <= 11)
          await comparisons.add([name], {
            parquet: files,
            offset,
            rowCount,
            ...(offset % 2 === 0 ? {} : { columns: [0] }),
          });
    assert.deepEqual(await comparisons.differences(), []);
  });
}

test('a file that is missing is an error, not a shorter answer', async () => {
  const parquet = [join(frames.folder, 'absent'), join(frames.folder, 'absent too')];
  const reading = readingOf([frames.path('one-float64')], { parquet, offset: 5 });
  const options = { format: 'arrow', query: '', quoteLargeNumbers: false } as const;
  await assert.rejects(collect(renderer.render(reading, options, never)), /unexpected fault/);
});
