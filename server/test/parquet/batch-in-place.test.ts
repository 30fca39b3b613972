import assert from 'node:assert/strict';
import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { BatchData } from '../../src/arrow/arrays/array-data.ts';
import { readBatch } from '../../src/arrow/batches/batch.ts';
import { StreamCheck } from '../../src/arrow/check/stream-check.ts';
import type { Field } from '../../src/arrow/field.ts';
import { parseMessage } from '../../src/arrow/ipc/message.ts';
import { decodeUpload } from '../../src/decode/decode-upload.ts';
import { parquetModule, renewParquet } from '../../src/parquet/parquet-module.ts';
import { openParquet } from '../../src/parquet/read-parquet.ts';
import { writeStream } from '../../src/parquet/write-parquet.ts';
import { sameRows } from '../../src/transcode/compare-arrays.ts';
import { arrowBytes, runPython } from '../support/python.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder('in-place');
await runPython([join(import.meta.dirname, '..', 'transcode', 'transcode-cases.py'), folder], null);
const sources = readdirSync(folder).map((file) => file.replace('.arrows', ''));
/** The library does not write them: what Parquet has not, and compressed streams. */
const unwritable =
  /^(?:union|partial|interval|struct_empty|no_columns|compressed|dictionary_(?:compressed|of_struct))/;
/** Their batches go through an IPC stream: the indices of a dictionary are nothing without it, and nothing is in a batch without rows. */
const elsewhere = /^(?:dictionary|no_rows)/;

const large = await arrowBytes(
  {
    // Few bytes in a row: batches of 65,536, and the rest of each group of rows.
    narrow:
      "pa.table({'i': pa.array(range(200000)), 'b': pa.array([None if k % 5 == 0 else k % 3 == 0 for k in range(200000)])})",
    // Many: batches that end at any row.
    broad:
      "pa.table({'s': pa.array([None if k % 7 == 0 else f'{k:0150d}' for k in range(70001)]), 'b': pa.array([k % 3 == 0 for k in range(70001)]), 'l': pa.array([None if k % 11 == 0 else list(range(k % 4)) for k in range(70001)])})",
    // A long value in a dictionary page, used often: batches are cut into slices.
    expanded: "pa.table({'s': pa.array(['y' * 100000] * 400), 'i': pa.array(range(400))})",
  },
  'parquet',
);

for (const name of sources.filter((each) => !unwritable.test(each))) {
  test(`in place as through an IPC stream: ${name}`, async () => {
    const path = join(folder, `${name}.parquet`);
    writeFileSync(path, writeStream(readFileSync(join(folder, `${name}.arrows`)), 'zstd'));
    const { batches, inPlace } = await compared(path);
    assert.equal(inPlace, elsewhere.test(name) ? 0 : batches);
  });
}

for (const [name, bytes] of Object.entries(large)) {
  test(`many rows in place: ${name}`, async () => {
    const path = join(folder, `${name}.parquet`);
    writeFileSync(path, bytes);
    const { batches, inPlace } = await compared(path);
    assert.ok(batches > 1);
    // A slice of a text begins in the middle of its bytes.
    assert.equal(inPlace, name === 'expanded' ? 1 : batches);
  });
}

test('a column whose name has a NUL is read through an IPC stream', async () => {
  const named = await arrowBytes(
    { plain: "pa.table({'a\\0b': [1, 2]})", nested: "pa.table({'s': [{'c\\0d': 1}, {'c\\0d': 2}]})" },
    'parquet',
  );
  for (const [name, bytes] of Object.entries(named)) {
    const path = join(folder, `nul-${name}.parquet`);
    writeFileSync(path, bytes);
    assert.deepEqual(await compared(path), { batches: 1, inPlace: 0 });
  }
});

test('what is decoded in place leaves nothing in the memory of the library', async () => {
  const path = join(folder, 'again.parquet');
  writeFileSync(path, large.broad);
  const sizes: number[] = [];
  for (let round = 0; round < 6; round++) {
    await decode(path);
    sizes.push(parquetModule().wasmMemory().buffer.byteLength);
  }
  assert.equal(sizes.at(-1), sizes[1], sizes.join(', '));
});

test('a renewed library has another memory, and reads the same', async () => {
  const path = join(folder, 'renewed.parquet');
  writeFileSync(path, large.broad);
  const before = await decode(path);
  const memory = parquetModule().wasmMemory();
  renewParquet();
  assert.deepEqual(await decode(path), before);
  assert.notEqual(parquetModule().wasmMemory(), memory);
});

/** Compares both ways, and checks what the decoder writes as the server would. */
async function compared(path: string): Promise<{ readonly batches: number; readonly inPlace: number }> {
  await using file = await openParquet(path);
  const announced = parseMessage(file.schemaHeader);
  assert.ok(announced.kind === 'schema');
  const { fields } = announced.schema;
  const expected: BatchData[] = [];
  const dictionaries = fields.some(({ dictionary }) => dictionary !== null);
  for await (const pieces of file.batches())
    if (!dictionaries) for (const { header, body } of pieces) expected.push(readPiece(fields, header, body));
  let batches = 0;
  let inPlace = 0;
  for await (const batch of file.batchesInPlace()) {
    const number = batches++;
    if (!('columns' in batch)) continue;
    inPlace++;
    const { length, columns } = expected[number] as BatchData;
    assert.equal(batch.length, length);
    for (const [index, column] of batch.columns.entries()) {
      const other = columns[index];
      assert.ok(other !== undefined && column.nullCount === other.nullCount);
      assert.ok(sameRows(column, 0, other, 0, length), `column ${index} of batch ${number}`);
    }
  }
  const target = await decodedFile(path);
  assert.equal(checked(target).rows, file.rows);
  return { batches, inPlace };
}

function readPiece(fields: readonly Field[], header: Uint8Array, body: Uint8Array): BatchData {
  const message = parseMessage(header);
  assert.ok(message.kind === 'record-batch');
  return readBatch(fields, message.batch, body, new Map());
}

async function decodedFile(source: string): Promise<string> {
  const target = `${source}.arrows`;
  await decodeUpload({ format: 'parquet', source, target, csv: {} }, new AbortController().signal);
  return target;
}

async function decode(source: string): Promise<Buffer> {
  return readFileSync(await decodedFile(source));
}

function checked(path: string) {
  const file = openSync(path, 'r');
  try {
    const source = {
      readSync: (target: Uint8Array, position: number) => readSync(file, target, 0, target.length, position),
    };
    return new StreamCheck(source).finish(statSync(path).size);
  } finally {
    closeSync(file);
  }
}
