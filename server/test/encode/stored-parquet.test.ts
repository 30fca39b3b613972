import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { sameSchema } from '../../src/arrow/schema/same-schema.ts';
import { renderPools } from '../../src/compose/workers/worker-pools.ts';
import { WorkerRenderer } from '../../src/encode/renderer.ts';
import { schemaOf } from '../../src/encode/rows/arrow-steps.ts';
import { exportedSchema } from '../../src/parquet/exported-columns.ts';
import { planJoin } from '../../src/parquet/join-parquet.ts';
import { openParquet } from '../../src/parquet/read-parquet.ts';
import { schemaNotProven } from '../../src/transcode/to-parquet/proven-types.ts';
import { transcodePart } from '../../src/transcode/to-parquet/transcode-part.ts';
import { checkPages, rowGroupsIn } from '../support/parquet-pages.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
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
const folder = temporaryFolder('stored-parquet');
let prefixes = 0;

/** The Parquet form of a frame, as transcoding makes it; null if it is not exact, or exports have other types. */
async function transcoded(name: string): Promise<string[] | null> {
  const source = frames.path(name);
  // Some of the others end the library.
  const schema = schemaOf(readingOf([source]).record.schema.message);
  if (schemaNotProven(schema) !== null || exportedSchema(schema) !== schema) return null;
  const sha256 = createHash('sha256').update(readFileSync(source)).digest('hex');
  const request = { source, sha256, targetDirectory: folder, targetPrefix: `${name}-${prefixes++}-` };
  const { files, exact } = await transcodePart(request, { algorithm: 'zstd', level: 3 }, never);
  return exact ? files.map(({ path }) => path) : null;
}

function asParquet(reading: ReturnType<typeof readingOf>): Promise<Buffer> {
  return collect(renderer.render(reading, { format: 'parquet', query: '', quoteLargeNumbers: false }, never));
}

test('stored row groups are given as one file, with the rows, types and metadata of an encoded one', async () => {
  const comparisons = new Comparisons(frames, renderer);
  let joined = 0;
  for (const name of [...frames.names.filter((each) => each.startsWith('one-')), 'long']) {
    const files = await transcoded(name);
    if (files === null) continue;
    joined++;
    const both = await comparisons.add([name, name], { parquet: files }, 'parquet');
    const stored = files.reduce((sum, path) => sum + rowGroupsIn(readFileSync(path)), 0);
    assert.equal(rowGroupsIn(readFileSync(both)), 2 * stored, name);
    checkPages(readFileSync(both));
    const encoded = join(folder, `${name}-encoded`);
    writeFileSync(encoded, await asParquet(readingOf([frames.path(name)])));
    await using ours = await openParquet(both);
    await using reference = await openParquet(encoded);
    assert.ok(sameSchema(schemaOf(ours.schemaHeader), schemaOf(reference.schemaHeader)), name);
  }
  assert.ok(joined > 20, `${joined} frames were joined`);
  assert.deepEqual(await comparisons.differences(), []);
});

test('files of another schema, of fewer rows or with other metadata are not joined', async () => {
  const files = (await transcoded('long')) as string[];
  const reading = readingOf([frames.path('long')]);
  const schema = schemaOf(reading.record.schema.message);
  const { rowCount } = reading;
  assert.ok((await planJoin(files, schema, rowCount)) !== null);
  assert.equal(await planJoin(files, schema, rowCount + 1), null);
  assert.equal(await planJoin(files, { ...schema, metadata: [['a', 'b']] }, rowCount), null);
  const fields = schema.fields.map((field) => ({ ...field, nullable: !field.nullable }));
  assert.equal(await planJoin(files, { ...schema, fields }, rowCount), null);
  const [other] = (await transcoded('one-int')) as [string];
  assert.equal(await planJoin([...files, other], schema, rowCount + 11), null);
});

test('some rows or columns, and parts that are too small to be row groups, are encoded', async () => {
  const files = (await transcoded('one-int')) as string[];
  const paths = [frames.path('one-int')];
  const groupsOf = async (reading: ReturnType<typeof readingOf>) => {
    return rowGroupsIn(await asParquet(reading));
  };
  const twice = [...paths, ...paths];
  assert.equal(await groupsOf(readingOf(twice, { parquet: files })), 2);
  assert.equal(await groupsOf(readingOf(twice, { parquet: files, rowCount: 21 })), 1);
  assert.equal(await groupsOf(readingOf(twice, { parquet: files, columns: [0] })), 1);
  const many = Array.from({ length: 20 }, () => frames.path('one-int'));
  assert.equal(await groupsOf(readingOf(many, { parquet: files })), 1);
});
