import type { Buffer } from 'node:buffer';
import { dayNumber } from '../../../arrow/calendar.ts';

/**
 * Cells of the common shapes, straight from the bytes: most cells of most files. NaN is for every other text, which is then looked at as
 * a text. What is read here is exact, and of the one kind that its name says.
 */
export type ShortCell = (bytes: Buffer, start: number, end: number) => number;

const zero = 0x30;
const minus = 0x2d;
/** Always exact in a double. */
const digitsMax = 15;
/** Powers of ten that are exact in a double: dividing by them rounds once, to the nearest. */
const powers = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

/** A whole number of up to 15 digits without leading zeros. */
export function shortInteger(bytes: Buffer, start: number, end: number): number {
  let position = start;
  const negative = bytes[position] === minus;
  if (negative) position++;
  const length = end - position;
  if (length < 1 || length > digitsMax) return Number.NaN;
  if (bytes[position] === zero && (length > 1 || negative)) return Number.NaN;
  let value = 0;
  for (; position < end; position++) {
    const digit = (bytes[position] as number) - zero;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return negative ? -value : value;
}

/** A number of up to 15 digits that count, with decimals or without, without an exponent. */
function shortDecimal(point: number): ShortCell {
  return (bytes, start, end) => {
    let position = start;
    const negative = bytes[position] === minus;
    if (negative) position++;
    const wholeStart = position;
    let mantissa = 0;
    let digits = 0;
    for (; position < end; position++) {
      const digit = (bytes[position] as number) - zero;
      if (digit < 0 || digit > 9) break;
      mantissa = mantissa * 10 + digit;
      if (mantissa !== 0) digits++;
    }
    const wholeLength = position - wholeStart;
    if (wholeLength === 0 || (wholeLength > 1 && bytes[wholeStart] === zero)) return Number.NaN;
    let decimals = 0;
    if (position < end) {
      if (bytes[position] !== point) return Number.NaN;
      const fractionStart = ++position;
      for (; position < end; position++) {
        const digit = (bytes[position] as number) - zero;
        if (digit < 0 || digit > 9) return Number.NaN;
        mantissa = mantissa * 10 + digit;
        if (mantissa !== 0) digits++;
      }
      decimals = position - fractionStart;
      if (decimals === 0 || decimals >= powers.length) return Number.NaN;
    } else if (negative && mantissa === 0) return Number.NaN;
    if (digits > digitsMax) return Number.NaN;
    const value = decimals === 0 ? mantissa : mantissa / (powers[decimals] as number);
    return negative ? -value : value;
  };
}

/** Longer than any number that a double holds to the last digit and that is written without an exponent. */
const longDecimalMax = 26;

/** As `shortDecimal`; and numbers with a point and more digits, if they are what a double is written as. */
export function decimalCell(point: number): ShortCell {
  const short = shortDecimal(point);
  if (point !== 0x2e) return short;
  return (bytes, start, end) => {
    const value = short(bytes, start, end);
    if (!Number.isNaN(value) || end - start > longDecimalMax) return value;
    const text = bytes.toString('latin1', start, end);
    const number = Number(text);
    return String(number) === text && text.includes('.') && !text.includes('e') ? number : Number.NaN;
  };
}

/** `true` is 1, `false` is 0. */
export function shortBoolean(bytes: Buffer, start: number, end: number): number {
  if (end - start === 4)
    return bytes[start] === 0x74 &&
      bytes[start + 1] === 0x72 &&
      bytes[start + 2] === 0x75 &&
      bytes[start + 3] === 0x65
      ? 1
      : Number.NaN;
  return end - start === 5 &&
    bytes[start] === 0x66 &&
    bytes[start + 1] === 0x61 &&
    bytes[start + 2] === 0x6c &&
    bytes[start + 3] === 0x73 &&
    bytes[start + 4] === 0x65
    ? 0
    : Number.NaN;
}

/** `YYYY-MM-DD` as days from 1970-01-01. */
export function shortDay(bytes: Buffer, start: number, end: number): number {
  return end - start === 10 ? dayAt(bytes, start) : Number.NaN;
}

/** Years whose microseconds, and whose nanoseconds in 64 bits, are certain to be exact. */
const yearMin = 1700;
const yearMax = 2240;

/** `YYYY-MM-DD`, `T` or a space, `HH:MM:SS`, up to six decimals, as microseconds from 1970-01-01. */
export function shortMoment(bytes: Buffer, start: number, end: number): number {
  const length = end - start;
  if (length < 19 || length > 26 || length === 20) return Number.NaN;
  const separator = bytes[start + 10];
  if (separator !== 0x20 && separator !== 0x54) return Number.NaN;
  if (bytes[start + 13] !== 0x3a || bytes[start + 16] !== 0x3a) return Number.NaN;
  const year = pair(bytes, start) * 100 + pair(bytes, start + 2);
  const day = dayAt(bytes, start);
  const hour = pair(bytes, start + 11);
  const minute = pair(bytes, start + 14);
  const second = pair(bytes, start + 17);
  // A comparison with NaN is false.
  if (!(year >= yearMin && year <= yearMax && hour < 24 && minute < 60 && second < 60)) return Number.NaN;
  let fraction = 0;
  if (length > 19) {
    if (bytes[start + 19] !== 0x2e) return Number.NaN;
    for (let position = start + 20; position < end; position++) {
      const digit = (bytes[position] as number) - zero;
      if (digit < 0 || digit > 9) return Number.NaN;
      fraction = fraction * 10 + digit;
    }
    for (let missing = 26 - length; missing > 0; missing--) fraction *= 10;
  }
  return ((day * 24 + hour) * 60 + minute) * 60_000_000 + second * 1_000_000 + fraction;
}

function dayAt(bytes: Buffer, start: number): number {
  if (bytes[start + 4] !== minus || bytes[start + 7] !== minus) return Number.NaN;
  const year = pair(bytes, start) * 100 + pair(bytes, start + 2);
  return dayNumber(year, pair(bytes, start + 5), pair(bytes, start + 8)) ?? Number.NaN;
}

/** Two digits; NaN if they are not. */
function pair(bytes: Buffer, start: number): number {
  const tens = (bytes[start] as number) - zero;
  const ones = (bytes[start + 1] as number) - zero;
  return tens < 0 || tens > 9 || ones < 0 || ones > 9 ? Number.NaN : tens * 10 + ones;
}
