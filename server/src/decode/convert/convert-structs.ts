import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import { countBits } from '../../arrow/arrays/bitmap.ts';
import { bitmapBytes } from '../../arrow/arrays/layout.ts';
import { sliceArray } from '../../arrow/arrays/ranges.ts';
import type { Field } from '../../arrow/field.ts';
import { within } from './does-not-fit.ts';
import { matchFields } from './match-fields.ts';

/** A child that was put together from pieces may have the data of its views several times over. */
export type ConvertChild = (child: ArrayData, field: Field, isPiece: boolean) => ArrayData;

/** Members by name, as columns are. */
export function convertStructs(array: ArrayData, target: Field, convert: ConvertChild): ArrayData {
  const match = matchFields(target.children, array.field.children);
  if ('difference' in match) throw new Error(`members differ: ${match.difference}`);
  const children = match.places.map((place, index) => {
    const field = target.children[index] as Field;
    const child = array.children[place] as ArrayData;
    // There may be more values than rows.
    const whole = child.length === array.length ? child : sliceArray(child, 0, array.length);
    return within(
      () => convert(withNulls(whole, array.validity), field, false),
      (row) => row,
      field.name,
    );
  });
  return { ...array, field: target, children };
}

/** What is under a null is not a value: it need not fit. */
function withNulls(array: ArrayData, outer: Uint8Array | null): ArrayData {
  const { type } = array.field;
  const hasNone = type.kind === 'null' || type.kind === 'union' || type.kind === 'run-end';
  if (outer === null || (hasNone && array.field.dictionary === null)) return array;
  const validity = new Uint8Array(outer.subarray(0, bitmapBytes(array.length)));
  if (array.validity !== null)
    for (let index = 0; index < validity.length; index++)
      validity[index] = (validity[index] as number) & (array.validity[index] as number);
  return { ...array, validity, nullCount: array.length - countBits(validity, array.length) };
}
