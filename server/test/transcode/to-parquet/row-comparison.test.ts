import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BatchData } from '../../../src/arrow/arrays/array-data.ts';
import type { Field } from '../../../src/arrow/field.ts';
import { cellBuilder } from '../../../src/decode/cells/cell-builder.ts';
import { sqlTypes } from '../../../src/decode/cells/sql-type.ts';
import { RowComparison } from '../../../src/transcode/to-parquet/row-comparison.ts';

const field: Field = {
  name: 'v',
  nullable: true,
  type: sqlTypes.VARCHAR,
  children: [],
  dictionary: null,
  metadata: [],
};

function batchOf(values: readonly (string | null)[]): BatchData {
  const builder = cellBuilder(field);
  for (const value of values) {
    if (value === null) builder.appendNull();
    else builder.append(value);
  }
  return { length: values.length, columns: [builder.take()] };
}

function difference(
  expected: readonly (string | null)[][],
  actual: readonly (string | null)[][],
): string | null {
  const comparison = new RowComparison([0]);
  for (const values of expected) comparison.expect(batchOf(values));
  for (const values of actual) {
    const found = comparison.compare(batchOf(values));
    if (found !== null) return found;
  }
  return comparison.end();
}

test('the same rows, cut in another way', () => {
  assert.equal(difference([['a', null], ['', 'b'], []], [['a'], [], [null, '', 'b']]), null);
});

test('every kind of difference is found', () => {
  assert.match(String(difference([['a', 'b']], [['a', 'c']])), /column "v" differs/);
  assert.match(String(difference([['ab', 'c']], [['a', 'bc']])), /column "v" differs/);
  assert.match(String(difference([['a', null]], [['a', '']])), /column "v" differs/);
  assert.match(String(difference([['a', 'b']], [['a', null]])), /column "v" differs/);
  assert.match(String(difference([['a', 'b']], [['a']])), /fewer rows/);
  assert.match(String(difference([['a']], [['a', 'b']])), /more rows/);
});

test('values under nulls do not count', () => {
  const expected = batchOf(['a', null, 'b']);
  const column = batchOf(['a', 'xyz', 'b']).columns[0];
  assert.ok(column !== undefined);
  const garbage: BatchData = {
    length: 3,
    columns: [{ ...column, nullCount: 1, validity: Uint8Array.of(0b101) }],
  };
  const comparison = new RowComparison([0]);
  comparison.expect(expected);
  assert.equal(comparison.compare(garbage), null);
  assert.equal(comparison.end(), null);
});
