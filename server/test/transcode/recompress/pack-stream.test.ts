import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileSource } from '../../../src/arrow/ipc/file-source.ts';
import { type BatchHeader, parseMessage } from '../../../src/arrow/ipc/message.ts';
import { MessageReader } from '../../../src/arrow/ipc/message-reader.ts';
import { packStream } from '../../../src/transcode/recompress/pack-stream.ts';
import { runPython } from '../../support/python.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder('pack');
await runPython([join(import.meta.dirname, '..', 'transcode-cases.py'), folder], null);
await runPython([join(import.meta.dirname, '..', 'pack-cases.py'), folder], null);
const names = readdirSync(folder).map((file) => file.replace('.arrows', ''));
const signal = new AbortController().signal;

function pack(name: string, bytesMax = Infinity) {
  const source = join(folder, `${name}.arrows`);
  const sha256 = createHash('sha256').update(readFileSync(source)).digest('hex');
  return packStream({ source, sha256, target: join(folder, `${name}.packed`), level: 3, bytesMax }, signal);
}

async function batchesOf(path: string): Promise<BatchHeader[]> {
  await using file = await open(path);
  const reader = new MessageReader(fileSource(file));
  const batches: BatchHeader[] = [];
  for (let message = await reader.next(); message !== null; message = await reader.next()) {
    const parsed = parseMessage(message.header);
    if (parsed.kind !== 'schema') batches.push(parsed.batch);
  }
  return batches;
}

for (const name of names) {
  test(`pack ${name}`, async () => {
    const written = await pack(name);
    const path = join(folder, `${name}.packed`);
    assert.equal(written?.bytes, statSync(path).size);
    assert.equal(written?.sha256, createHash('sha256').update(readFileSync(path)).digest('hex'));
    if (name.startsWith('bulk_') && name !== 'bulk_random') {
      assert.ok((written?.bytes ?? 0) < statSync(join(folder, `${name}.arrows`)).size / 2, 'half the size');
      assert.ok((await batchesOf(path)).some((batch) => batch.compression === 'zstd'));
    }
  });
}

const compare = `
import json, sys
import pyarrow as pa
request = json.load(sys.stdin)
differing = []
def batches(path):
    reader = pa.ipc.open_stream(path)
    items = []
    while True:
        try:
            items.append(reader.read_next_batch_with_custom_metadata())
        except StopIteration:
            return reader.schema, items
def same_array(a, b):
    if isinstance(a, pa.DictionaryArray):
        return a.dictionary.to_pylist() == b.dictionary.to_pylist() and a.indices.equals(b.indices) and a.type.ordered == b.type.ordered
    if isinstance(a, pa.RunEndEncodedArray):
        return a.run_ends.equals(b.run_ends) and a.values.equals(b.values)
    return a.equals(b) or str(a.to_pylist()) == str(b.to_pylist())
for name in request['names']:
    (schema, a), (other, b) = batches(f"{request['folder']}/{name}.arrows"), batches(f"{request['folder']}/{name}.packed")
    same = schema.equals(other, check_metadata=True) and len(a) == len(b)
    for (x, k), (y, l) in zip(a, b):
        y.validate(full=True)
        same = same and x.num_rows == y.num_rows and (dict(k) if k else None) == (dict(l) if l else None) and all(same_array(p, q) for p, q in zip(x.columns, y.columns))
    if not same:
        differing.append(name)
import polars as pl
if not pl.read_ipc_stream(f"{request['folder']}/bulk_dictionary.packed").equals(pl.read_ipc_stream(f"{request['folder']}/bulk_dictionary.arrows")):
    differing.append('polars')
print(json.dumps(differing))
`;

test('pyarrow and polars read the same out of both: values, dictionaries, run ends, metadata of batches', async () => {
  assert.ok(names.length > 90);
  assert.deepEqual(await runPython(['-c', compare], { folder, names }), []);
});

test('what a client compressed is left alone', async () => {
  await pack('compressed_lz4');
  const batches = await batchesOf(join(folder, 'compressed_lz4.packed'));
  assert.ok(batches.length > 0 && batches.every((batch) => batch.compression === 'lz4'));
  assert.deepEqual(
    readFileSync(join(folder, 'compressed_lz4.packed')),
    readFileSync(join(folder, 'compressed_lz4.arrows')),
  );
});

test('a copy that does not pay leaves no file', async () => {
  const bytes = statSync(join(folder, 'bulk_random.arrows')).size;
  assert.equal(await pack('bulk_random', Math.floor(bytes * 0.95)), null);
  assert.equal(existsSync(join(folder, 'bulk_random.packed')), false);
});

test('a source that changed since it was put is not packed', async () => {
  const target = join(folder, 'changed.packed');
  const request = { source: join(folder, 'int64.arrows'), sha256: '0'.repeat(64), target, level: 3 };
  await assert.rejects(packStream({ ...request, bytesMax: Infinity }, signal), /other bytes/);
  assert.equal(existsSync(target), false);
});
