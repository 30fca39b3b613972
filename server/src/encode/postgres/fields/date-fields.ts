import type { ArrayData } from '../../../arrow/arrays/array-data.ts';
import { viewOf } from '../../cells/cell-writer.ts';
import type { TextBuffer } from '../../cells/text-buffer.ts';
import { TimestampParts } from '../../cells/time-parts.ts';
import { putInt32 } from './big-endian.ts';
import { beforeChrist, DayText, dayBytesMax } from './day-text.ts';
import { FieldWriter } from './field-writer.ts';
import { dateWithTime, outOfRange } from './refusals.ts';
import { epochDays, infinityText, minusInfinityText } from './timestamp-fields.ts';

/** 4714-11-24 BC, and the first day after 5874897-12-31. */
const dayMin = epochDays - 2_451_545;
const dayEnd = 2_145_031_949 + epochDays;
/** An infinity of a date32. */
const int32Max = 2_147_483_647;

abstract class DateField extends FieldWriter {
  readonly #data: ArrayData;
  readonly #values: DataView;
  readonly #isDays: boolean;
  readonly #parts = new TimestampParts();

  constructor(unit: 'day' | 'ms', data: ArrayData) {
    super(data);
    this.#data = data;
    this.#values = viewOf(data.buffers[0] as Uint8Array);
    this.#isDays = unit === 'day';
  }

  /** Since 1970; infinite for what an engine has for the infinities. */
  protected day(row: number): number {
    const day = this.#isDays ? this.#values.getInt32(row * 4, true) : this.#dayOfMilliseconds(row);
    if (this.#isDays && day === int32Max) return Number.POSITIVE_INFINITY;
    if (this.#isDays && day === -int32Max) return Number.NEGATIVE_INFINITY;
    if (day < dayMin || day >= dayEnd) throw outOfRange(this.#data.field, 'date');
    return day;
  }

  #dayOfMilliseconds(row: number): number {
    const parts = this.#parts;
    parts.split(this.#values.getInt32(row * 8, true), this.#values.getInt32(row * 8 + 4, true), 'ms');
    if (parts.second !== 0 || parts.fraction !== 0) throw dateWithTime(this.#data.field);
    return parts.day;
  }
}

export class DateBinary extends DateField {
  readonly bytesMax = 4;

  write(out: TextBuffer, row: number): void {
    const day = this.day(row);
    if (Number.isFinite(day)) putInt32(out, day - epochDays);
    else putInt32(out, day > 0 ? int32Max : -int32Max - 1);
  }
}

export class DateText extends DateField {
  readonly bytesMax: number = dayBytesMax + beforeChrist.length;
  readonly #dates = new DayText();

  write(out: TextBuffer, row: number): void {
    const day = this.day(row);
    if (!Number.isFinite(day)) {
      out.put(day > 0 ? infinityText : minusInfinityText);
      return;
    }
    this.#dates.put(out, day);
    if (this.#dates.isBeforeChrist) out.put(beforeChrist);
  }
}
