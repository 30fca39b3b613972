import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  MalformedThrift,
  readThrift,
  type ThriftStruct,
  type ThriftValue,
  thriftInt,
  writeThrift,
} from '../../src/parquet/thrift-compact.ts';
import { arrowBytes } from '../support/python.ts';

const { file } = await arrowBytes(
  {
    file: "pa.table({'a': pa.array([1, None]), 'b': pa.array([['x']] * 2), 'c': pa.array([{'d': 1.5}] * 2)})",
  },
  'parquet',
);
const footerBytes = file.readUInt32LE(file.length - 8);
const footer = file.subarray(file.length - 8 - footerBytes, file.length - 8);

const { struct: anyStruct } = fc.letrec<{ struct: ThriftStruct; value: ThriftValue; item: ThriftValue }>(
  (tie) => ({
    struct: fc.record({
      fields: fc
        .uniqueArray(fc.record({ id: fc.integer({ min: 1, max: 32_767 }), value: tie('value') }), {
          selector: ({ id }) => id,
          maxLength: 6,
        })
        .map((fields) => [...fields]),
    }),
    value: fc.oneof(
      { depthSize: 'small' },
      fc.boolean().map((value) => ({ type: 'bool' as const, value })),
      tie('item'),
    ),
    item: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc
        .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
        .map((value) => ({ type: 'int' as const, tag: 6 as const, value })),
      fc.uint8Array({ minLength: 8, maxLength: 8 }).map((bytes) => ({ type: 'raw' as const, tag: 7, bytes })),
      fc.uint8Array({ maxLength: 40 }).map((bytes) => ({ type: 'binary' as const, bytes })),
      fc
        .array(fc.uint8Array({ maxLength: 3 }), { maxLength: 40 })
        .map((all) => all.map((bytes) => ({ type: 'binary' as const, bytes })))
        .map((items) => ({ type: 'list' as const, tag: 9, elementTag: 8, items })),
      fc
        .array(tie('struct'), { maxLength: 3 })
        .map((all) => all.map((value) => ({ type: 'struct' as const, value })))
        .map((items) => ({ type: 'list' as const, tag: 9, elementTag: 12, items })),
      tie('struct').map((value) => ({ type: 'struct' as const, value })),
    ),
  }),
);

test('a struct comes back as it was written, and ends where it ends', () => {
  fc.assert(
    fc.property(anyStruct, (struct) => {
      const bytes = writeThrift(struct);
      const read = readThrift(bytes);
      assert.equal(read.end, bytes.length);
      assert.deepEqual(writeThrift(read.struct), bytes);
      assert.deepEqual(
        read.struct.fields.map(({ id }) => id),
        struct.fields.map(({ id }) => id),
      );
    }),
  );
});

test("another writer's footer is given back byte for byte", () => {
  const { struct, end } = readThrift(footer);
  assert.equal(end, footer.length);
  assert.equal(thriftInt(struct, 3), 2);
  assert.equal(Buffer.compare(writeThrift(struct), footer), 0);
});

test('a struct that is cut anywhere is malformed', () => {
  for (let length = 0; length < footer.length; length++)
    assert.throws(() => readThrift(footer.subarray(0, length)), MalformedThrift);
});

test('changed bytes are read or malformed, and nothing else', () => {
  fc.assert(
    fc.property(fc.nat(footer.length - 1), fc.nat(255), (position, byte) => {
      const copy = Uint8Array.from(footer);
      copy[position] = byte;
      try {
        readThrift(copy);
      } catch (thrown) {
        assert.ok(thrown instanceof MalformedThrift);
      }
    }),
    { numRuns: 2000 },
  );
});

test('a count that the bytes cannot hold is malformed before anything is allocated', () => {
  // Field 1, a list of 2^31 truth values.
  assert.throws(() => readThrift(Uint8Array.of(0x19, 0xf1, 0x80, 0x80, 0x80, 0x80, 0x08)), MalformedThrift);
});

test('nesting without end is malformed', () => {
  assert.throws(() => readThrift(new Uint8Array(100_000).fill(0x1c)), MalformedThrift);
  assert.throws(() => readThrift(new Uint8Array(100_000).fill(0x19)), MalformedThrift);
});
