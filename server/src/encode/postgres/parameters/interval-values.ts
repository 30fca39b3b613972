import { Buffer } from 'node:buffer';
import { notTime, outOfRange } from './bad-value.ts';
import { microsecondsOf } from './time-values.ts';

/** Intervals as Arrow has them: months, days and nanoseconds, which an engine takes with microseconds. */

/** Longer than any interval that somebody writes. */
const textMax = 256;
export const intervalForm = '1 year 2 mons 3 days 04:05:06.7';
const int64Max = 2n ** 63n - 1n;
const perSecond = 1_000_000n;

export function intervalOfBinary(view: DataView): Uint8Array {
  return bytesOf({ months: view.getInt32(12), days: view.getInt32(8), time: view.getBigInt64(0) });
}

interface Parts {
  months: number;
  days: number;
  /** Microseconds. */
  time: bigint;
}

function bytesOf({ months, days, time }: Parts): Uint8Array {
  const nanoseconds = time * 1_000n;
  if (
    nanoseconds > int64Max ||
    nanoseconds < -int64Max - 1n ||
    (months | 0) !== months ||
    (days | 0) !== days
  )
    throw outOfRange('22008', 'is an interval that the engine cannot hold');
  const bytes = Buffer.alloc(16);
  bytes.writeInt32LE(months, 0);
  bytes.writeInt32LE(days, 4);
  bytes.writeBigInt64LE(nanoseconds, 8);
  return bytes;
}

type Unit = { readonly of: keyof Parts; readonly count: number };
const month: Unit = { of: 'months', count: 1 };
const day: Unit = { of: 'days', count: 1 };
const time = (microseconds: number): Unit => ({ of: 'time', count: microseconds });

/** By the words of PostgreSQL, without an s at the end. */
const units: ReadonlyMap<string, Unit> = new Map(
  Object.entries({
    millennium: { of: 'months', count: 12_000 },
    millennia: { of: 'months', count: 12_000 },
    century: { of: 'months', count: 1_200 },
    centurie: { of: 'months', count: 1_200 },
    decade: { of: 'months', count: 120 },
    year: { of: 'months', count: 12 },
    yr: { of: 'months', count: 12 },
    y: { of: 'months', count: 12 },
    month: month,
    mon: month,
    week: { of: 'days', count: 7 },
    w: { of: 'days', count: 7 },
    day,
    d: day,
    hour: time(3_600_000_000),
    hr: time(3_600_000_000),
    h: time(3_600_000_000),
    minute: time(60_000_000),
    min: time(60_000_000),
    m: time(60_000_000),
    second: time(1_000_000),
    sec: time(1_000_000),
    s: time(1_000_000),
    '': time(1_000_000),
    millisecond: time(1_000),
    msec: time(1_000),
    ms: time(1_000),
    microsecond: time(1),
    usec: time(1),
    us: time(1),
  }),
);

const clock = /^([+-]?)(\d{1,10}):(\d{1,2})(?::(\d{1,2})(?:\.(\d*))?)?$/;
const amount = /^([+-]?)(\d{0,19})(?:\.(\d*))?([a-z]*)$/;

/** What PostgreSQL writes in the styles `postgres` and `postgres_verbose`, and the numbers with units that drivers send; and ISO 8601. */
export function intervalOfText(text: string): Uint8Array {
  if (text.length > textMax) throw notTime(text, intervalForm);
  const trimmed = text.trim();
  if (/^-?P/i.test(trimmed)) return isoInterval(text, trimmed.toUpperCase());
  const words = trimmed.toLowerCase().replace(/^@/, ' ').replaceAll(',', ' ').split(/\s+/).filter(Boolean);
  const isAgo = words.at(-1) === 'ago';
  if (isAgo) words.pop();
  if (words.length === 0) throw notTime(text, intervalForm);
  const parts: Parts = { months: 0, days: 0, time: 0n };
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as string;
    const found = clock.exec(word);
    if (found !== null) {
      parts.time += clockOf(text, found);
      continue;
    }
    const [, sign = '', whole = '', fraction = '', unit = ''] = amount.exec(word) ?? [];
    if (whole === '' && fraction === '') throw notTime(text, intervalForm);
    const next = words[index + 1];
    const isNext = unit === '' && next !== undefined && /^[a-z]+$/.test(next);
    if (isNext) index++;
    add(parts, text, { sign, whole, fraction, unit: unitOf(text, isNext ? next : unit) });
  }
  if (!isAgo) return bytesOf(parts);
  return bytesOf({ months: -parts.months, days: -parts.days, time: -parts.time });
}

function unitOf(text: string, word: string): Unit {
  const single = units.has(word) || !word.endsWith('s') ? word : word.slice(0, -1);
  const unit = units.get(single);
  // An s alone is a second, and without one there is nothing.
  if (unit === undefined || (single === '' && word !== '')) throw notTime(text, intervalForm);
  return unit;
}

function clockOf(text: string, found: RegExpExecArray): bigint {
  const [, sign, hours = '0', minutes = '0', seconds = '0', fraction = ''] = found;
  if (Number(minutes) > 59 || Number(seconds) > 59) throw notTime(text, intervalForm);
  const whole = BigInt(hours) * 3_600n + BigInt(minutes) * 60n + BigInt(seconds);
  const size = whole * perSecond + microsecondsOf(fraction);
  return sign === '-' ? -size : size;
}

interface Amount {
  readonly sign: string;
  readonly whole: string;
  readonly fraction: string;
  readonly unit: Unit;
}

function add(parts: Parts, text: string, { sign, whole, fraction, unit }: Amount): void {
  if (unit.of === 'time') {
    const scale = 10n ** BigInt(fraction.length);
    const size = BigInt(`${whole}${fraction}` || '0') * BigInt(unit.count);
    if (size % scale !== 0n)
      throw outOfRange('22008', 'has more than six digits of a second, and an interval has microseconds');
    parts.time += sign === '-' ? -(size / scale) : size / scale;
    return;
  }
  // A part of a month or day would have to be cut or turned into hours.
  if (/[1-9]/.test(fraction)) throw notTime(text, `whole years, months and days, as ${intervalForm}`);
  const size = Number(whole) * unit.count;
  parts[unit.of] += sign === '-' ? -size : size;
}

const isoPart = /([+-]?)(\d{1,19})(?:[.,](\d{1,9}))?([YMWDHS])/y;

/** `P1Y2M3DT4H5M6.7S`, each part with a sign of its own. */
function isoInterval(text: string, iso: string): Uint8Array {
  const parts: Parts = { months: 0, days: 0, time: 0n };
  const isNegative = iso.startsWith('-');
  let isClock = false;
  let at = isNegative ? 2 : 1;
  if (at === iso.length) throw notTime(text, intervalForm);
  while (at < iso.length) {
    if (iso[at] === 'T') {
      if (isClock || at === iso.length - 1) throw notTime(text, intervalForm);
      isClock = true;
      at++;
      continue;
    }
    isoPart.lastIndex = at;
    const [found, sign = '', whole = '', fraction = '', letter = ''] = isoPart.exec(iso) ?? [];
    if (found === undefined || isClock !== ('HS'.includes(letter) || (letter === 'M' && isClock)))
      throw notTime(text, intervalForm);
    const word = letter === 'M' && !isClock ? 'mon' : letter.toLowerCase();
    add(parts, text, { sign, whole, fraction, unit: unitOf(text, word) });
    at = isoPart.lastIndex;
  }
  if (!isNegative) return bytesOf(parts);
  return bytesOf({ months: -parts.months, days: -parts.days, time: -parts.time });
}
