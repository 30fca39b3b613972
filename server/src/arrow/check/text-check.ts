import { isAscii, isUtf8 } from 'node:buffer';
import type { ArrayData } from '../arrays/array-data.ts';
import { isValid, offsetValues } from '../arrays/layout.ts';
import { MalformedArrow } from '../malformed-arrow.ts';
import { checkOffsets } from './offset-check.ts';

/** Offsets of texts or binaries and, for texts, that every value which is not null is UTF-8. */
export function checkTexts(array: ArrayData, large: boolean, utf8: boolean): void {
  const offsets = offsetValues(array.buffers[0] as Uint8Array, array.length + 1, large);
  const data = array.buffers[1] as Uint8Array;
  const { first, last } = checkOffsets(offsets, data.length, 'bytes');
  if (!utf8) return;
  const text = data.subarray(first, last);
  if (isAscii(text)) return;
  if (isUtf8(text) && beginCharacters(offsets, data, last)) return;
  // Bytes under a null need not be text, so the whole may fail even if every value is good.
  for (let row = 0; row < array.length; row++) {
    if (!isValid(array.validity, row)) continue;
    if (!isUtf8(data.subarray(offsets[row] as number, offsets[row + 1] as number)))
      throw new MalformedArrow(`row ${row} is not UTF-8`);
  }
}

/** Whether no offset points into the middle of a character. */
function beginCharacters(offsets: Int32Array | Float64Array, data: Uint8Array, last: number): boolean {
  let end = offsets.length;
  while (end > 0 && offsets[end - 1] === last) end--;
  for (let index = 0; index < end; index++)
    if (((data[offsets[index] as number] as number) & 0xc0) === 0x80) return false;
  return true;
}
