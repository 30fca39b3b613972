import type { ArrayData } from './array-data.ts';
import { positions, smallInts } from './elements.ts';

/** Which value of the dictionary each of the rows [from, to) has; under a null it may be anything. */
export function indicesOf(
  array: ArrayData,
  from = 0,
  to = array.length,
): ReturnType<typeof smallInts> | Float64Array {
  const bytes = array.buffers[0] as Uint8Array;
  const index = array.field.dictionary?.index ?? { kind: 'int', bits: 8, signed: true };
  // A negative index of 64 bits reads as one above 2^63, which is as much out of range.
  return index.bits === 64 ? positions(bytes, true, from, to) : smallInts(index, bytes, from, to);
}
