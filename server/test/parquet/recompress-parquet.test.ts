import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { recompressParquet } from '../../src/parquet/recompress-parquet.ts';
import { readThrift } from '../../src/parquet/thrift-compact.ts';
import { writeStream } from '../../src/parquet/write-parquet.ts';
import { arrowBytes, runPython } from '../support/python.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder('recompress');
await runPython([join(import.meta.dirname, 'recompress-cases.py'), folder], null);
const { own } = await arrowBytes({
  own: "pa.table({'i': pa.array(range(50000)), 'f': pa.array([None if k % 3 == 0 else k / 7 for k in range(50000)]), 's': pa.array([f'text {k % 321}' for k in range(50000)]), 'l': pa.array([[k, None] for k in range(50000)]), 'z': pa.array([k % 1000 for k in range(50000)], pa.timestamp('ns', 'Europe/Berlin'))})",
});
writeFileSync(join(folder, 'own_writer.parquet'), writeStream(own, 'zstd'));
const names = readdirSync(folder).map((file) => file.replace('.parquet', ''));
const signal = new AbortController().signal;
const done: string[] = [];

function recompress(name: string, level: number) {
  const target = join(folder, `${name}.again`);
  return recompressParquet(join(folder, `${name}.parquet`), target, level, Infinity, signal);
}

for (const name of names.filter((each) => !each.startsWith('left_'))) {
  test(`compress anew: ${name}`, async () => {
    const written = await recompress(name, 9);
    const path = join(folder, `${name}.again`);
    assert.equal(written?.bytes, statSync(path).size);
    assert.equal(written?.sha256, createHash('sha256').update(readFileSync(path)).digest('hex'));
    if (!/empty|no_row_groups|one_row/.test(name))
      assert.ok((written?.bytes ?? 0) < statSync(join(folder, `${name}.parquet`)).size, 'smaller');
    done.push(name);
  });
}

for (const name of names.filter((each) => each.startsWith('left_'))) {
  test(`another compression is left alone: ${name}`, async () => {
    assert.equal(await recompress(name, 19), null);
    assert.equal(existsSync(join(folder, `${name}.again`)), false);
  });
}

const compare = `
import json, sys
import pyarrow.parquet as pq
request = json.load(sys.stdin)
differing = []
def facts(path):
    file = pq.ParquetFile(path)
    meta = file.metadata
    columns = []
    for g in range(meta.num_row_groups):
        for c in range(meta.num_columns):
            column = meta.row_group(g).column(c).to_dict()
            for key in ['file_offset', 'data_page_offset', 'dictionary_page_offset', 'total_compressed_size', 'total_uncompressed_size']:
                column.pop(key)
            columns.append(str(column))
    return [str(meta.schema).split('\\n', 1)[1], str(meta.metadata), meta.created_by, meta.num_rows, columns]
for name in request['names']:
    a, b = f"{request['folder']}/{name}.parquet", f"{request['folder']}/{name}.again"
    check = 'checksums' in name
    same = pq.read_table(a).equals(pq.read_table(b, page_checksum_verification=check), check_metadata=True)
    if not same or facts(a) != facts(b):
        differing.append(name)
print(json.dumps(differing))
`;

test('pyarrow reads the same rows and the same metadata out of both', async () => {
  assert.ok(done.length >= 16);
  assert.deepEqual(await runPython(['-c', compare], { folder, names: done }), []);
});

test('a copy that is larger than allowed is not kept', async () => {
  const target = join(folder, 'larger');
  const source = join(folder, 'version1.parquet');
  assert.equal(await recompressParquet(source, target, 9, 1000, signal), null);
  assert.equal(existsSync(target), false);
});

test('a broken file is refused and leaves nothing', async () => {
  const source = join(folder, 'broken.parquet');
  const bytes = readFileSync(join(folder, 'own_writer.parquet'));
  const target = join(folder, 'broken.again');
  const footerStart = bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8);
  const pageHeaderBytes = readThrift(bytes, 4).end - 4;
  for (const [what, change] of [
    ['the header of a page', (copy: Buffer) => copy.fill(0xff, 4, 10)],
    ['the beginning of a page', (copy: Buffer) => copy.fill(0xff, 4 + pageHeaderBytes, 12 + pageHeaderBytes)],
    ['the footer', (copy: Buffer) => copy.fill(0xff, footerStart, footerStart + 10)],
    ['the length of the footer', (copy: Buffer) => copy.writeUInt32LE(0xfffffff0, copy.length - 8)],
    ['the end', (copy: Buffer) => copy.fill(0, copy.length - 4)],
  ] as const) {
    const copy = Buffer.from(bytes);
    change(copy);
    writeFileSync(source, copy);
    await assert.rejects(recompressParquet(source, target, 9, Infinity, signal), Error, what);
    assert.equal(existsSync(target), false, what);
  }
});

test('the library writes at the requested level', async () => {
  copyFileSync(join(folder, 'own_writer.parquet'), join(folder, 'level.parquet'));
  const written = await recompress('level', 1);
  assert.equal(written?.bytes, statSync(join(folder, 'own_writer.parquet')).size);
});
