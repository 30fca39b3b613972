import { dayNumber } from '../../arrow/calendar.ts';

/** A point in time as it was written: `YYYY-MM-DD`, `T` or a space, `HH:MM:SS`, up to nine decimals, and `Z` or an offset if there is one. */
export interface Moment {
  /** From 1970-01-01T00:00:00, the offset taken off. */
  seconds: number;
  /** Digits behind the point, as written. */
  digits: number;
  nanoseconds: number;
  zoned: boolean;
}

const moment: Moment = { seconds: 0, digits: 0, nanoseconds: 0, zoned: false };

/** The result is used again by the next call: millions of cells go through here. null if the text is something else. */
export function parseMoment(text: string): Moment | null {
  if (text.length < 19 || text[4] !== '-' || text[7] !== '-') return null;
  const separator = text.charCodeAt(10);
  if (separator !== 0x20 && separator !== 0x54) return null;
  const day = parseDay(text);
  const time = parseClock(text, 11);
  if (day === null || time === null) return null;
  const zone = parseZone(text, time.end);
  if (zone === null) return null;
  moment.seconds = day * 86_400 + time.seconds - zone.minutes * 60;
  moment.digits = time.digits;
  moment.nanoseconds = time.nanoseconds;
  moment.zoned = zone.present;
  return moment;
}

/** `YYYY-MM-DD` at the beginning of the text as days from 1970-01-01. */
export function parseDay(text: string): number | null {
  if (text[4] !== '-' || text[7] !== '-') return null;
  const year = number(text, 0, 4);
  const month = number(text, 5, 2);
  const day = number(text, 8, 2);
  return year < 0 || month < 0 || day < 0 ? null : dayNumber(year, month, day);
}

interface Clock {
  seconds: number;
  digits: number;
  nanoseconds: number;
  end: number;
}

const clock: Clock = { seconds: 0, digits: 0, nanoseconds: 0, end: 0 };

/** `HH:MM:SS` with up to nine decimals. The result is used again by the next call. */
export function parseClock(text: string, start: number): Clock | null {
  const hour = number(text, start, 2);
  const minute = number(text, start + 3, 2);
  const second = number(text, start + 6, 2);
  if (text[start + 2] !== ':' || text[start + 5] !== ':') return null;
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return null;
  clock.seconds = (hour * 60 + minute) * 60 + second;
  clock.digits = 0;
  clock.nanoseconds = 0;
  let end = start + 8;
  if (text[end] === '.') {
    let scale = 100_000_000;
    for (end++; isDigit(text.charCodeAt(end)); end++) {
      clock.nanoseconds += (text.charCodeAt(end) - 0x30) * scale;
      scale /= 10;
      clock.digits++;
    }
    if (clock.digits === 0 || clock.digits > 9) return null;
  }
  clock.end = end;
  return clock;
}

interface Zone {
  readonly present: boolean;
  readonly minutes: number;
}

const noZone: Zone = { present: false, minutes: 0 };
const utc: Zone = { present: true, minutes: 0 };

/** Nothing, `Z`, `+HH`, `+HHMM` or `+HH:MM` up to the text's end. */
function parseZone(text: string, start: number): Zone | null {
  if (start === text.length) return noZone;
  const sign = text[start];
  if (sign === 'Z') return start + 1 === text.length ? utc : null;
  if (sign !== '+' && sign !== '-') return null;
  const hours = number(text, start + 1, 2);
  const minutesAt = text[start + 3] === ':' ? start + 4 : start + 3;
  const minutes = text.length === start + 3 ? 0 : number(text, minutesAt, 2);
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return null;
  if (text.length !== start + 3 && text.length !== minutesAt + 2) return null;
  const total = hours * 60 + minutes;
  return { present: true, minutes: sign === '-' ? -total : total };
}

/** That many digits; -1 if they are not. */
function number(text: string, start: number, digits: number): number {
  let value = 0;
  for (let index = start; index < start + digits; index++) {
    const code = text.charCodeAt(index);
    if (!isDigit(code)) return -1;
    value = value * 10 + code - 0x30;
  }
  return value;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
