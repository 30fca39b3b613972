import { Buffer } from 'node:buffer';
import { notText, outOfRange } from './bad-value.ts';
import { shortText } from './text-values.ts';

/** Whole numbers and floats out of texts, as Arrow has them. */

export function little(value: bigint, count: number): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(value);
  return bytes.subarray(0, count);
}

const integerForm = /^([+-]?)(\d+)$/;

export function integerOfText(bytes: Uint8Array, bits: 16 | 32 | 64): Uint8Array {
  const text = shortText(bytes, 'digits').trim();
  const [, sign, digits = ''] = integerForm.exec(text) ?? [];
  if (digits === '') throw notText(text, 'digits');
  let start = 0;
  while (digits[start] === '0') start++;
  // The largest has 19 digits.
  const size = digits.length - start > 19 ? null : BigInt(digits.slice(start));
  const value = size === null ? null : sign === '-' ? -size : size;
  if (value === null || BigInt.asIntN(bits, value) !== value)
    throw outOfRange('22003', `is outside its range of ${bits} bits`);
  return little(value, bits / 8);
}

/** A number without a sign; the engine has no such type, and 64 bits hold it. */
export function oidOfText(bytes: Uint8Array): Uint8Array {
  const text = shortText(bytes, 'digits').trim();
  if (!/^\d{1,10}$/.test(text) || Number(text) > 0xffff_ffff) throw notText(text, 'digits');
  return little(BigInt(text), 8);
}

/** Sign, digits, digits behind a point, exponent. */
const floatForm = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;
const floatWord = /^([+-]?)(nan|inf|infinity)$/i;

export function floatOfText(bytes: Uint8Array, bits: 32 | 64): Uint8Array {
  const form = 'a number, as -1.5e10, NaN or Infinity';
  const text = shortText(bytes, form).trim();
  const out = Buffer.alloc(bits / 8);
  const put = (value: number) => (bits === 32 ? out.writeFloatLE(value) : out.writeDoubleLE(value));
  const word = floatWord.exec(text);
  if (word !== null) {
    const size = word[2]?.toLowerCase() === 'nan' ? Number.NaN : Number.POSITIVE_INFINITY;
    put(word[1] === '-' ? -size : size);
    return out;
  }
  const [, sign, whole = '', fraction = '', exponent = '0'] = floatForm.exec(text) ?? [];
  const digits = `${whole}${fraction}`;
  if (digits === '') throw notText(text, form);
  const double = Math.abs(Number(text));
  const size = bits === 32 ? nearestFloat32(double, digits, Number(exponent) - fraction.length) : double;
  if (!Number.isFinite(size) || (size === 0 && /[1-9]/.test(digits)))
    throw outOfRange('22003', `is outside the range of float${bits / 8}`);
  put(sign === '-' ? -size : size);
  return out;
}

const float32 = new DataView(new ArrayBuffer(4));

/**
 * The float4 that is nearest to `digits` × 10^`exponent`, of which `double` is the nearest double. Only a double in the middle between two of them does not
 * say which: then all digits count.
 */
function nearestFloat32(double: number, digits: string, exponent: number): number {
  const rounded = Math.fround(double);
  if (rounded === double) return rounded;
  float32.setFloat32(0, rounded);
  float32.setUint32(0, float32.getUint32(0) + (rounded > double ? -1 : 1));
  // Behind the largest one comes what would be the next.
  const other = float32.getFloat32(0) === Number.POSITIVE_INFINITY ? 2 ** 128 : float32.getFloat32(0);
  const [low, high] = rounded > double ? [other, rounded] : [rounded, other];
  if (double - low !== (high === Number.POSITIVE_INFINITY ? 2 ** 128 : high) - double) return rounded;
  const side = compare(digits, exponent, double);
  return side === 0 ? rounded : side < 0 ? low : Math.fround(high);
}

/** Whether the decimal is below (-1), above (1) or equal to a double, which is a multiple of 2^-150. */
function compare(digits: string, exponent: number, double: number): -1 | 0 | 1 {
  const scaled = BigInt(double * 2 ** 75 * 2 ** 75);
  const ten = (power: number) => 10n ** BigInt(Math.max(0, power));
  const left = (BigInt(digits) << 150n) * ten(exponent);
  const right = scaled * ten(-exponent);
  return left < right ? -1 : left > right ? 1 : 0;
}
