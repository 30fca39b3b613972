import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import type { TimeUnit } from '../../arrow/field.ts';
import type { CellStyle } from './cell-style.ts';
import { quoteMark } from './cell-style.ts';
import { CellWriter, viewOf } from './cell-writer.ts';
import type { TextBuffer } from './text-buffer.ts';
import { fractionDigits } from './time-parts.ts';

type IntervalUnit = 'year-month' | 'day-time' | 'month-day-nano';

/** `PT90061.5S`: seconds only, because a duration has no calendar; the sign comes first. */
export class DurationWriter extends CellWriter {
  readonly bytesMax = 0;
  readonly #values: DataView;
  readonly #digits: number;
  readonly #quote: string;

  constructor(unit: TimeUnit, data: ArrayData, style: CellStyle) {
    super(data, style);
    this.#values = viewOf(data.buffers[0] as Uint8Array);
    this.#digits = fractionDigits[unit];
    this.#quote = quoteMark(style);
  }

  write(out: TextBuffer, row: number): void {
    const value = this.#values.getBigInt64(row * 8, true);
    const sign = value < 0n ? '-' : '';
    const seconds = secondsText(value < 0n ? -value : value, this.#digits);
    out.text(`${this.#quote}${sign}PT${seconds}S${this.#quote}`);
  }
}

/**
 * `P14M`, `P3DT0.25S`, `P1M2DT3S`. Months, days and time are kept apart, as Arrow does, because none can be turned into another. If all
 * of them are negative or zero the sign comes first; if signs differ, each part has its own.
 */
export class IntervalWriter extends CellWriter {
  readonly bytesMax = 0;
  readonly #unit: IntervalUnit;
  readonly #values: DataView;
  readonly #quote: string;

  constructor(unit: IntervalUnit, data: ArrayData, style: CellStyle) {
    super(data, style);
    this.#unit = unit;
    this.#values = viewOf(data.buffers[0] as Uint8Array);
    this.#quote = quoteMark(style);
  }

  write(out: TextBuffer, row: number): void {
    out.text(`${this.#quote}${this.#text(row)}${this.#quote}`);
  }

  #text(row: number): string {
    const values = this.#values;
    if (this.#unit === 'year-month') return intervalText(values.getInt32(row * 4, true), 0, 0n, 0);
    if (this.#unit === 'day-time') {
      const milliseconds = BigInt(values.getInt32(row * 8 + 4, true));
      return intervalText(0, values.getInt32(row * 8, true), milliseconds, 3);
    }
    const months = values.getInt32(row * 16, true);
    return intervalText(
      months,
      values.getInt32(row * 16 + 4, true),
      values.getBigInt64(row * 16 + 8, true),
      9,
    );
  }
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
