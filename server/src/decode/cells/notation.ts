import { FrameholdError } from '../../model/errors.ts';
import type { CsvOptions } from '../../ports/codec.ts';
import { shown } from '../bad-body.ts';

export type DateOrder = 'ymd' | 'dmy' | 'mdy';

/** How the numbers and days of a file are written. */
export interface Notation {
  readonly decimal: '.' | ',';
  readonly thousands: string | null;
  /** null: only ISO 8601. */
  readonly dates: DateOrder | null;
}

export const plainNotation: Notation = { decimal: '.', thousands: null, dates: null };

/** What some locales put between groups of three digits: point, comma, spaces, apostrophes. */
const thousandsMarks = ['.', ',', ' ', '\u00a0', '\u202f', "'", '\u2019', '_'];

export function notationOf({ decimal = '.', thousands, dates }: CsvOptions): Notation {
  if (decimal !== '.' && decimal !== ',')
    throw badOption(
      `decimal= is ${shown(decimal)}.`,
      'Use decimal=. or decimal=, for the mark before the decimals.',
    );
  if (thousands !== undefined && (!thousandsMarks.includes(thousands) || thousands === decimal))
    throw badOption(
      `thousands= is ${shown(thousands)}.`,
      'Use a point, a comma, a space, an apostrophe or an underscore, and not the mark before the decimals.',
    );
  if (dates !== undefined && dates !== 'ymd' && dates !== 'dmy' && dates !== 'mdy')
    throw badOption(`dates= is ${shown(dates)}.`, 'Use dates=dmy, dates=mdy or dates=ymd.');
  return { decimal, thousands: thousands ?? null, dates: dates ?? null };
}

function badOption(what: string, hint: string): FrameholdError {
  return new FrameholdError('bad_request', what, { hint });
}

/** The number with a point and without marks between its thousands; undefined if it is not written in this notation. */
export function plainNumber(text: string, { decimal, thousands }: Notation): string | undefined {
  if (decimal === '.' && thousands === null) return text;
  let digits = text;
  if (thousands !== null && text.includes(thousands)) {
    const groups = text.split(thousands);
    if (!/^[+-]?[0-9]{1,3}$/.test(groups[0] as string)) return undefined;
    for (let index = 1; index < groups.length; index++) {
      const group = groups[index] as string;
      const isLast = index === groups.length - 1;
      if (!(isLast ? /^[0-9]{3}(?![0-9])/ : /^[0-9]{3}$/).test(group)) return undefined;
    }
    digits = groups.join('');
  }
  if (decimal === '.') return digits;
  return digits.includes('.') ? undefined : digits.replace(',', '.');
}

const yearFirst = /^([0-9]{4})([./-])([0-9]{1,2})\2([0-9]{1,2})(?:$|[ T])/;
const yearLast = /^([0-9]{1,2})([./-])([0-9]{1,2})\2([0-9]{4})(?:$|[ T])/;
const clockPattern = /^([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?(?![0-9:])/;

/** A day, or a day and a time, as ISO 8601 writes it; the text itself if it is not in the order that was asked for. */
export function isoMoment(text: string, dates: DateOrder | null): string {
  if (dates === null || text.length > 40) return text;
  const match = (dates === 'ymd' ? yearFirst : yearLast).exec(text);
  if (match === null) return text;
  const [found, first = '', , second = '', third = ''] = match;
  const [year, month, day] =
    dates === 'ymd'
      ? [first, second, third]
      : dates === 'dmy'
        ? [third, second, first]
        : [third, first, second];
  const iso = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const rest = text.slice(found.length);
  if (rest === '') return found.length === text.length && !/[ T]$/.test(found) ? iso : text;
  return `${iso}T${wholeClock(rest)}`;
}

/** A clock with hours of one digit, or without seconds, as ISO 8601 writes it. */
export function wholeClock(text: string): string {
  const match = clockPattern.exec(text);
  if (match === null) return text;
  const [found, hours = '', minutes = '', seconds = '00'] = match;
  return `${hours.padStart(2, '0')}:${minutes}:${seconds}${text.slice(found.length)}`;
}
