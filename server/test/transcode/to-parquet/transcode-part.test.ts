import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { transcodePart } from '../../../src/transcode/to-parquet/transcode-part.ts';
import { runPython } from '../../support/python.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder('transcode');
await runPython([join(import.meta.dirname, '..', 'transcode-cases.py'), folder], null);
const names = readdirSync(folder).map((file) => file.replace('.arrows', ''));
const out = join(folder, 'out');
mkdirSync(out);

/** Written, but something of them is not in the Parquet files. */
const inexact = new Set([
  'dictionary',
  'dictionary_ordered',
  'dictionary_compressed',
  'dictionary_of_int',
  'dictionary_of_struct',
  'dictionary_deltas',
  'dictionary_replaced',
  'string_view',
  'binary_view',
  'list_view',
  'run_end',
  'batch_metadata',
]);
/** Refused without harm to the library. Unions trap and are tested in a worker (codec-conformance.ts). */
const refused = new Set(['interval', 'struct_empty', 'no_columns']);
const traps = new Set(['union_sparse', 'union_dense']);

function transcode(name: string) {
  const source = join(folder, `${name}.arrows`);
  const sha256 = createHash('sha256').update(readFileSync(source)).digest('hex');
  const request = { source, sha256, targetDirectory: out, targetPrefix: `${name}.` };
  return transcodePart(request, { algorithm: 'zstd', level: 3 }, new AbortController().signal);
}

const written: Record<string, string[]> = {};

for (const name of names.filter((each) => !traps.has(each))) {
  test(`transcode ${name}`, async () => {
    const report = await transcode(name);
    if (refused.has(name)) {
      assert.notEqual(report.refusal, null);
      assert.equal(report.files.length, 0);
      assert.deepEqual(
        readdirSync(out).filter((file) => file.startsWith(`${name}.`)),
        [],
      );
      return;
    }
    assert.equal(report.refusal, null);
    assert.equal(report.exact, !inexact.has(name) && !name.startsWith('partial'));
    assert.ok(report.files.length >= 1);
    for (const file of report.files) {
      assert.equal(file.bytes, statSync(file.path).size);
      assert.equal(file.sha256, createHash('sha256').update(readFileSync(file.path)).digest('hex'));
    }
    written[name] = report.files.map((file) => file.path);
  });
}

const compare = `
import json, sys
import pyarrow as pa, pyarrow.parquet as pq
request = json.load(sys.stdin)
differing = []
for name, paths in request['files'].items():
    source = pa.ipc.open_stream(f"{request['folder']}/{name}.arrows").read_all()
    back = pa.concat_tables([pq.ParquetFile(path).read() for path in paths])
    same = source.schema.equals(back.schema, check_metadata=False) and source.num_rows == back.num_rows
    # NaN differs from itself: compare what is printed.
    same = same and all(str(a.combine_chunks().to_pylist()) == str(b.combine_chunks().to_pylist()) if 'float' in name else a.equals(b) for a, b in zip(source.columns, back.columns))
    if not same:
        differing.append(name)
print(json.dumps(sorted(differing)))
`;

test('pyarrow reads the same out of the files', async () => {
  // Parquet has no such types: arrow-rs reads them back as they were, pyarrow in its own way.
  const isForeign = (name: string) => /^(date64|time32_s|timestamp_s.*)$/.test(name);
  const files = Object.fromEntries(
    Object.entries(written).filter(
      ([name]) => !inexact.has(name) && !isForeign(name) && !name.startsWith('partial'),
    ),
  );
  assert.ok(Object.keys(files).length > 60);
  assert.deepEqual(await runPython(['-c', compare], { folder, files }), []);
});

const comparePartial = `
import json, sys
import pyarrow as pa, pyarrow.parquet as pq
request = json.load(sys.stdin)
answers = {}
for name, paths in request['files'].items():
    source = pa.ipc.open_stream(f"{request['folder']}/{name}.arrows").read_all()
    back = pa.concat_tables([pq.ParquetFile(path).read() for path in paths])
    different = [c for c in back.column_names if source.column(c).to_pylist() != back.column(c).to_pylist()]
    answers[name] = {'columns': back.column_names, 'different': different}
print(json.dumps(answers))
`;

test('columns that Parquet cannot hold are left out, and the others have all rows', async () => {
  const files = Object.fromEntries(Object.entries(written).filter(([name]) => name.startsWith('partial')));
  const rest = ['i', 's', 'of_struct', 'd', 'ree', 'view', 'l'];
  const same = (columns: readonly string[]) => ({ columns, different: [] });
  assert.deepEqual(await runPython(['-c', comparePartial], { folder, files }), {
    partial: same(rest),
    partial_compressed: same(rest.filter((name) => name !== 'ree')),
    partial_metadata: same(['v']),
    partial_small_batches: same(rest),
  });
});

test('a source that changed since it was put is not transcoded', async () => {
  const request = {
    source: join(folder, 'int64.arrows'),
    sha256: '0'.repeat(64),
    targetDirectory: out,
    targetPrefix: 'changed.',
  };
  await assert.rejects(
    transcodePart(request, { algorithm: 'zstd', level: 3 }, new AbortController().signal),
    /other bytes than when it was put/,
  );
});
