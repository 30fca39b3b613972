import type { ArrayData } from '../../../arrow/arrays/array-data.ts';
import type { ArrowType, TimeUnit } from '../../../arrow/field.ts';
import { viewOf } from '../../cells/cell-writer.ts';
import { Division } from '../../cells/division.ts';
import type { TextBuffer } from '../../cells/text-buffer.ts';
import { perSecond } from '../../cells/time-parts.ts';
import { putMicroseconds } from './big-endian.ts';
import { clockBytesMax, putClock } from './clock-text.ts';
import { FieldWriter } from './field-writer.ts';
import { hasNanoseconds, outOfRange } from './refusals.ts';

const secondsPerDay = 86_400;

/** A time of day; PostgreSQL has 24:00:00, too. */
abstract class TimeField extends FieldWriter {
  protected second = 0;
  protected microseconds = 0;
  readonly #data: ArrayData;
  readonly #values: DataView;
  readonly #isLong: boolean;
  readonly #unit: TimeUnit;
  readonly #division = new Division();

  constructor({ bits, unit }: Extract<ArrowType, { kind: 'time' }>, data: ArrayData) {
    super(data);
    this.#data = data;
    this.#values = viewOf(data.buffers[0] as Uint8Array);
    this.#isLong = bits === 64;
    this.#unit = unit;
  }

  protected read(row: number): void {
    const low = this.#values.getInt32(row * (this.#isLong ? 8 : 4), true);
    const high = this.#isLong ? this.#values.getInt32(row * 8 + 4, true) : low >> 31;
    this.#division.divide(low, high, perSecond[this.#unit]);
    const { quotient, remainder } = this.#division;
    if (quotient < 0 || quotient > secondsPerDay || (quotient === secondsPerDay && remainder > 0))
      throw outOfRange(this.#data.field, 'time');
    this.second = quotient;
    this.microseconds = remainder * (1_000_000 / perSecond[this.#unit]);
    if (this.#unit !== 'ns') return;
    this.microseconds = Math.floor(remainder / 1_000);
    if (this.microseconds * 1_000 !== remainder) throw hasNanoseconds(this.#data.field, 'time');
  }
}

export class TimeBinary extends TimeField {
  readonly bytesMax = 8;

  write(out: TextBuffer, row: number): void {
    this.read(row);
    putMicroseconds(out, this.second, this.microseconds);
  }
}

export class TimeText extends TimeField {
  readonly bytesMax: number = clockBytesMax;

  write(out: TextBuffer, row: number): void {
    this.read(row);
    putClock(out, this.second, this.microseconds);
  }
}
