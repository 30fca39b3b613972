import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ArrayData } from '../../../src/arrow/arrays/array-data.ts';
import { countBits } from '../../../src/arrow/arrays/bitmap.ts';
import { joinArrays, sliceArray } from '../../../src/arrow/arrays/ranges.ts';
import { plainValues } from '../plain-values.ts';
import { pyarrowStreams } from '../pyarrow-streams.ts';
import { checkBytes, decodeStream } from '../stream-bytes.ts';

const streams = await pyarrowStreams();

describe('streams written by pyarrow', () => {
  for (const { name, bytes, values } of streams.values()) {
    it(`${name} passes the check`, () => {
      const report = checkBytes(bytes);
      if (values === null) return;
      assert.equal(report.batches, values.length);
      assert.equal(
        report.rows,
        values.reduce((sum, columns) => sum + (columns[0]?.length ?? 0), 0),
      );
    });
    if (values === null) continue;
    for (const shift of [0, 1])
      it(`${name} has its values, bodies shifted by ${shift}`, async () => {
        const { batches } = await decodeStream(bytes, shift);
        assert.deepEqual(
          batches.map(({ columns }) => columns.map(plainValues)),
          values,
        );
      });
  }

  it('reads chosen columns in the order asked for', async () => {
    for (const name of ['everything-lz4', 'everything', 'other-v4']) {
      const { bytes, values } = streams.get(name) ?? assert.fail();
      const last = (values?.[0]?.length ?? 0) - 1;
      for (let column = 0; column < last; column++) {
        const { batches } = await decodeStream(bytes, 0, [last, column]);
        const expected = values?.map((columns) => [columns[last], columns[column]]);
        assert.deepEqual(
          batches.map((batch) => batch.columns.map(plainValues)),
          expected,
        );
      }
    }
  });
});

describe('joining and slicing', () => {
  for (const name of ['numbers', 'times', 'texts', 'nested', 'other', 'dictionaries'])
    it(`keeps the values of ${name}`, async () => {
      const { batches } = await decodeStream((streams.get(name) ?? assert.fail()).bytes);
      for (const column of batches[0]?.columns ?? []) {
        const values = plainValues(column);
        for (let start = 0; start <= column.length; start++)
          for (let length = 0; start + length <= column.length; length++) {
            const slice = sliceArray(column, start, length);
            assert.deepEqual(plainValues(slice), values.slice(start, start + length));
            assert.equal(slice.nullCount, countedNulls(slice));
          }
        const joined = joinArrays(column.field, [
          column,
          sliceArray(column, 1, 3),
          sliceArray(column, 0, 0),
          column,
        ]);
        assert.deepEqual(plainValues(joined), [...values, ...values.slice(1, 4), ...values]);
      }
    });
});

function countedNulls({ validity, length, field }: ArrayData): number {
  if (field.dictionary === null && field.type.kind === 'null') return length;
  return validity === null ? 0 : length - countBits(validity, length);
}
