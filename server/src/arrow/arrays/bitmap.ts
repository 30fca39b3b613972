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

export function setBit(bits: Uint8Array, index: number): void {
  bits[index >> 3] = (bits[index >> 3] as number) | (1 << (index & 7));
}

/** Copies bits; null means all ones. The target's bits from `to` on are zero before. */
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
  // Bit by bit to the next whole byte of the target, then bytes, then bit by bit again.
  const head = Math.min(count, (8 - (to % 8)) % 8);
  const bytes = Math.floor((count - head) / 8);
  copyBitByBit(target, to, source, from, head);
  const targetByte = (to + head) / 8;
  if (source === null) target.fill(0xff, targetByte, targetByte + bytes);
  else shiftBytes(target, targetByte, source, from + head, bytes);
  const done = head + bytes * 8;
  copyBitByBit(target, to + done, source, from + done, count - done);
}

/** Whole bytes of the target, out of a source whose bits begin anywhere. */
function shiftBytes(
  target: Uint8Array,
  to: number,
  source: Uint8Array,
  fromBit: number,
  count: number,
): void {
  const from = fromBit >> 3;
  const shift = fromBit & 7;
  if (shift === 0) {
    target.set(source.subarray(from, from + count), to);
    return;
  }
  for (let index = 0; index < count; index++)
    target[to + index] =
      ((source[from + index] as number) >> shift) | ((source[from + index + 1] as number) << (8 - shift));
}

function copyBitByBit(
  target: Uint8Array,
  to: number,
  source: Uint8Array | null,
  from: number,
  count: number,
): void {
  for (let index = 0; index < count; index++) {
    const bit = from + index;
    if (source === null || ((source[bit >> 3] as number) >> (bit & 7)) & 1) {
      const place = to + index;
      target[place >> 3] = (target[place >> 3] as number) | (1 << (place & 7));
    }
  }
}
