import type { ArrayData } from './array-data.ts';
import { int16s, int32s, positions } from './elements.ts';

/** The row after the last one of each run of a run-end encoded array. */
export function runEndsOf(array: ArrayData): Int16Array | Int32Array | Float64Array {
  const runs = array.children[0] as ArrayData;
  const bytes = runs.buffers[0] as Uint8Array;
  const bits = runs.field.type.kind === 'int' ? runs.field.type.bits : 32;
  if (bits === 16) return int16s(bytes, 0, runs.length);
  return bits === 32 ? int32s(bytes, 0, runs.length) : positions(bytes, true, 0, runs.length);
}

/** Which run holds a row, given the row after the last one of each run. */
export function runAt(ends: ArrayLike<number>, row: number): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ends[middle] as number) > row) high = middle;
    else low = middle + 1;
  }
  return low;
}
