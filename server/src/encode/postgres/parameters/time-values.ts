import { dayNumber } from '../../../arrow/calendar.ts';
import { ZoneOffsets } from '../zone-offsets.ts';
import { type BadValue, notTime, outOfRange } from './bad-value.ts';

/** Dates and times out of parameters, as an engine has them: since 1970, with the largest number and its negative for the infinities. */

const secondsPerDay = 86_400;
const epochDays = 10_957;
const epochMicroseconds = BigInt(epochDays) * 86_400_000_000n;
/** An infinity of a date32. */
const int32Max = 2_147_483_647;
const int64Max = 2n ** 63n - 1n;
/** Longer than any date with a time and the name of a zone. */
const textMax = 128;
export const dateForm = '2024-02-29';
export const clockForm = '12:30:00.123456';
export const timestampForm = '2024-02-29 12:30:00.123456+01';

const dateText = /^(\d{4,7})-(\d{1,2})-(\d{1,2})/;
const clockText = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d*))?)?/;
const offsetText = /^([+-])(\d{1,2})(?::?(\d{2})(?::?(\d{2}))?)?$/;
const zoneName = /^[A-Za-z][A-Za-z0-9_+/-]*$/;

const outOfEngine = (type: string) => outOfRange('22008', `is a ${type} that the engine cannot hold`);

export function dateOfDays(days: number): number {
  if (days === int32Max) return int32Max;
  if (days === -int32Max - 1) return -int32Max;
  if (days + epochDays >= int32Max) throw outOfEngine('date');
  return days + epochDays;
}

export function timestampOfMicroseconds(value: bigint): bigint {
  if (value === int64Max) return int64Max;
  if (value === -int64Max - 1n) return -int64Max;
  return inEngine(value + epochMicroseconds);
}

function inEngine(value: bigint): bigint {
  if (value >= int64Max || value <= -int64Max) throw outOfEngine('timestamp');
  return value;
}

/** The rest of a text, from which parts are taken at its beginning. */
interface Rest {
  text: string;
}

export function dateOfText(text: string): number {
  const infinity = infinityOf(text);
  if (infinity !== 0) return infinity * int32Max;
  const rest = restOf(text, dateForm);
  const isBeforeChrist = takeEra(rest);
  const day = takeDay(rest, isBeforeChrist);
  const clock = takeClock(rest);
  if (clock !== null && clock !== 0n)
    throw outOfRange('22008', 'has a time of day, which a date cannot have');
  // PostgreSQL reads and ignores a zone behind a date, and the JDBC driver sends one.
  if (takeZone(rest) === null) throw notTime(text, dateForm);
  return day;
}

/** Since midnight. A zone says nothing about a time without one, and PostgreSQL ignores it. */
export function timeOfText(text: string): bigint {
  const rest = restOf(text, clockForm);
  const clock = takeClock(rest);
  if (clock === null || takeZone(rest) === null) throw notTime(text, clockForm);
  return clock;
}

/** `zone`: of the session, if it is an instant. PostgreSQL ignores the zone of what is none, and the JDBC driver relies on that. */
export function timestampOfText(text: string, zone: ZoneOffsets | null): bigint {
  const infinity = infinityOf(text);
  if (infinity !== 0) return BigInt(infinity) * int64Max;
  const rest = restOf(text, timestampForm);
  const isBeforeChrist = takeEra(rest);
  const day = takeDay(rest, isBeforeChrist);
  if (rest.text[0] === 'T' || rest.text[0] === 't') rest.text = rest.text.slice(1);
  const clock = takeClock(rest) ?? 0n;
  const named = takeZone(rest);
  if (named === null) throw notTime(text, timestampForm);
  const local = BigInt(day) * 86_400_000_000n + clock;
  if (zone === null) return inEngine(local);
  const seconds = day * secondsPerDay + Number(clock / 1_000_000n);
  const offset =
    typeof named === 'number' ? named : localOffset(named === '' ? zone : new ZoneOffsets(named), seconds);
  return inEngine(local - BigInt(offset) * 1_000_000n);
}

/**
 * How far a local time is from UTC. Of a time that is there twice the later one, and one that is not there as if the clock had not been changed, both as
 * PostgreSQL does.
 */
function localOffset(zone: ZoneOffsets, local: number): number {
  const before = zone.at(local - secondsPerDay);
  const after = zone.at(local + secondsPerDay);
  if (before === after) return before;
  return zone.at(local - after) === after ? after : before;
}

function infinityOf(text: string): -1 | 0 | 1 {
  if (text.length > textMax) return 0;
  const word = text.trim().toLowerCase();
  if (word === 'infinity' || word === '+infinity') return 1;
  return word === '-infinity' ? -1 : 0;
}

function restOf(text: string, form: string): Rest {
  if (text.length > textMax) throw notTime(text, form);
  return { text: text.trim() };
}

function takeEra(rest: Rest): boolean {
  const era = rest.text.slice(-3).toUpperCase();
  if (era === ' BC' || era === ' AD') rest.text = rest.text.slice(0, -3);
  return era === ' BC';
}

function takeDay(rest: Rest, isBeforeChrist: boolean): number {
  const found = dateText.exec(rest.text);
  if (found === null) throw notTime(rest.text, dateForm);
  const year = Number(found[1]);
  if (year === 0) throw fieldOverflow(rest.text);
  const day = dayNumber(isBeforeChrist ? 1 - year : year, Number(found[2]), Number(found[3]));
  if (day === null) throw fieldOverflow(rest.text);
  if (day >= int32Max || day <= -int32Max) throw outOfEngine('date');
  rest.text = rest.text.slice(found[0].length).trimStart();
  return day;
}

function fieldOverflow(text: string): BadValue {
  return outOfRange('22008', `has a field that is out of range: ${JSON.stringify(text)}`);
}

/** In microseconds; null if there is none. */
function takeClock(rest: Rest): bigint | null {
  const found = clockText.exec(rest.text);
  if (found === null) return null;
  const [whole, hours, minutes, seconds = '0', fraction = ''] = found;
  const second = Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds);
  if (Number(minutes) > 59 || Number(seconds) > 59) throw fieldOverflow(rest.text);
  const microseconds = microsecondsOf(fraction);
  if (second > secondsPerDay || (second === secondsPerDay && microseconds > 0n))
    throw fieldOverflow(rest.text);
  rest.text = rest.text.slice(whole.length).trimStart();
  return BigInt(second) * 1_000_000n + microseconds;
}

/** Digits behind the point of a second. */
export function microsecondsOf(fraction: string): bigint {
  if (/[1-9]/.test(fraction.slice(6)))
    throw outOfRange('22008', 'has more than six digits of a second, and the type has microseconds');
  return BigInt(fraction.slice(0, 6).padEnd(6, '0'));
}

/** Seconds east of UTC, or the name of a zone, empty if there is none; null if there is something else. */
function takeZone({ text }: Rest): number | string | null {
  if (text === '') return '';
  if (['z', 'utc', 'gmt'].includes(text.toLowerCase())) return 0;
  const [, sign, hours, minutes = '0', seconds = '0'] = offsetText.exec(text) ?? [];
  if (sign === undefined) return zoneName.test(text) ? text : null;
  const size = Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds);
  return sign === '-' ? -size : size;
}
