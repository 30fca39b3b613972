import type { ArrayData, BatchData } from '../../arrow/arrays/array-data.ts';
import { float32s, float64s } from '../../arrow/arrays/elements.ts';
import { isValid } from '../../arrow/arrays/layout.ts';
import type { Field } from '../../arrow/field.ts';
import { isPlainFloat } from '../../parquet/transcode-notes.ts';

/** Of the plain columns of floating-point numbers: those that have no NaN. Null if there is no such column. */
export function columnsWithoutNan(fields: readonly Field[], batches: readonly BatchData[]): number[] | null {
  const floats = [...fields.keys()].filter((index) => isPlainFloat(fields[index] as Field));
  if (floats.length === 0) return null;
  return floats.filter((index) => batches.every((batch) => !hasNan(batch.columns[index] as ArrayData)));
}

function hasNan({ field, length, validity, buffers }: ArrayData): boolean {
  const bytes = buffers[0] as Uint8Array;
  const isDouble = field.type.kind === 'float' && field.type.bits === 64;
  const values = isDouble ? float64s(bytes, 0, length) : float32s(bytes, 0, length);
  for (let row = 0; row < length; row++) {
    // Rows that are null may have anything.
    if (Number.isNaN(values[row]) && isValid(validity, row)) return true;
  }
  return false;
}
