import { Buffer } from 'node:buffer';
import { type BadValue, notBinary, notText, outOfRange } from './bad-value.ts';

/** A number with its scale: 1.50 is 150 with a scale of 2. */
export interface Decimal {
  readonly unscaled: bigint;
  readonly scale: number;
}

/** Of a DECIMAL of the engine. */
export const digitsMax = 38;
const groupDigits = 4;
const groupBase = 10_000;
const notFinite = (word: string) => outOfRange('22003', `is ${word}, which a decimal cannot be`);
export const decimalForm = 'digits, as -12.50';
/** Sign, digits with a point somewhere, exponent. */
const form = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,9}))?$/;
const words = /^[+-]?(?:nan|inf(?:inity)?)$/i;

export function decimalOfText(text: string): Decimal {
  const trimmed = text.trim();
  if (words.test(trimmed)) throw notFinite(trimmed);
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = form.exec(trimmed) ?? [];
  if (whole === '' && fraction === '') throw notText(text, decimalForm);
  return decimal(sign === '-', `${whole}${fraction}`, fraction.length - Number(exponent));
}

export function tooManyDigits(): BadValue {
  return outOfRange('22003', `has more than the ${digitsMax} digits that a decimal can have`);
}

/** Zeros are added or taken off behind the point only where the value stays the same. */
function decimal(isNegative: boolean, digits: string, scale: number): Decimal {
  let start = 0;
  while (start < digits.length && digits[start] === '0') start++;
  let end = digits.length;
  let kept = scale;
  while (
    kept > 0 &&
    (end - start > digitsMax || kept > digitsMax) &&
    end > start &&
    digits[end - 1] === '0'
  ) {
    end--;
    kept--;
  }
  if (start >= end) return { unscaled: 0n, scale: Math.min(Math.max(kept, 0), digitsMax) };
  if (kept > digitsMax || end - start > digitsMax || end - start - kept > digitsMax) throw tooManyDigits();
  const zeros = Math.max(0, -kept);
  const size = BigInt(`${digits.slice(start, end)}${'0'.repeat(zeros)}`);
  return { unscaled: isNegative ? -size : size, scale: Math.max(0, kept) };
}

/** Groups of four digits, before and behind the point. */
export function decimalOfBinary(bytes: Uint8Array): Decimal {
  if (bytes.length < 8) throw notBinary(`has ${bytes.length} bytes, and a numeric has at least 8`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const count = view.getUint16(0);
  const weight = view.getInt16(2);
  const sign = view.getUint16(4);
  const scale = view.getUint16(6);
  if (sign === 0xc000) throw notFinite('NaN');
  if (sign === 0xd000 || sign === 0xf000) throw notFinite(sign === 0xd000 ? 'Infinity' : '-Infinity');
  if (sign !== 0 && sign !== 0x4000) throw notBinary('has a sign that no numeric has');
  if (bytes.length !== 8 + count * 2)
    throw notBinary(`has ${bytes.length} bytes, and a numeric of ${count} groups has ${8 + count * 2}`);
  if (scale > 16_383) throw notBinary(`has a scale of ${scale}, and a numeric has at most 16383`);
  const text = Buffer.alloc(count * groupDigits);
  for (let group = 0; group < count; group++) {
    const digits = view.getUint16(8 + group * 2);
    if (digits >= groupBase) throw notBinary(`has a group of digits with the value ${digits}`);
    text.write(`${digits}`.padStart(groupDigits, '0'), group * groupDigits, 'latin1');
  }
  const groupScale = (count - weight - 1) * groupDigits;
  return scaled(decimalTrimmed(sign !== 0, text.toString('latin1'), groupScale), scale);
}

/** Without zeros at its end behind the point, which only fill a group. */
function decimalTrimmed(isNegative: boolean, digits: string, scale: number): Decimal {
  let end = digits.length;
  let kept = scale;
  while (kept > 0 && end > 0 && digits[end - 1] === '0') {
    end--;
    kept--;
  }
  return decimal(isNegative, digits.slice(0, end), kept);
}

/** With as many digits behind the point as were sent, if there is room for them. */
function scaled({ unscaled, scale }: Decimal, wanted: number): Decimal {
  if (wanted <= scale) return { unscaled, scale };
  const digits = unscaled === 0n ? 0 : (unscaled < 0n ? -unscaled : unscaled).toString().length;
  const most = Math.min(wanted, scale + digitsMax - Math.max(digits, scale));
  return { unscaled: unscaled * 10n ** BigInt(most - scale), scale: most };
}
