import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import type { TimeUnit } from '../../arrow/field.ts';
import type { CellStyle } from './cell-style.ts';
import { CellWriter, viewOf } from './cell-writer.ts';
import { DateCache, dateBytesMax } from './date-cache.ts';
import { putPadded } from './digits.ts';
import { Division } from './division.ts';
import type { TextBuffer } from './text-buffer.ts';
import { clockBytesMax, fractionDigits, perSecond, putClock, TimestampParts } from './time-parts.ts';

const quote = 34;
const minus = 45;
const point = 46;
const letterT = 84;
const letterZ = 90;

/** Values with a calendar or a clock. */
abstract class TemporalWriter extends CellWriter {
  readonly bytesMax = dateBytesMax + clockBytesMax;
  protected readonly values: DataView;
  protected readonly isJson: boolean;
  protected readonly isExec: boolean;

  constructor(data: ArrayData, style: CellStyle) {
    super(data, style);
    this.values = viewOf(data.buffers[0] as Uint8Array);
    this.isJson = style.syntax === 'json';
    this.isExec = style.calendar === 'exec';
  }
}

/** ISO 8601 with six decimals, nine for nanoseconds. Zoned timestamps are instants and are written in UTC. */
export class TimestampWriter extends TemporalWriter {
  readonly #unit: TimeUnit;
  readonly #hasZ: boolean;
  readonly #digits: number;
  readonly #scale: number;
  readonly #dates = new DateCache();
  readonly #parts = new TimestampParts();

  constructor(unit: TimeUnit, zoned: boolean, data: ArrayData, style: CellStyle) {
    super(data, style);
    this.#unit = unit;
    this.#hasZ = zoned || this.isExec;
    this.#digits = unit === 'ns' ? 9 : 6;
    this.#scale = 10 ** (this.#digits - fractionDigits[unit]);
  }

  write(out: TextBuffer, row: number): void {
    const parts = this.#parts;
    parts.split(this.values.getInt32(row * 8, true), this.values.getInt32(row * 8 + 4, true), this.#unit);
    if (this.isJson) out.bytes[out.at++] = quote;
    this.#dates.put(out, parts.day);
    out.bytes[out.at++] = letterT;
    putClock(out, parts.second);
    out.bytes[out.at++] = point;
    out.at = putPadded(out.bytes, out.at, parts.fraction * this.#scale, this.#digits);
    if (this.#hasZ) out.bytes[out.at++] = letterZ;
    if (this.isJson) out.bytes[out.at++] = quote;
  }
}

const midnight = new TextEncoder().encode('T00:00:00.000Z');

/** A date as the instant it begins, with three decimals, or as the day alone; `date64` may carry a time of day, which is always written. */
export class DateWriter extends TemporalWriter {
  readonly #isDays: boolean;
  readonly #dates = new DateCache();
  readonly #parts = new TimestampParts();

  constructor(unit: 'day' | 'ms', data: ArrayData, style: CellStyle) {
    super(data, style);
    this.#isDays = unit === 'day';
  }

  write(out: TextBuffer, row: number): void {
    const parts = this.#parts;
    if (this.#isDays) parts.day = this.values.getInt32(row * 4, true);
    else parts.split(this.values.getInt32(row * 8, true), this.values.getInt32(row * 8 + 4, true), 'ms');
    if (this.isJson) out.bytes[out.at++] = quote;
    this.#dates.put(out, parts.day);
    if (parts.second !== 0 || parts.fraction !== 0) this.#putClock(out, parts);
    else if (this.isExec) out.put(midnight);
    if (this.isJson) out.bytes[out.at++] = quote;
  }

  #putClock(out: TextBuffer, { second, fraction }: TimestampParts): void {
    out.bytes[out.at++] = letterT;
    putClock(out, second);
    out.bytes[out.at++] = point;
    out.at = putPadded(out.bytes, out.at, fraction, 3);
    if (this.isExec) out.bytes[out.at++] = letterZ;
  }
}

/** `HH:MM:SS.ffffff`, nine decimals for nanoseconds. */
export class TimeWriter extends TemporalWriter {
  readonly #isLong: boolean;
  readonly #perSecond: number;
  readonly #digits: number;
  readonly #scale: number;
  readonly #division = new Division();

  constructor(bits: 32 | 64, unit: TimeUnit, data: ArrayData, style: CellStyle) {
    super(data, style);
    this.#isLong = bits === 64;
    this.#perSecond = perSecond[unit];
    this.#digits = unit === 'ns' ? 9 : 6;
    this.#scale = 10 ** (this.#digits - fractionDigits[unit]);
  }

  write(out: TextBuffer, row: number): void {
    const low = this.values.getInt32(row * (this.#isLong ? 8 : 4), true);
    const high = this.#isLong ? this.values.getInt32(row * 8 + 4, true) : low >> 31;
    this.#division.divide(low, high, this.#perSecond);
    let { quotient: second, remainder: fraction } = this.#division;
    if (this.isJson) out.bytes[out.at++] = quote;
    if (high < 0) {
      // The absolute value. Its seconds fit 2^53 in any data that is not broken beyond use.
      out.bytes[out.at++] = minus;
      second = fraction === 0 ? -second : -second - 1;
      fraction = fraction === 0 ? 0 : this.#perSecond - fraction;
    }
    putClock(out, second);
    out.bytes[out.at++] = point;
    out.at = putPadded(out.bytes, out.at, fraction * this.#scale, this.#digits);
    if (this.isJson) out.bytes[out.at++] = quote;
  }
}
