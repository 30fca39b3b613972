import type { ArrayData, BatchData } from '../../arrow/arrays/array-data.ts';
import { uint32s } from '../../arrow/arrays/elements.ts';
import { isValid } from '../../arrow/arrays/layout.ts';
import type { Field } from '../../arrow/field.ts';
import { hasFineTimes } from '../../parquet/transcode-notes.ts';

/** Of the columns with times in nanoseconds: those whose values are all whole microseconds. Null if there is no such column. */
export function wholeColumns(fields: readonly Field[], batches: readonly BatchData[]): number[] | null {
  const fine = [...fields.keys()].filter((index) => hasFineTimes(fields[index] as Field));
  if (fine.length === 0) return null;
  return fine.filter((index) => batches.every((batch) => isWhole(batch.columns[index] as ArrayData)));
}

/** Dictionaries of times are written as their values, so that none come here. */
function isWhole(array: ArrayData): boolean {
  const { field, children } = array;
  if (!hasFineTimes(field)) return true;
  if (field.type.kind !== 'timestamp' && field.type.kind !== 'duration') return children.every(isWhole);
  const { length, validity } = array;
  const words = uint32s(array.buffers[0] as Uint8Array, 0, length * 2);
  for (let row = 0; row < length; row++) {
    const low = words[row * 2] as number;
    const high = (words[row * 2 + 1] as number) | 0;
    // 2 ** 32 is 296 above a multiple of 1000.
    if (((low % 1000) + (high % 1000) * 296) % 1000 !== 0 && isValid(validity, row)) return false;
  }
  return true;
}
