import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ArrayData } from '../../../src/arrow/arrays/array-data.ts';
import { arrowRows } from '../../../src/arrow/parameters/arrow-rows.ts';
import { TextBuffer } from '../../../src/encode/cells/text-buffer.ts';
import { FieldStyle, fieldWriter } from '../../../src/encode/postgres/fields/field-writers.ts';
import { bindParameters } from '../../../src/encode/postgres/parameters.ts';
import { FrameholdError } from '../../../src/model/errors.ts';
import { postgresType } from '../../../src/model/types/column-names.ts';
import { rowCount, samples } from './sample-columns.ts';

function field(data: ArrayData, row: number, format: 0 | 1): Buffer | null {
  const writer = fieldWriter(data, format, new FieldStyle('UTC'));
  if (writer.isNull(row)) return null;
  const out = new TextBuffer();
  out.slack = writer.bytesMax;
  out.reserve(0);
  writer.write(out, row);
  return Buffer.from(out.take());
}

function bound(values: readonly (Uint8Array | null)[], format: 0 | 1, oid: number): readonly ArrayData[] {
  const parameters = bindParameters(
    values,
    [format],
    values.map(() => oid),
  );
  if (parameters.kind !== 'arrow') throw new Error('no Arrow stream');
  const order = (names: readonly string[]) => names.map((_, index) => index);
  return [...arrowRows(parameters.stream, order, 64 * 1024 * 1024)][0]?.columns as readonly ArrayData[];
}

/** A decimal of the engine has 38 digits, and an interval and a timestamp the range of its microseconds. */
function isBeyondEngine(thrown: unknown): boolean {
  return thrown instanceof FrameholdError && (thrown.sqlState === '22003' || thrown.sqlState === '22008');
}

test('every value that is sent to a client can be sent back as a parameter, in both formats, and is the same', () => {
  let count = 0;
  for (const { data } of samples()) {
    const { type } = data.field;
    // Zeros at the end are left out where the engine has no room for them.
    if (type.kind === 'decimal' && (type.scale > 38 || type.precision > 38)) continue;
    const { oid, name } = postgresType(data.field);
    for (const format of [0, 1] as const)
      for (let row = 0; row < rowCount; row += 29) {
        const value = field(data, row, format);
        let columns: readonly ArrayData[];
        try {
          columns = bound([value], format, oid);
        } catch (thrown) {
          assert.ok(isBeyondEngine(thrown), `${name} ${value?.toString()}: ${thrown}`);
          continue;
        }
        const [column] = columns as [ArrayData];
        assert.equal(field(column, 0, format)?.toString('latin1'), value?.toString('latin1'), name);
        count++;
      }
  }
  assert.ok(count > 3_000, `${count}`);
});

test('a value that is no value of its type is refused, with the parameter and its type', () => {
  const cases: readonly (readonly [string | readonly number[], 0 | 1, number, string])[] = [
    ['12a', 0, 23, '22P02'],
    ['2147483648', 0, 23, '22003'],
    [[1, 2, 3], 1, 23, '22P03'],
    ['NaN', 0, 1700, '22003'],
    ['1e400', 0, 701, '22003'],
    ['2024-02-30', 0, 1082, '22008'],
    ['2024-02-29 12:00:00.1234567', 0, 1114, '22008'],
    ['yesterday', 0, 1114, '22007'],
    ['a\0b', 0, 25, '22021'],
    [[0xff], 0, 25, '22021'],
    ['{{1},{2,3}}', 0, 1007, '22P02'],
    ['{{{{{{{1}}}}}}}', 0, 1007, '54000'],
    ['{1,2', 0, 1007, '22P02'],
    ['\\xabc', 0, 17, '22P02'],
    ['1 fortnight', 0, 1186, '22007'],
    ['x', 0, 600, '0A000'],
  ];
  for (const [text, format, oid, sqlState] of cases) {
    const value = typeof text === 'string' ? Buffer.from(text) : Uint8Array.from(text);
    assert.throws(
      () => bindParameters([null, value], [format], [25, oid]),
      (thrown) =>
        thrown instanceof FrameholdError && thrown.sqlState === sqlState && thrown.message.includes('$2'),
      `${text}`,
    );
  }
});

test('what takes long to read is refused, and what is long is read in one pass', () => {
  const read = (text: string, oid: number) => bound([Buffer.from(text)], 0, oid);
  for (const oid of [16, 20, 21, 23, 26, 700, 701, 1082, 1083, 1114, 1184, 1186, 1700, 2950])
    assert.throws(() => read('1'.repeat(1_000_000), oid), FrameholdError, `${oid}`);
  const [zeros] = read(`${'0'.repeat(1_900)}12`, 23) as [ArrayData];
  assert.equal(field(zeros, 0, 0)?.toString(), '12');
  const tooMany = (thrown: unknown) => thrown instanceof FrameholdError && thrown.sqlState === '54000';
  assert.throws(() => read(`{${'1,'.repeat(100_000)}1}`, 1007), tooMany);
  const [bytes] = read(`\\x${'dE '.repeat(500_000)}`, 17) as [ArrayData];
  assert.equal(field(bytes, 0, 1)?.length, 500_000);
  const [escaped] = read('a\\\\b\\377', 17) as [ArrayData];
  assert.equal(field(escaped, 0, 0)?.toString(), '\\x615c62ff');
  for (const text of ['\\xd', '\\xd e', '\\400', '\\12', '\\'])
    assert.throws(() => read(text, 17), FrameholdError, text);
  const [bits] = read('01'.repeat(500_000), 1562) as [ArrayData];
  assert.equal(field(bits, 0, 0)?.length, 1_000_000);
});

test('what drivers write is understood', () => {
  const same: readonly (readonly [string, number, string])[] = [
    ['2024-02-29 +01', 1082, '2024-02-29'],
    ['2024-02-29T12:30:00+02', 1184, '2024-02-29 10:30:00+00'],
    ['1 day, 2:03:04.000005', 1186, '1 day 02:03:04.000005'],
    ['0 years 0 mons 1 days 2 hours 3 mins 4.5 secs', 1186, '1 day 02:03:04.5'],
    ['P1Y2M3DT4H5M6.7S', 1186, '1 year 2 mons 3 days 04:05:06.7'],
    ['yes', 16, 't'],
    ['{a,"b c",NULL,"NULL"}', 1009, '{a,"b c",NULL,"NULL"}'],
    ['0044-03-15 BC', 1082, '0044-03-15 BC'],
    ['-infinity', 1114, '-infinity'],
    ['1.50e3', 1700, '1500'],
  ];
  for (const [text, oid, expected] of same) {
    const [column] = bound([Buffer.from(text)], 0, oid) as [ArrayData];
    assert.equal(field(column, 0, 0)?.toString(), expected, text);
  }
});
