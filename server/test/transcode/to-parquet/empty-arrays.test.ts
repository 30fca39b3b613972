import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { transcodePart } from '../../../src/transcode/to-parquet/transcode-part.ts';
import { checkBytes } from '../../arrow/stream-bytes.ts';
import { arrowBytes, readArrow } from '../../support/python.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

// A map without rows, sliced out of another one: pyarrow writes an offset beyond its values, of which there are none.
const map =
  "pa.MapArray.from_arrays(pa.array([3, 5, 9], pa.int32()), pa.array([f'k{i}' for i in range(20)]), pa.array(range(20)))";
const tables = {
  list: `pa.table({'x': pa.ListArray.from_arrays(pa.array([0, 0, 0], pa.int32()), ${map})})`,
  structs: `pa.table({'x': pa.ListArray.from_arrays(pa.array([0, 0], pa.int32()), pa.StructArray.from_arrays([${map}], names=['m']))})`,
  large: `pa.table({'x': pa.LargeListArray.from_arrays(pa.array([0, 0], pa.int64()), ${map})})`,
  beside: `pa.table({'n': pa.array([1, 2]), 'x': pa.ListArray.from_arrays(pa.array([0, 0, 0], pa.int32()), ${map}), 's': pa.array(['a', None])})`,
};
const streams = await arrowBytes(tables);
const folder = temporaryFolder('empty-arrays');

for (const name of Object.keys(tables) as (keyof typeof tables)[])
  test(`${name}: lists of no maps, as pyarrow writes them, are taken and written as Parquet`, async () => {
    const bytes = streams[name];
    const expected = await readArrow(bytes);
    assert.equal(checkBytes(bytes).rows, expected.rows);
    const source = join(folder, `${name}.arrows`);
    writeFileSync(source, bytes);
    const targetDirectory = join(folder, name);
    mkdirSync(targetDirectory);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const request = { source, sha256, targetDirectory, targetPrefix: 'p.' };
    const report = await transcodePart(
      request,
      { algorithm: 'zstd', level: 3 },
      new AbortController().signal,
    );
    assert.deepEqual([report.refusal, report.exact, report.files.length], [null, true, 1]);
    const [file] = report.files;
    const back = await readArrow(readFileSync(file?.path ?? ''), 'parquet');
    assert.deepEqual(back.values, expected.values);
  });
