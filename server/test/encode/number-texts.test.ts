import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { putInteger, putLongPadded } from '../../src/encode/cells/digits.ts';
import { putDouble, putFloat32 } from '../../src/encode/cells/floats.ts';
import { TextBuffer } from '../../src/encode/cells/text-buffer.ts';
import { type Random, randomDouble, seededRandom } from './random-columns.ts';

/** Digits are written by arithmetic; JavaScript's own texts are the reference. */

function written(put: (out: TextBuffer) => void): string {
  const out = new TextBuffer();
  out.reserve(64);
  put(out);
  return Buffer.from(out.take()).toString();
}

function doubleText(value: number): string {
  return written((out) => putDouble(out, value));
}

describe('integers', () => {
  it('have the digits that JavaScript gives them, around every power of ten and of two', () => {
    const powers = [10, 2].flatMap((base) =>
      Array.from({ length: 54 }, (_, exponent) => base ** exponent).filter((value) => value < 2 ** 53),
    );
    for (const power of powers)
      for (const value of [power - 1, power, power + 1, -power, 1 - power])
        if (Number.isSafeInteger(value))
          assert.equal(
            written((out) => {
              out.at = putInteger(out.bytes, 0, value);
            }),
            `${value + 0}`,
          );
  });

  it('are padded to any width that a double holds', () => {
    for (let digits = 1; digits <= 15; digits++)
      for (const value of [0, 1, 10 ** (digits - 1), 10 ** digits - 1])
        assert.equal(
          written((out) => {
            out.at = putLongPadded(out.bytes, 0, value, digits);
          }),
          `${value}`.padStart(digits, '0'),
        );
  });
});

describe('doubles', () => {
  it('are the shortest text that is read as the same number, as JavaScript writes it', () => {
    const random = seededRandom(1);
    for (let count = 0; count < 200_000; count++) {
      const value = randomDouble(random);
      if (!Number.isFinite(value)) continue;
      assert.equal(doubleText(value), Object.is(value, -0) ? '-0' : `${value}`);
    }
  });

  it('next to a short decimal have all their digits', () => {
    for (const decimal of neighbours(seededRandom(2), 20_000))
      assert.equal(doubleText(decimal), `${decimal}`);
  });
});

/** Decimals of up to 17 digits, with the doubles before and after them. */
function* neighbours(random: Random, count: number): Generator<number, void, void> {
  const view = new DataView(new ArrayBuffer(8));
  for (let index = 0; index < count; index++) {
    const digits = `${random(10 ** (1 + random(9)))}${random(10 ** (1 + random(8)))}`;
    view.setFloat64(0, Number(`${digits}e-${random(18)}`));
    const bits = view.getBigInt64(0);
    for (const step of [-1n, 0n, 1n]) {
      view.setBigInt64(0, bits + step);
      if (Number.isFinite(view.getFloat64(0))) yield view.getFloat64(0);
    }
  }
}

describe('float32', () => {
  it('is the shortest decimal that is read as the same float32', () => {
    const random = seededRandom(3);
    const view = new DataView(new ArrayBuffer(4));
    for (let count = 0; count < 100_000; count++) {
      if (count % 2 === 0) view.setUint32(0, random(2 ** 32));
      else view.setFloat32(0, randomDouble(random));
      const value = view.getFloat32(0);
      if (!Number.isFinite(value)) continue;
      const text = written((out) => putFloat32(out, value));
      assert.ok(Object.is(Math.fround(Number(text)), value), `${value} as ${text}`);
      assert.ok(digitsOf(text) <= fewestDigits(value), `${value} as ${text}`);
    }
  });
});

function digitsOf(text: string): number {
  const [mantissa = ''] = text.replace('-', '').split('e');
  const digits = mantissa.includes('.') ? mantissa.replace('.', '') : mantissa.replace(/0+$/, '');
  return Math.max(1, digits.replace(/^0+/, '').length);
}

/** Of the nearest decimals. Whole numbers below 2^24 are written with all their digits. */
function fewestDigits(value: number): number {
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 24) return 8;
  for (let digits = 1; digits < 9; digits++)
    if (Math.fround(Number(value.toPrecision(digits))) === value) return digits;
  return 9;
}
