import { Buffer } from 'node:buffer';
import { CivilDate, dateText } from '../../arrow/calendar.ts';
import { putPadded, putTwo } from './digits.ts';
import type { TextBuffer } from './text-buffer.ts';

const hyphen = 45;
/** Of the furthest second of 64 bits: a sign, twelve digits of a year, month and day. */
export const dateBytesMax = 20;
const usualBytes = 10;

/** The text of a day, kept for the rows after it: neighbours are mostly of the same day. */
export class DateCache {
  readonly #civil = new CivilDate();
  readonly #bytes = Buffer.alloc(dateBytesMax);
  #length = 0;
  #day = Number.NaN;

  /** There is room for `dateBytesMax`. */
  put(out: TextBuffer, day: number): void {
    if (day !== this.#day) this.#set(day);
    const { bytes } = out;
    const { at } = out;
    for (let index = 0; index < this.#length; index++) bytes[at + index] = this.#bytes[index] as number;
    out.at = at + this.#length;
  }

  #set(day: number): void {
    const bytes = this.#bytes;
    this.#day = day;
    this.#civil.set(day);
    const { year, month, day: dayOfMonth } = this.#civil;
    if (year < 0 || year > 9_999) {
      this.#length = bytes.write(dateText(day), 'latin1');
      return;
    }
    putPadded(bytes, 0, year, 4);
    bytes[4] = hyphen;
    putTwo(bytes, 5, month);
    bytes[7] = hyphen;
    putTwo(bytes, 8, dayOfMonth);
    this.#length = usualBytes;
  }
}
