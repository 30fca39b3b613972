import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ArrayData } from '../../../../server/src/arrow/arrays/array-data.ts';
import {
  arrayOf,
  batchPiece,
  dictionaryPiece,
  encodedField,
  fieldOf,
  numbersOf,
  schemaPiece,
  streamOfColumn,
  utf8,
} from '../../../../server/test/arrow/hand-made.ts';
import { streamOf } from '../../../../server/test/arrow/stream-bytes.ts';
import type { ParameterValue } from '../../src/allowlist/parameter-values.ts';
import { parameterRows, type WantedParameters } from '../../src/parameters/parameters.ts';

const one: WantedParameters = { count: 1, names: null };

function ofJson(wanted: WantedParameters, values: readonly unknown[] | Record<string, unknown>) {
  return [...parameterRows({ kind: 'json', values }, wanted)];
}

function ofColumn(column: ArrayData): readonly ParameterValue[] {
  return [...parameterRows({ kind: 'arrow', stream: streamOfColumn(column) }, one)].flat();
}

test('a value of JSON has the smallest type that holds it exactly', () => {
  const values = [null, true, 'a', 1.5, 7n, -(2n ** 31n), 2n ** 31n, 2n ** 63n, -(10n ** 38n - 1n)];
  assert.deepEqual(ofJson({ count: 9, names: null }, values), [
    [
      { type: 'null' },
      { type: 'boolean', value: true },
      { type: 'string', value: 'a' },
      { type: 'double', value: 1.5 },
      { type: 'int', value: 7n },
      { type: 'int', value: -(2n ** 31n) },
      { type: 'bigint', value: 2n ** 31n },
      { type: 'decimal', unscaled: 2n ** 63n, precision: 19, scale: 0 },
      { type: 'decimal', unscaled: -(10n ** 38n - 1n), precision: 38, scale: 0 },
    ],
  ]);
  assert.throws(() => ofJson(one, [10n ** 38n]), {
    kind: 'sql_invalid',
    message: /number 1 has more than 38 digits/,
  });
  for (const nested of [[1], { a: 1 }])
    assert.throws(() => ofJson(one, [nested]), { kind: 'sql_invalid', message: /a list or an object/ });
});

test('named values are put in the order of the statement, with or without their mark', () => {
  const named: WantedParameters = { count: 2, names: ['b', 'A'] };
  const expected = [
    [
      { type: 'int', value: 2n },
      { type: 'int', value: 1n },
    ],
  ];
  assert.deepEqual(ofJson(named, { A: 1n, b: 2n }), expected);
  assert.deepEqual(ofJson(named, { ':A': 1n, $b: 2n }), expected);
  assert.deepEqual(ofJson(named, [2n, 1n]), expected);
  assert.throws(() => ofJson(named, { b: 2n }), { kind: 'sql_invalid', message: /for the parameter :A/ });
  assert.throws(() => ofJson(named, { A: 1n, b: 2n, c: 3n }), { message: /no parameter :c/ });
  assert.throws(() => ofJson(one, { a: 1n }), { message: /have no names/ });
});

test('values that are missing or too many are counted in the error', () => {
  assert.throws(() => ofJson(one, []), { kind: 'sql_invalid', message: /has 1 parameters, and 0 values/ });
  assert.throws(() => [...parameterRows(null, one)], { message: /has 1 parameters, and 0 values/ });
  assert.deepEqual([...parameterRows(null, { count: 0, names: null })], [[]]);
});

test('each row of an Arrow stream is a run, with the types of its columns', () => {
  assert.deepEqual(ofColumn(numbersOf(1, -2)), [
    { type: 'bigint', value: 1n },
    { type: 'bigint', value: -2n },
  ]);
  const column = (type: Parameters<typeof fieldOf>[0], ...buffers: ArrayBufferView[]) =>
    ofColumn(arrayOf(fieldOf(type), 1, buffers))[0];
  const int = (bits: 8 | 16 | 32 | 64, signed: boolean) => ({ kind: 'int', bits, signed }) as const;
  assert.deepEqual(column(int(8, true), Int8Array.of(-128)), { type: 'tinyint', value: -128n });
  assert.deepEqual(column(int(8, false), Uint8Array.of(255)), { type: 'smallint', value: 255n });
  assert.deepEqual(column(int(32, false), Uint32Array.of(2 ** 32 - 1)), {
    type: 'bigint',
    value: 2n ** 32n - 1n,
  });
  assert.deepEqual(column(int(64, false), BigUint64Array.of(2n ** 64n - 1n)), {
    type: 'decimal',
    unscaled: 2n ** 64n - 1n,
    precision: 20,
    scale: 0,
  });
  assert.deepEqual(column({ kind: 'float', bits: 32 }, Float32Array.of(0.1)), {
    type: 'float',
    value: Math.fround(0.1),
  });
  assert.deepEqual(column({ kind: 'bool' }, Uint8Array.of(1)), { type: 'boolean', value: true });
  assert.deepEqual(
    column({ kind: 'decimal', bits: 128, precision: 38, scale: 2 }, BigInt64Array.of(-5n, -1n)),
    { type: 'decimal', unscaled: -5n, precision: 38, scale: 2 },
  );
  assert.deepEqual(column(utf8, Int32Array.of(0, 3), Buffer.from('añ')), { type: 'string', value: 'añ' });
  assert.deepEqual(column({ kind: 'fixed-binary', width: 2 }, Uint8Array.of(0, 255)), {
    type: 'binary',
    value: Uint8Array.of(0, 255),
  });
  assert.deepEqual(column({ kind: 'date', unit: 'ms' }, BigInt64Array.of(-86_400_000n)), {
    type: 'date',
    days: -1,
  });
  assert.deepEqual(column({ kind: 'timestamp', unit: 'ms', zone: null }, BigInt64Array.of(5n)), {
    type: 'timestamp_ntz',
    micros: 5000n,
  });
  assert.deepEqual(column({ kind: 'timestamp', unit: 'ns', zone: 'Asia/Tokyo' }, BigInt64Array.of(-7000n)), {
    type: 'timestamp',
    micros: -7n,
  });
});

test('a null has the type of its column', () => {
  const nothing = { validity: Uint8Array.of(0), nullCount: 1 };
  const nullOf = (type: Parameters<typeof fieldOf>[0], ...buffers: ArrayBufferView[]) =>
    ofColumn(arrayOf(fieldOf(type), 1, buffers, nothing));
  assert.deepEqual(nullOf({ kind: 'int', bits: 64, signed: true }, BigInt64Array.of(0n)), [
    { type: 'typed_null', of: 'BIGINT' },
  ]);
  assert.deepEqual(nullOf({ kind: 'decimal', bits: 128, precision: 9, scale: 2 }, BigInt64Array.of(0n, 0n)), [
    { type: 'typed_null', of: 'DECIMAL(9,2)' },
  ]);
  assert.deepEqual(ofColumn(arrayOf(fieldOf({ kind: 'null' }), 1, [], { nullCount: 1 })), [{ type: 'null' }]);
});

test('values behind a dictionary are given as themselves', () => {
  const field = encodedField(utf8);
  const words = arrayOf(fieldOf(utf8), 2, [Int32Array.of(0, 1, 3), Buffer.from('abb')]);
  const indices = arrayOf(field, 3, [Int8Array.of(1, 0, 1)]);
  const stream = streamOf([schemaPiece([field]), dictionaryPiece(1n, words), batchPiece(3, [indices])]);
  assert.deepEqual(
    [...parameterRows({ kind: 'arrow', stream }, one)].flat(),
    ['bb', 'a', 'bb'].map((value) => ({ type: 'string', value })),
  );
});

test('what Spark cannot hold exactly is refused by name and type', () => {
  const refused = (type: Parameters<typeof fieldOf>[0], ...buffers: ArrayBufferView[]) =>
    assert.throws(() => ofColumn(arrayOf(fieldOf(type), 1, buffers)), {
      kind: 'sql_invalid',
      message: /^The value of the parameter number 1 (has the type|holds a time)/,
    });
  refused({ kind: 'timestamp', unit: 'ns', zone: null }, BigInt64Array.of(1n));
  refused({ kind: 'date', unit: 'ms' }, BigInt64Array.of(1n));
  refused({ kind: 'time', bits: 64, unit: 'us' }, BigInt64Array.of(1n));
  refused({ kind: 'duration', unit: 'us' }, BigInt64Array.of(1n));
  refused({ kind: 'decimal', bits: 256, precision: 76, scale: 0 }, new BigInt64Array(4));
  refused({ kind: 'decimal', bits: 128, precision: 3, scale: -2 }, new BigInt64Array(2));
});

test('columns are taken by name if they have the names of the parameters, else by place', () => {
  const named = (name: string, value: number) => {
    const column = numbersOf(value);
    return { ...column, field: { ...column.field, name } };
  };
  const columns = [named('x', 1), named('y', 2)];
  const stream = streamOf([schemaPiece(columns.map(({ field }) => field)), batchPiece(1, columns)]);
  const values = (names: readonly string[] | null) =>
    [...parameterRows({ kind: 'arrow', stream }, { count: 2, names })]
      .flat()
      .map((value) => 'value' in value && value.value);
  assert.deepEqual(values(['y', 'x']), [2n, 1n]);
  assert.deepEqual(values(['a', 'b']), [1n, 2n]);
  assert.deepEqual(values(null), [1n, 2n]);
});

test('bytes that are no Arrow stream, or too many, are refused', () => {
  const given = (stream: Uint8Array) => () => [...parameterRows({ kind: 'arrow', stream }, one)];
  assert.throws(given(Buffer.from('not arrow at all')), { kind: 'bad_body' });
  assert.throws(given(Buffer.alloc(1024 * 1024 + 1)), {
    kind: 'sql_invalid',
    message: /more than 1048576 bytes/,
  });
});
