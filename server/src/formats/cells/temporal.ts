import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import { int32s } from '../../arrow/arrays/elements.ts';
import { clockText, dateText } from '../../arrow/calendar.ts';
import type { TimeUnit } from '../../arrow/field.ts';
import type { CellStyle } from './cell-style.ts';
import { quoteMark } from './cell-style.ts';
import { Division } from './division.ts';

const secondsPerDay = 86_400;
const millisecondsPerDay = 86_400_000;
const perSecond = { s: 1, ms: 1_000, us: 1_000_000, ns: 1_000_000_000 } as const;
const fractionDigits = { s: 0, ms: 3, us: 6, ns: 9 } as const;
const division = new Division();

/** ISO 8601 with six decimals, nine for nanoseconds. Zoned timestamps are instants and are written in UTC. */
export function timestampTexts(
  unit: TimeUnit,
  zoned: boolean,
  data: ArrayData,
  from: number,
  to: number,
  style: CellStyle,
): string[] {
  const words = int32s(data.buffers[0] as Uint8Array, from * 2, to * 2);
  const quote = quoteMark(style);
  const end = (zoned || style.calendar === 'exec' ? 'Z' : '') + quote;
  const digits = unit === 'ns' ? 9 : 6;
  const scale = 10 ** (digits - fractionDigits[unit]);
  const texts = new Array<string>(to - from);
  let lastDay = Number.NaN;
  let lastSecond = Number.NaN;
  let prefix = '';
  for (let index = 0; index < texts.length; index++) {
    const fraction = splitTimestamp(words[index * 2] as number, words[index * 2 + 1] as number, unit);
    const day = division.quotient;
    const second = division.remainder;
    if (second !== lastSecond || day !== lastDay) {
      prefix = `${quote}${dateText(day)}T${clockText(second)}.`;
      lastDay = day;
      lastSecond = second;
    }
    texts[index] = prefix + `${fraction * scale}`.padStart(digits, '0') + end;
  }
  return texts;
}

/** Leaves the day in the division's quotient and the second of the day in its remainder; returns the fraction in units. */
function splitTimestamp(low: number, high: number, unit: TimeUnit): number {
  if (unit === 's') {
    division.divide(low, high, secondsPerDay);
    return 0;
  }
  if (unit === 'ms') {
    // Seconds of the furthest milliseconds do not fit 2^53, days do.
    division.divide(low, high, millisecondsPerDay);
    const second = Math.floor(division.remainder / 1_000);
    const fraction = division.remainder - second * 1_000;
    division.remainder = second;
    return fraction;
  }
  division.divide(low, high, perSecond[unit]);
  const fraction = division.remainder;
  const seconds = division.quotient;
  division.quotient = Math.floor(seconds / secondsPerDay);
  division.remainder = seconds - division.quotient * secondsPerDay;
  return fraction;
}

/** A date as the instant it begins, with three decimals, or as the day alone; `date64` may carry a time of day, which is always written. */
export function dateTexts(
  unit: 'day' | 'ms',
  data: ArrayData,
  from: number,
  to: number,
  style: CellStyle,
): string[] {
  const quote = quoteMark(style);
  const isExec = style.calendar === 'exec';
  const end = (isExec ? 'Z' : '') + quote;
  const midnight = (isExec ? 'T00:00:00.000Z' : '') + quote;
  const bytes = data.buffers[0] as Uint8Array;
  const texts = new Array<string>(to - from);
  if (unit === 'day') {
    const days = int32s(bytes, from, to);
    for (let index = 0; index < texts.length; index++)
      texts[index] = quote + dateText(days[index] as number) + midnight;
    return texts;
  }
  const words = int32s(bytes, from * 2, to * 2);
  for (let index = 0; index < texts.length; index++) {
    const fraction = splitTimestamp(words[index * 2] as number, words[index * 2 + 1] as number, 'ms');
    const date = quote + dateText(division.quotient);
    const isMidnight = division.remainder === 0 && fraction === 0;
    texts[index] = isMidnight
      ? date + midnight
      : `${date}T${clockText(division.remainder)}.${`${fraction}`.padStart(3, '0')}${end}`;
  }
  return texts;
}

/** `HH:MM:SS.ffffff`, nine decimals for nanoseconds. */
export function timeTexts(
  bits: 32 | 64,
  unit: TimeUnit,
  data: ArrayData,
  from: number,
  to: number,
  style: CellStyle,
): string[] {
  const quote = quoteMark(style);
  const digits = unit === 'ns' ? 9 : 6;
  const scale = 10 ** (digits - fractionDigits[unit]);
  const width = bits / 32;
  const words = int32s(data.buffers[0] as Uint8Array, from * width, to * width);
  const texts = new Array<string>(to - from);
  for (let index = 0; index < texts.length; index++) {
    const low = words[index * width] as number;
    const high = width === 1 ? low >> 31 : (words[index * 2 + 1] as number);
    const negative = high < 0;
    const [whole, fraction] = magnitude(low, high, unit);
    const clock = clockText(whole);
    texts[index] =
      `${quote}${negative ? '-' : ''}${clock}.${`${fraction * scale}`.padStart(digits, '0')}${quote}`;
  }
  return texts;
}

/** Seconds and units of the absolute value. Only for times, whose seconds fit 2^53 in any data that is not broken beyond use. */
function magnitude(low: number, high: number, unit: TimeUnit): [whole: number, fraction: number] {
  division.divide(low, high, perSecond[unit]);
  const { quotient, remainder } = division;
  if (high >= 0) return [quotient, remainder];
  return remainder === 0 ? [-quotient, 0] : [-quotient - 1, perSecond[unit] - remainder];
}

/** `PT90061.5S`: seconds only, because a duration has no calendar; the sign comes first. */
export function durationTexts(
  unit: TimeUnit,
  data: ArrayData,
  from: number,
  to: number,
  style: CellStyle,
): string[] {
  const quote = quoteMark(style);
  const words = int32s(data.buffers[0] as Uint8Array, from * 2, to * 2);
  const texts = new Array<string>(to - from);
  for (let index = 0; index < texts.length; index++) {
    const value =
      (BigInt(words[index * 2 + 1] as number) << 32n) | BigInt((words[index * 2] as number) >>> 0);
    const sign = value < 0n ? '-' : '';
    texts[index] =
      `${quote}${sign}PT${secondsText(value < 0n ? -value : value, fractionDigits[unit])}S${quote}`;
  }
  return texts;
}

/**
 * `P14M`, `P3DT0.25S`, `P1M2DT3S`. Months, days and time are kept apart, as Arrow does, because none can be turned into another. If all
 * of them are negative or zero the sign comes first; if signs differ, each part has its own.
 */
export function intervalTexts(
  unit: 'year-month' | 'day-time' | 'month-day-nano',
  data: ArrayData,
  from: number,
  to: number,
  style: CellStyle,
): string[] {
  const quote = quoteMark(style);
  const width = unit === 'year-month' ? 1 : unit === 'day-time' ? 2 : 4;
  const words = int32s(data.buffers[0] as Uint8Array, from * width, to * width);
  const texts = new Array<string>(to - from);
  for (let index = 0; index < texts.length; index++) {
    const first = words[index * width] as number;
    const second = words[index * width + 1] as number;
    let text: string;
    if (unit === 'year-month') text = intervalText(first, 0, 0n, 0);
    else if (unit === 'day-time') text = intervalText(0, first, BigInt(second), 3);
    else {
      const low = words[index * 4 + 2] as number;
      const high = words[index * 4 + 3] as number;
      text = intervalText(first, second, (BigInt(high) << 32n) | BigInt(low >>> 0), 9);
    }
    texts[index] = quote + text + quote;
  }
  return texts;
}

function intervalText(months: number, days: number, time: bigint, digits: number): string {
  const allNegative = months <= 0 && days <= 0 && time <= 0n && (months < 0 || days < 0 || time < 0n);
  const flip = allNegative ? -1 : 1;
  const timePart = allNegative ? -time : time;
  const sign = timePart < 0n ? '-' : '';
  const seconds = `T${sign}${secondsText(timePart < 0n ? -timePart : timePart, digits)}S`;
  const text =
    (months === 0 ? '' : `${months * flip}M`) +
    (days === 0 ? '' : `${days * flip}D`) +
    (time === 0n ? '' : seconds);
  return `${allNegative ? '-' : ''}P${text === '' ? 'T0S' : text}`;
}

/** A count of units as seconds, without zeros at the end. */
function secondsText(value: bigint, digits: number): string {
  const text = value.toString().padStart(digits + 1, '0');
  const fraction = text.slice(text.length - digits).replace(/0+$/, '');
  const whole = text.slice(0, text.length - digits);
  return digits === 0 || fraction === '' ? whole : `${whole}.${fraction}`;
}
