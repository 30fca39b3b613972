import { CivilDate } from '../../../arrow/calendar.ts';
import { putPadded, putSmall, putTwo } from '../../cells/digits.ts';
import type { TextBuffer } from '../../cells/text-buffer.ts';

const hyphen = 45;
/** The last year has seven digits. */
export const dayBytesMax = 13;
export const beforeChrist = new TextEncoder().encode(' BC');

/** `2024-02-29`; kept for the rows after it, which are mostly of the same day. What is before the year 1 gets ` BC` behind everything else. */
export class DayText {
  isBeforeChrist = false;
  readonly #civil = new CivilDate();
  readonly #bytes = new Uint8Array(dayBytesMax);
  #length = 0;
  #day = Number.NaN;

  /** There is room for `dayBytesMax`. */
  put(out: TextBuffer, day: number): void {
    if (day !== this.#day) this.#set(day);
    const { bytes, at } = out;
    for (let index = 0; index < this.#length; index++) bytes[at + index] = this.#bytes[index] as number;
    out.at = at + this.#length;
  }

  #set(day: number): void {
    const bytes = this.#bytes;
    const civil = this.#civil;
    this.#day = day;
    civil.set(day);
    this.isBeforeChrist = civil.year <= 0;
    const year = this.isBeforeChrist ? 1 - civil.year : civil.year;
    let at = year < 10_000 ? putPadded(bytes, 0, year, 4) : putSmall(bytes, 0, year);
    bytes[at++] = hyphen;
    at = putTwo(bytes, at, civil.month);
    bytes[at++] = hyphen;
    this.#length = putTwo(bytes, at, civil.day);
  }
}
