import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  chunkFields,
  chunkOf,
  fileFields,
  footerIn,
  rowGroupFields,
} from '../../src/parquet/parquet-layout.ts';
import { thriftInt, thriftStructs } from '../../src/parquet/thrift-compact.ts';
import { writeStream } from '../../src/parquet/write-parquet.ts';
import { checkPages } from '../support/parquet-pages.ts';
import { arrowBytes, runPython } from '../support/python.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder('compress-pages');
const tables = await arrowBytes({
  types:
    "pa.table({'i': pa.array(range(50000)), 'f': pa.array([None if k % 3 == 0 else k / 7 for k in range(50000)]), 's': pa.array([f'text {k % 321}' for k in range(50000)]), 'l': pa.array([[k, None] for k in range(50000)]), 'z': pa.array([k % 1000 for k in range(50000)], pa.timestamp('ns', 'Europe/Berlin')), 'd': pa.array([str(k % 9) for k in range(50000)]).dictionary_encode()}).replace_schema_metadata({'key': 'value'})",
  nulls:
    "pa.table({'n': pa.nulls(1000, pa.int64()), 'null': pa.nulls(1000), 's': pa.nulls(1000, pa.string()), 'l': pa.array([[]] * 1000, pa.list_(pa.int8()))})",
  empty_texts:
    "pa.table([pa.array([''] * 10)], schema=pa.schema([pa.field('e', pa.string(), nullable=False)]))",
  long_text: "pa.table({'s': pa.array(['x' * 3_000_000, 'y', None])})",
  no_rows: "pa.table({'a': pa.array([], pa.int64()), 'b': pa.array([], pa.string())})",
});
const codecs = { zstd: 6, lz4: 7 } as const;

function codecsIn(file: Uint8Array): number[] {
  const { footer, footerOffset } = footerIn(file);
  return thriftStructs(footer, fileFields.rowGroups)
    .flatMap((group) => thriftStructs(group, rowGroupFields.columns))
    .map((column) => thriftInt(chunkOf(column, footerOffset).metadata, chunkFields.codec) ?? -1);
}

const compare = `
import json, sys
import pyarrow.parquet as pq
request = json.load(sys.stdin)
places = ['file_offset', 'data_page_offset', 'dictionary_page_offset', 'total_compressed_size']
def facts(path):
    meta = pq.ParquetFile(path).metadata
    groups = [meta.row_group(g) for g in range(meta.num_row_groups)]
    columns = [group.column(c).to_dict() for group in groups for c in range(meta.num_columns)]
    for column in columns:
        for key in places:
            column.pop(key)
    return [str(meta.schema).split('\\n', 1)[1], str(meta.metadata), meta.created_by, meta.num_rows, str(columns)]
differing = []
for name in request['names']:
    library, own = (f"{request['folder']}/{name}.{which}" for which in ['library', 'own'])
    same = pq.read_table(library).equals(pq.read_table(own), check_metadata=True)
    if not same or (request['facts'] and facts(library) != facts(own)):
        differing.append(name)
print(json.dumps(differing))
`;

for (const level of [1, 3, 19])
  test(`pages at level ${level} have the rows, statistics and metadata of those that the library compresses`, async () => {
    for (const [name, stream] of Object.entries(tables)) {
      const library = writeStream(stream, 'zstd');
      const own = writeStream(stream, 'zstd', { level });
      checkPages(own);
      assert.deepEqual(new Set(codecsIn(own)), new Set(name === 'no_rows' ? [] : [codecs.zstd]), name);
      if (level === 1) assert.equal(own.length, library.length, name);
      writeFileSync(join(folder, `${name}.library`), library);
      writeFileSync(join(folder, `${name}.own`), own);
    }
    // The sizes of page headers, which differ with the level, count as uncompressed bytes.
    const request = { folder, names: Object.keys(tables), facts: level === 1 };
    assert.deepEqual(await runPython(['-c', compare], request), []);
  });

test('a higher level is smaller, and only zstd has levels', async () => {
  const { types } = tables;
  const bytes = [1, 19].map((level) => writeStream(types, 'zstd', { level }).length);
  assert.ok((bytes[1] ?? 0) < (bytes[0] ?? 0));
  assert.deepEqual(writeStream(types, 'lz4', { level: 19 }), writeStream(types, 'lz4'));
});

test('a file of very many columns has LZ4 at any level', async () => {
  const { wide } = await arrowBytes({ wide: "pa.table({f'c{k}': pa.array([k]) for k in range(501)})" });
  assert.deepEqual(new Set(codecsIn(writeStream(wide, 'zstd', { level: 19 }))), new Set([codecs.lz4]));
});
