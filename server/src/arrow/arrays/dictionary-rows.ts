import type { IntType } from '../field.ts';
import type { ArrayData } from './array-data.ts';
import { int8s, int16s, int32s, positions, uint16s, uint32s } from './elements.ts';
import { isValid } from './layout.ts';

/** Which row of its dictionary each row of a dictionary-encoded array has; -1 if it is null. */
export function dictionaryRows(array: ArrayData): Int32Array {
  const { length, validity, field } = array;
  if (field.dictionary === null) throw new Error('an array without dictionary');
  const rows = Int32Array.from(indices(field.dictionary.index, array.buffers[0] as Uint8Array, length));
  // The index under a null need not be a row.
  if (validity !== null) for (let row = 0; row < length; row++) if (!isValid(validity, row)) rows[row] = -1;
  return rows;
}

function indices({ bits, signed }: IntType, bytes: Uint8Array, length: number): ArrayLike<number> {
  switch (bits) {
    case 8:
      return signed ? int8s(bytes, 0, length) : bytes.subarray(0, length);
    case 16:
      return signed ? int16s(bytes, 0, length) : uint16s(bytes, 0, length);
    case 32:
      return signed ? int32s(bytes, 0, length) : uint32s(bytes, 0, length);
    case 64:
      return positions(bytes, true, 0, length);
  }
}
