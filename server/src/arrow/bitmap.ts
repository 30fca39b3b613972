import { uint32s } from './elements.ts';
import { bitmapBytes } from './layout.ts';

/** How many of the first `length` bits are set. The bytes are there. */
export function countBits(bytes: Uint8Array, length: number): number {
  const words = Math.floor(length / 32);
  const values = uint32s(bytes, 0, words);
  let count = 0;
  for (let index = 0; index < words; index++) count += bitsOf(values[index] as number);
  for (let bit = words * 32; bit < length; bit++) count += ((bytes[bit >> 3] as number) >> (bit & 7)) & 1;
  return count;
}

function bitsOf(word: number): number {
  let value = word - ((word >>> 1) & 0x55555555);
  value = (value & 0x33333333) + ((value >>> 2) & 0x33333333);
  return Math.imul((value + (value >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Copies bits; null stands for all ones. The target's bits from `to` on are zero before. */
export function copyBits(
  target: Uint8Array,
  to: number,
  source: Uint8Array | null,
  from: number,
  count: number,
): void {
  if (source !== null && to % 8 === 0 && from % 8 === 0) {
    const bytes = bitmapBytes(count);
    target.set(source.subarray(from / 8, from / 8 + bytes), to / 8);
    const spare = count % 8;
    if (spare !== 0) {
      const last = to / 8 + bytes - 1;
      target[last] = (target[last] as number) & ((1 << spare) - 1);
    }
    return;
  }
  for (let index = 0; index < count; index++) {
    const bit = from + index;
    if (source === null || ((source[bit >> 3] as number) >> (bit & 7)) & 1) {
      const place = to + index;
      target[place >> 3] = (target[place >> 3] as number) | (1 << (place & 7));
    }
  }
}
