import { IntervalUnit } from '@uwdata/flechette';
import { clockText, dateText } from './calendar.ts';

/** By Arrow's time unit: s, ms, us, ns. */
const perSecond = [1n, 1_000n, 1_000_000n, 1_000_000_000n] as const;
const fractionDigits = [0, 3, 6, 9] as const;
const secondsPerDay = 86_400n;

export type TimeUnit = 0 | 1 | 2 | 3;

/** Six decimals, nine for nanoseconds. A timestamp with a zone is an instant and is written in UTC. */
export function timestampText(value: bigint, unit: TimeUnit, isZoned: boolean): string {
  const [seconds, fraction] = floorDivide(value, perSecond[unit]);
  const [day, second] = floorDivide(seconds, secondsPerDay);
  const clock = `${clockText(Number(second))}.${decimals(fraction, unit)}`;
  return `${dateText(Number(day))}T${clock}${isZoned ? 'Z' : ''}`;
}

/** The day; a date in milliseconds may carry a time of day, which is written as well. */
export function date64Text(value: bigint): string {
  const [day, millisecond] = floorDivide(value, secondsPerDay * 1_000n);
  const date = dateText(Number(day));
  if (millisecond === 0n) return date;
  const [second, fraction] = floorDivide(millisecond, 1_000n);
  return `${date}T${clockText(Number(second))}.${`${fraction}`.padStart(3, '0')}`;
}

export function timeText(value: bigint, unit: TimeUnit): string {
  const size = value < 0n ? -value : value;
  const seconds = size / perSecond[unit];
  const fraction = size % perSecond[unit];
  return `${value < 0n ? '-' : ''}${clockText(Number(seconds))}.${decimals(fraction, unit)}`;
}

/** `PT90061.5S`: seconds only, because a duration has no calendar. */
export function durationText(value: bigint, unit: TimeUnit): string {
  return `${value < 0n ? '-' : ''}PT${secondsText(value < 0n ? -value : value, fractionDigits[unit])}S`;
}

/** `P14M`, `P3DT0.25S`: months, days and time are kept apart, because none can be turned into another. */
export function intervalText(values: ArrayBufferView, unit: number, index: number): string {
  const view = new DataView(values.buffer, values.byteOffset, values.byteLength);
  if (unit === IntervalUnit.YEAR_MONTH) return partsText(view.getInt32(index * 4, true), 0, 0n, 0);
  if (unit === IntervalUnit.DAY_TIME) {
    const days = view.getInt32(index * 8, true);
    return partsText(0, days, BigInt(view.getInt32(index * 8 + 4, true)), 3);
  }
  const months = view.getInt32(index * 16, true);
  const days = view.getInt32(index * 16 + 4, true);
  return partsText(months, days, view.getBigInt64(index * 16 + 8, true), 9);
}

/** If no part is positive, the sign comes first; if signs differ, each part has its own. */
function partsText(months: number, days: number, time: bigint, digits: number): string {
  const isNegative = months <= 0 && days <= 0 && time <= 0n && (months < 0 || days < 0 || time < 0n);
  const flip = isNegative ? -1 : 1;
  const shownTime = isNegative ? -time : time;
  const sign = shownTime < 0n ? '-' : '';
  const seconds = `T${sign}${secondsText(shownTime < 0n ? -shownTime : shownTime, digits)}S`;
  const text =
    (months === 0 ? '' : `${months * flip}M`) +
    (days === 0 ? '' : `${days * flip}D`) +
    (time === 0n ? '' : seconds);
  return `${isNegative ? '-' : ''}P${text === '' ? 'T0S' : text}`;
}

/** A count of units as seconds, without zeros at the end. */
function secondsText(value: bigint, digits: number): string {
  const text = value.toString().padStart(digits + 1, '0');
  const whole = text.slice(0, text.length - digits);
  let end = text.length;
  while (end > whole.length && text[end - 1] === '0') end--;
  return end === whole.length ? whole : `${whole}.${text.slice(whole.length, end)}`;
}

function decimals(fraction: bigint, unit: TimeUnit): string {
  const text = unit === 0 ? '' : `${fraction}`.padStart(fractionDigits[unit], '0');
  return text.padEnd(unit === 3 ? 9 : 6, '0');
}

function floorDivide(value: bigint, divisor: bigint): [quotient: bigint, remainder: bigint] {
  const quotient = value / divisor;
  const remainder = value % divisor;
  return remainder < 0n ? [quotient - 1n, remainder + divisor] : [quotient, remainder];
}
