import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import { offsets } from '../../arrow/arrays/elements.ts';
import { isValid } from '../../arrow/arrays/layout.ts';
import type { ArrowType, Field } from '../../arrow/field.ts';
import { typeLayout } from '../../model/types/type-table.ts';
import { buffersOf, byteValues, pieceBytesMax } from './byte-values.ts';
import { DoesNotFit } from './does-not-fit.ts';
import { valueText } from './value-text.ts';

/** The same bytes in another layout. */
export function convertBytes(array: ArrayData, target: Field): ArrayData {
  const values = byteValues(array);
  const { type } = target;
  if (type.kind === 'fixed-binary')
    for (let row = 0; row < array.length; row++)
      if (isValid(array.validity, row) && values(row).length !== type.width)
        throw new DoesNotFit(row, valueText(array, row), `has ${values(row).length} bytes and does not fit`);
  const buffers = otherOffsets(array, type) ?? buffersOf(target, array.length, values);
  return { ...array, field: target, buffers };
}

/** Between offsets of 32 and 64 bits the bytes stay where they are; null if that is not the case. */
function otherOffsets(array: ArrayData, to: ArrowType): Uint8Array[] | null {
  const [from, into] = [typeLayout(array.field.type), typeLayout(to)];
  if (from.kind !== 'bytes' || into.kind !== 'bytes') return null;
  const before = offsets(array.buffers[0] as Uint8Array, from.large, 0, array.length);
  const first = before[0] as number;
  const end = before[array.length] as number;
  if (end - first > pieceBytesMax) return null;
  const after = into.large ? new BigInt64Array(array.length + 1) : new Int32Array(array.length + 1);
  for (let row = 0; row <= array.length; row++) {
    if (after instanceof Int32Array) after[row] = (before[row] as number) - first;
    else after[row] = BigInt((before[row] as number) - first);
  }
  return [new Uint8Array(after.buffer), (array.buffers[1] as Uint8Array).subarray(first, end)];
}
