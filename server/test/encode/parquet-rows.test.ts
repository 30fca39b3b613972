import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { renderPools } from '../../src/compose/workers/worker-pools.ts';
import { WorkerRenderer } from '../../src/encode/renderer.ts';
import { FrameholdError } from '../../src/model/errors.ts';
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
const refusedNames = [
  'dictionary_of_list',
  'decimal128_5_m3',
  'interval',
  'empty_struct',
  'dense_union',
  'sparse_union',
];
/** Parquet has no form of their own for these: the values come back in another type. */
const changedNames = [
  'utf8_view',
  'binary_view',
  'list_view',
  'large_list_view',
  'shared_list_view',
  'run_end_16',
  'run_end_32',
  'run_end_64',
  // exported-columns.test.ts
  'date64',
  'timestamp_s',
  'zoned_s',
  'time_s',
];

function columnsWithout(names: readonly string[]): number[] {
  const { columns } = frames.expected('everything');
  return columns.flatMap((column, index) => (names.includes(column.name) ? [] : [index]));
}

function render(reading: ReturnType<typeof readingOf>, format: 'json' | 'parquet'): Promise<Buffer> {
  return collect(renderer.render(reading, { format, query: '', quoteLargeNumbers: false }, never));
}

test('what Parquet can hold comes back as it was', async () => {
  const comparisons = new Comparisons(frames, renderer);
  const columns = columnsWithout([...refusedNames, ...changedNames]);
  await comparisons.add(['everything'], { columns }, 'parquet');
  await comparisons.add(['pieces-zstd', 'pieces'], { columns, offset: 3, rowCount: 15 }, 'parquet');
  await comparisons.add(['everything'], { columns, rowCount: 0 }, 'parquet');
  await comparisons.add(['long'], {}, 'parquet');
  assert.deepEqual(await comparisons.differences(), []);
});

test('what Parquet cannot hold is refused, with the column named', async () => {
  for (const name of refusedNames) {
    const refused = (error: unknown) =>
      error instanceof FrameholdError &&
      error.kind === 'not_representable' &&
      error.message.includes(JSON.stringify(name));
    await assert.rejects(render(readingOf([frames.path(`one-${name}`)]), 'parquet'), refused, name);
  }
});

test('rows of parts that have only Parquet left', async () => {
  const writing = new Comparisons(frames, renderer);
  const columns = columnsWithout([...refusedNames, ...changedNames]);
  for (const index of columns) {
    const column = frames.expected('everything').columns[index];
    const name = `one-${column?.name}`;
    const file = await writing.add([name], {}, 'parquet');
    const expected = frames.expected(name);
    for (const [offset, rowCount] of [
      [0, 11],
      [3, 5],
      [10, 1],
    ] as const) {
      const reading = readingOf([frames.path(name)], { parquet: [file], offset, rowCount });
      const rows = expected.json.slice(offset, offset + rowCount).map((row) => `[${row.join(',')}]`);
      assert.equal(
        (await render(reading, 'json')).toString(),
        `{"query":"","columns":${JSON.stringify(expected.columns)},"dataset":[${rows.join(',')}],"count":${rowCount}}`,
        name,
      );
    }
    await writing.add([name], { parquet: [file], offset: 1, rowCount: 9 });
  }
  assert.deepEqual(await writing.differences(), []);
});
