import { clockText } from '../../arrow/calendar.ts';
import type { TimeUnit } from '../../arrow/field.ts';
import { putTwo } from './digits.ts';
import { Division } from './division.ts';
import type { TextBuffer } from './text-buffer.ts';

const secondsPerDay = 86_400;
const millisecondsPerDay = 86_400_000;
const colon = 58;
export const perSecond = { s: 1, ms: 1_000, us: 1_000_000, ns: 1_000_000_000 } as const;
export const fractionDigits = { s: 0, ms: 3, us: 6, ns: 9 } as const;

/** Day, second of the day and fraction in units of a timestamp. */
export class TimestampParts {
  day = 0;
  second = 0;
  fraction = 0;
  readonly #division = new Division();

  /** Sets all three, so that a column costs no allocation. */
  split(low: number, high: number, unit: TimeUnit): void {
    const division = this.#division;
    if (unit === 's') {
      division.divide(low, high, secondsPerDay);
      this.day = division.quotient;
      this.second = division.remainder;
      this.fraction = 0;
    } else if (unit === 'ms') {
      // Seconds of the furthest milliseconds do not fit 2^53, days do.
      division.divide(low, high, millisecondsPerDay);
      this.day = division.quotient;
      this.second = Math.floor(division.remainder / 1_000);
      this.fraction = division.remainder - this.second * 1_000;
    } else {
      division.divide(low, high, perSecond[unit]);
      this.day = Math.floor(division.quotient / secondsPerDay);
      this.second = division.quotient - this.day * secondsPerDay;
      this.fraction = division.remainder;
    }
  }
}

/** Eight bytes, and what may come behind them: a fraction, a `Z`, a quote. */
export const clockBytesMax = 24;

/** `HH:MM:SS`. There is room for `clockBytesMax`, and still is for what comes behind it. */
export function putClock(out: TextBuffer, second: number): void {
  const hours = Math.floor(second / 3_600);
  // Only broken data has times outside a day.
  if (hours >= 100) {
    out.text(clockText(second));
    out.reserve(clockBytesMax);
    return;
  }
  const { bytes } = out;
  const rest = second - hours * 3_600;
  const minutes = (rest / 60) | 0;
  let at = putTwo(bytes, out.at, hours);
  bytes[at++] = colon;
  at = putTwo(bytes, at, minutes);
  bytes[at++] = colon;
  out.at = putTwo(bytes, at, rest - minutes * 60);
}
