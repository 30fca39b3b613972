import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import duckdb from '@duckdb/node-bindings';
import { StringHeap } from '../../../../src/engine/duckdb/result/string-heap.ts';

let instance: DuckDBInstance;
before(async () => {
  instance = await DuckDBInstance.create(':memory:');
});
after(() => instance.closeSync());

/** Which of the texts of a vector come out wrong when they are asked for in this order. */
async function wrongTexts(textBytes: number, order: (rows: number[]) => number[]): Promise<unknown[]> {
  const connection = await instance.connect();
  try {
    const result = await connection.run(
      `SELECT repeat('x', ${textBytes}) || i AS t FROM range(100000, 102000) t(i)`,
    );
    const chunk = await result.fetchChunk();
    assert.ok(chunk !== null);
    const count = chunk.rowCount;
    assert.equal(count, 2000);
    const slots = duckdb.vector_get_data(duckdb.data_chunk_get_vector(chunk.chunk, 0), count * 16);
    const words = new Uint32Array(slots.buffer, slots.byteOffset, count * 4);
    const rows = order(Array.from({ length: count }, (_, row) => row));
    const heap = new StringHeap();
    heap.begin(rows.length);
    for (const [index, row] of rows.entries()) {
      heap.lengths[index] = words[row * 4] as number;
      heap.starts[index] = (words[row * 4 + 2] as number) + (words[row * 4 + 3] as number) * 2 ** 32;
    }
    heap.count = rows.length;
    heap.fetch();
    return rows.filter((row, index) => {
      const block = heap.blockOf(index);
      const start = (heap.starts[index] as number) - block.start;
      const text = Buffer.from(block.bytes.subarray(start, start + (heap.lengths[index] as number)));
      return text.toString() !== `${'x'.repeat(textBytes)}${100_000 + row}`;
    });
  } finally {
    connection.closeSync();
  }
}

/** In no order, each row once: 1009 and 2000 have no common divisor. */
const mixed = (rows: number[]): number[] => rows.map((row) => (row * 1009) % rows.length);

test('texts are the right ones in the order of memory, against it, and in no order', async () => {
  for (const textBytes of [10, 100, 3000]) {
    assert.deepEqual(await wrongTexts(textBytes, (rows) => rows), []);
    assert.deepEqual(await wrongTexts(textBytes, (rows) => rows.toReversed()), []);
    assert.deepEqual(await wrongTexts(textBytes, mixed), []);
  }
});

test('texts are the right ones if many rows have one text, and if a few texts are far apart', async () => {
  assert.deepEqual(await wrongTexts(100, (rows) => rows.map((row) => (row * row) % 50)), []);
  assert.deepEqual(await wrongTexts(3000, (rows) => rows.filter((row) => row % 37 === 0)), []);
  assert.deepEqual(await wrongTexts(3000, (rows) => mixed(rows).filter((row) => row % 37 === 0)), []);
});
