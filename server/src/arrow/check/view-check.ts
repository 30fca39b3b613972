import { isUtf8 } from 'node:buffer';
import type { ArrayData } from '../arrays/array-data.ts';
import { int32s } from '../arrays/elements.ts';
import { isValid } from '../arrays/layout.ts';
import { MalformedArrow } from '../malformed-arrow.ts';

const viewBytes = 16;
const inlineBytesMax = 12;
/** Views may overlap, so that checking each for itself could cost far more than the data has bytes. Generous for all that are not made for it. */
const separateBytesMax = 256 * 1024 * 1024;

/** Lengths, buffer numbers, places and prefixes of views that are not null and, for texts, that each is UTF-8. */
export function checkViews(array: ArrayData, utf8: boolean): void {
  const [bytes, ...data] = array.buffers as readonly [Uint8Array, ...Uint8Array[]];
  const views = int32s(bytes, 0, array.length * 4);
  const texts = new ViewTexts(data);
  for (let row = 0; row < array.length; row++) {
    if (!isValid(array.validity, row)) continue;
    const length = views[row * 4] as number;
    if (length < 0) throw new MalformedArrow(`row ${row}: a view of ${length} bytes`);
    const start = row * viewBytes + 4;
    if (length <= inlineBytesMax) {
      checkInline(bytes, start, length, row, utf8);
      continue;
    }
    const number = views[row * 4 + 2] as number;
    const offset = views[row * 4 + 3] as number;
    const buffer = data[number];
    if (buffer === undefined)
      throw new MalformedArrow(`row ${row}: a view into buffer ${number} of ${data.length}`);
    if (offset < 0 || offset + length > buffer.length)
      throw new MalformedArrow(`row ${row}: a view of ${length} bytes at ${offset} is outside its buffer`);
    for (let index = 0; index < 4; index++)
      if (bytes[start + index] !== buffer[offset + index])
        throw new MalformedArrow(`row ${row}: the prefix of a view differs from its data`);
    if (utf8 && !texts.isText(number, offset, length)) throw new MalformedArrow(`row ${row} is not UTF-8`);
  }
}

function checkInline(bytes: Uint8Array, start: number, length: number, row: number, utf8: boolean): void {
  let high = 0;
  for (let index = start; index < start + length; index++) high |= bytes[index] as number;
  if (utf8 && high >= 0x80 && !isUtf8(bytes.subarray(start, start + length)))
    throw new MalformedArrow(`row ${row} is not UTF-8`);
  // Readers compare whole views, so the bytes behind a short text must be zero.
  for (let index = start + length; index < start + inlineBytesMax; index++)
    if (bytes[index] !== 0) throw new MalformedArrow(`row ${row}: a short view is not padded with zeros`);
}

/** Whether pieces of data buffers are UTF-8: each buffer is looked at once as a whole if that answers it. */
class ViewTexts {
  readonly #data: readonly Uint8Array[];
  readonly #whole: (boolean | undefined)[] = [];
  #separateBytes = 0;

  constructor(data: readonly Uint8Array[]) {
    this.#data = data;
  }

  isText(number: number, offset: number, length: number): boolean {
    const buffer = this.#data[number] as Uint8Array;
    const whole = this.#whole[number] ?? isUtf8(buffer);
    this.#whole[number] = whole;
    const end = offset + length;
    if (whole)
      return beginsCharacter(buffer, offset) && (end === buffer.length || beginsCharacter(buffer, end));
    this.#separateBytes += length;
    if (this.#separateBytes > separateBytesMax)
      throw new MalformedArrow('views overlap too much in data that is not UTF-8 as a whole');
    return isUtf8(buffer.subarray(offset, end));
  }
}

function beginsCharacter(bytes: Uint8Array, position: number): boolean {
  return ((bytes[position] as number) & 0xc0) !== 0x80;
}
