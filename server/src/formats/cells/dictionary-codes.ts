import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import { positions } from '../../arrow/arrays/elements.ts';
import type { IntType } from '../../arrow/field.ts';
import { smallInts } from './numbers.ts';

/** Which values of its dictionary the rows of a column have. */
export function dictionaryCodes(
  index: IntType,
  data: ArrayData,
  from: number,
  to: number,
): ArrayLike<number> {
  const bytes = data.buffers[0] as Uint8Array;
  return index.bits === 64 ? positions(bytes, true, from, to) : smallInts(index, bytes, from, to);
}
