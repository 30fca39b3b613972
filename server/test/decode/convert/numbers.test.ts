import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ArrayData } from '../../../src/arrow/arrays/array-data.ts';
import { valueBytes } from '../../../src/arrow/arrays/layout.ts';
import type { Field } from '../../../src/arrow/field.ts';
import { convertArray } from '../../../src/decode/convert/convert-array.ts';
import { DoesNotFit } from '../../../src/decode/convert/does-not-fit.ts';
import type { NumberType } from '../../../src/decode/convert/number-fit.ts';

/** Exact: a numerator and a denominator without common factors. NaN, the infinities and -0 are texts. */
type Exact = string;

const types: readonly NumberType[] = [
  ...([8, 16, 32, 64] as const).flatMap((bits): NumberType[] => [
    { kind: 'int', bits, signed: true },
    { kind: 'int', bits, signed: false },
  ]),
  { kind: 'float', bits: 32 },
  { kind: 'float', bits: 64 },
  { kind: 'decimal', bits: 32, precision: 9, scale: 2 },
  { kind: 'decimal', bits: 64, precision: 18, scale: 0 },
  { kind: 'decimal', bits: 128, precision: 38, scale: 10 },
  { kind: 'decimal', bits: 256, precision: 76, scale: 30 },
  { kind: 'decimal', bits: 128, precision: 20, scale: -3 },
];

function field(type: NumberType): Field {
  return { name: 'n', nullable: true, type, children: [], dictionary: null, metadata: [] };
}

function fraction(numerator: bigint, denominator: bigint): Exact {
  let [a, b] = [numerator < 0n ? -numerator : numerator, denominator];
  while (b !== 0n) [a, b] = [b, a % b];
  return `${numerator / a}/${denominator / a}`;
}

/** What a double is, by its bits. */
function exactDouble(value: number): Exact {
  if (!Number.isFinite(value) || Object.is(value, -0)) return Object.is(value, -0) ? '-0' : String(value);
  if (value === 0) return '0/1';
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const digits = (bits & 0xfffffffffffffn) | (exponent === 0 ? 0n : 1n << 52n);
  const power = Math.max(exponent, 1) - 1075;
  const signed = value < 0 ? -digits : digits;
  return power >= 0 ? fraction(signed << BigInt(power), 1n) : fraction(signed, 1n << BigInt(-power));
}

/** The bytes of a value, little-endian, and what it is: the tests' own idea of the layout. */
function read(bytes: Uint8Array, type: NumberType): Exact {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (type.kind === 'float')
    return exactDouble(type.bits === 32 ? view.getFloat32(0, true) : view.getFloat64(0, true));
  const digits = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
  const value = type.kind === 'int' && !type.signed ? digits : BigInt.asIntN(type.bits, digits);
  if (type.kind === 'int') return fraction(value, 1n);
  return type.scale >= 0
    ? fraction(value, 10n ** BigInt(type.scale))
    : fraction(value * 10n ** BigInt(-type.scale), 1n);
}

/** Whether a type has a value, by what the type is and not by converting. */
function has(type: NumberType, value: Exact): boolean {
  const match = /^(-?\d+)\/(\d+)$/.exec(value);
  if (match === null) return type.kind === 'float';
  const [numerator, denominator] = [BigInt(match[1] as string), BigInt(match[2] as string)];
  if (type.kind === 'int') {
    const [min, max] = type.signed
      ? [-(2n ** BigInt(type.bits - 1)), 2n ** BigInt(type.bits - 1)]
      : [0n, 2n ** BigInt(type.bits)];
    return denominator === 1n && numerator >= min && numerator < max;
  }
  if (type.kind === 'decimal') {
    const up = 10n ** BigInt(Math.max(0, type.scale));
    const down = denominator * 10n ** BigInt(Math.max(0, -type.scale));
    const digits = (numerator * up) / down;
    return (numerator * up) % down === 0n && String(digits).replace('-', '').length <= type.precision;
  }
  // A power of two below, and as many binary digits as there are.
  const digits = (numerator < 0n ? -numerator : numerator).toString(2).replace(/0+$/, '').length;
  const twos = denominator.toString(2);
  const reach = type.bits === 64 ? { digits: 53, bits: 1024 } : { digits: 24, bits: 128 };
  const small = type.bits === 64 ? 1074 : 149;
  return (
    /^10*$/.test(twos) &&
    twos.length - 1 <= small &&
    digits <= reach.digits &&
    numerator.toString(2).replace('-', '').length - (twos.length - 1) <= reach.bits
  );
}

const interesting = fc.oneof(
  fc.bigInt({ min: -300n, max: 70_000n }),
  fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }),
  fc.constantFrom(
    2n ** 53n,
    2n ** 53n + 1n,
    2n ** 63n,
    2n ** 64n - 1n,
    2n ** 31n,
    -(2n ** 63n),
    10n ** 9n - 1n,
  ),
);

function bytesOf(type: NumberType): fc.Arbitrary<Uint8Array> {
  const width = valueBytes(type) as number;
  if (type.kind === 'float')
    return fc
      .oneof(
        interesting.map(Number),
        fc.double(),
        fc.integer().map((value) => value / 8),
      )
      .map((value) => {
        const view = new DataView(new ArrayBuffer(width));
        if (width === 4) view.setFloat32(0, value, true);
        else view.setFloat64(0, value, true);
        return new Uint8Array(view.buffer);
      });
  const factor = type.kind === 'decimal' ? 10n ** BigInt(Math.max(0, type.scale)) : 1n;
  const limit = type.kind === 'decimal' ? 10n ** BigInt(type.precision) : 2n ** BigInt(type.bits);
  return fc
    .oneof(
      interesting,
      interesting.map((value) => value * factor),
      interesting.map((value) => (value * factor) / 4n),
    )
    .map((value) => {
      const hex = BigInt.asUintN(type.bits, value % limit)
        .toString(16)
        .padStart(width * 2, '0');
      return new Uint8Array(Buffer.from(hex, 'hex').reverse());
    });
}

const cases = fc
  .tuple(fc.constantFrom(...types), fc.constantFrom(...types))
  .chain(([from, to]) =>
    fc.tuple(
      fc.constant(from),
      fc.constant(to),
      fc.array(fc.option(bytesOf(from)), { minLength: 1, maxLength: 12 }),
    ),
  );

function arrayOf(type: NumberType, values: readonly (Uint8Array | null)[]): ArrayData {
  const width = valueBytes(type) as number;
  const bytes = new Uint8Array(values.length * width).fill(0xa5);
  const validity = new Uint8Array(Math.ceil(values.length / 8));
  for (const [row, value] of values.entries()) {
    if (value === null) continue;
    bytes.set(value, row * width);
    validity[row >> 3] = (validity[row >> 3] as number) | (1 << (row & 7));
  }
  const nullCount = values.filter((value) => value === null).length;
  return {
    field: field(type),
    length: values.length,
    nullCount,
    validity: nullCount === 0 ? null : validity,
    buffers: [bytes],
    children: [],
    dictionary: null,
  };
}

test('every number stays the same number, or the first that the type does not have is named', () => {
  fc.assert(
    fc.property(cases, ([from, to, values]) => {
      const wanted = values.map((value) => (value === null ? null : read(value, from)));
      const first = wanted.findIndex((value) => value !== null && !has(to, value));
      let converted: ArrayData;
      try {
        converted = convertArray(arrayOf(from, values), field(to), { encoders: new Map(), isPiece: false });
      } catch (thrown) {
        assert.ok(thrown instanceof DoesNotFit, String(thrown));
        assert.equal(thrown.row, first, `${thrown.value} is row ${first}`);
        return;
      }
      assert.equal(first, -1, `${wanted[first]} was taken`);
      const width = valueBytes(to) as number;
      const [bytes] = converted.buffers as readonly [Uint8Array];
      const got = wanted.map((value, row) =>
        value === null ? null : read(bytes.subarray(row * width, (row + 1) * width), to),
      );
      assert.deepEqual(got, wanted);
      assert.deepEqual(converted.validity, arrayOf(from, values).validity);
    }),
    { numRuns: 3_000 },
  );
});
