import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import { isValid, valueBytes } from '../../arrow/arrays/layout.ts';
import type { Field } from '../../arrow/field.ts';
import { DoesNotFit } from './does-not-fit.ts';
import { type NumberType, numberFit } from './number-fit.ts';
import { numberReader, numberWriter } from './number-values.ts';
import { valueText } from './value-text.ts';

export function convertNumbers(array: ArrayData, target: Field): ArrayData {
  const from = array.field.type as NumberType;
  const to = target.type as NumberType;
  const read = numberReader(array.buffers[0] as Uint8Array, from, array.length);
  const values = new Uint8Array(array.length * (valueBytes(to) ?? 0));
  const write = numberWriter(values, to);
  const fit = numberFit(from, to);
  for (let row = 0; row < array.length; row++) {
    if (!isValid(array.validity, row)) continue;
    const fitting = fit(read(row));
    if (fitting === undefined) throw new DoesNotFit(row, valueText(array, row), reason(array, row));
    write(row, fitting);
  }
  return { ...array, field: target, buffers: [values] };
}

/** NaN is the one that surprises: libraries that have no null among their numbers use it for one. */
function reason(array: ArrayData, row: number): string {
  return valueText(array, row) === 'NaN' ? 'is not a null, and does not fit' : 'does not fit';
}
