import type { Buffer } from 'node:buffer';
import { dayNumber } from '../../arrow/calendar.ts';

/**
 * Cells of the common shapes, straight from the bytes: most cells of most files. NaN is for every other text, which is then looked at as
 * a text. What is read here is exact, and of the one kind that its name says.
 */
export type ShortCell = (bytes: Buffer, start: number, end: number) => number;

const zero = 0x30;
const minus = 0x2d;
/** Always exact in a double. */
const digitsMax = 15;

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

/** Between these days microseconds, and nanoseconds in 64 bits, are certain to be exact. */
const firstDay = dayNumber(1700, 1, 1) ?? 0;
const lastDay = dayNumber(2240, 12, 31) ?? 0;
const minuteMicroseconds = 60_000_000;
/** `YYYY-MM-DDTHH:MM:SS.ffffff` */
export const momentLength = 26;
/** By the number of decimals. */
const decimalMicroseconds = [0, 100_000, 10_000, 1_000, 100, 10, 1];

/** `YYYY-MM-DD`, `T` or a space, `HH:MM:SS`, up to six decimals, as microseconds from 1970-01-01. */
export function shortMoment(bytes: Buffer, start: number, end: number): number {
  const length = end - start;
  if (length < 19 || length > momentLength || length === 20) return Number.NaN;
  const separator = bytes[start + 10];
  if (separator !== 0x20 && separator !== 0x54) return Number.NaN;
  if (bytes[start + 13] !== 0x3a || bytes[start + 16] !== 0x3a) return Number.NaN;
  const hour = pair(bytes, start + 11);
  const minute = pair(bytes, start + 14);
  const second = pair(bytes, start + 17);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return Number.NaN;
  let fraction = 0;
  if (length > 19) {
    if (bytes[start + 19] !== 0x2e) return Number.NaN;
    for (let position = start + 20; position < end; position++) {
      const digit = (bytes[position] as number) - zero;
      if (digit < 0 || digit > 9) return Number.NaN;
      fraction = fraction * 10 + digit;
    }
    fraction *= decimalMicroseconds[length - 20] as number;
  }
  const day = dayAt(bytes, start);
  // A comparison with NaN is false.
  if (!(day >= firstDay && day <= lastDay)) return Number.NaN;
  return (day * 1_440 + hour * 60 + minute) * minuteMicroseconds + second * 1_000_000 + fraction;
}

/** As `shortMoment`, with `Z` or an offset such as `+01:00` behind it. */
export function shortZonedMoment(bytes: Buffer, start: number, end: number): number {
  if (bytes[end - 1] === 0x5a) return shortMoment(bytes, start, end - 1);
  const sign = bytes[end - 6];
  if ((sign !== 0x2b && sign !== minus) || bytes[end - 3] !== 0x3a) return Number.NaN;
  const hours = pair(bytes, end - 5);
  const minutes = pair(bytes, end - 2);
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return Number.NaN;
  const offset = (hours * 60 + minutes) * minuteMicroseconds;
  return shortMoment(bytes, start, end - 6) + (sign === minus ? offset : -offset);
}

/** The nanoseconds behind the microseconds of a moment with seven to nine decimals. */
export function shortNanoseconds(bytes: Buffer, start: number, end: number): number {
  let value = 0;
  for (let position = start + momentLength; position < start + momentLength + 3; position++) {
    const digit = position < end ? (bytes[position] as number) - zero : 0;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return end - start > momentLength + 3 ? Number.NaN : value;
}

/** The date of the call before, as it was written, and its number: many rows in turn have the same. */
let knownYear = 1970;
let knownDate = 101;
let knownNumber = 0;

function dayAt(bytes: Buffer, start: number): number {
  const century = pair(bytes, start);
  const yearOfCentury = pair(bytes, start + 2);
  const month = pair(bytes, start + 5);
  const day = pair(bytes, start + 8);
  if (bytes[start + 4] !== minus || bytes[start + 7] !== minus) return Number.NaN;
  if (century < 0 || yearOfCentury < 0 || month < 0 || day < 0) return Number.NaN;
  const year = century * 100 + yearOfCentury;
  const date = month * 100 + day;
  if (year !== knownYear || date !== knownDate) {
    knownYear = year;
    knownDate = date;
    knownNumber = dayNumber(year, month, day) ?? Number.NaN;
  }
  return knownNumber;
}

/** Two digits; -1 if they are not. */
function pair(bytes: Buffer, start: number): number {
  const tens = (bytes[start] as number) - zero;
  const ones = (bytes[start + 1] as number) - zero;
  return tens < 0 || tens > 9 || ones < 0 || ones > 9 ? -1 : tens * 10 + ones;
}
