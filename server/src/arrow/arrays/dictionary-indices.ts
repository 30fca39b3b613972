import type { ArrayData } from './array-data.ts';
import { int8s, int16s, int32s, positions, uint16s, uint32s } from './elements.ts';

type Indices = Int8Array | Uint8Array | Int16Array | Uint16Array | Int32Array | Uint32Array | Float64Array;

/** Which value of the dictionary each row has; under a null it may be anything. */
export function indicesOf(array: ArrayData): Indices {
  const bytes = array.buffers[0] as Uint8Array;
  const { bits, signed } = array.field.dictionary?.index ?? { bits: 8, signed: true };
  const count = array.length;
  if (bits === 8) return signed ? int8s(bytes, 0, count) : bytes.subarray(0, count);
  if (bits === 16) return signed ? int16s(bytes, 0, count) : uint16s(bytes, 0, count);
  if (bits === 32) return signed ? int32s(bytes, 0, count) : uint32s(bytes, 0, count);
  // A negative index reads as one above 2^63, which is as much outside.
  return positions(bytes, true, 0, count);
}
