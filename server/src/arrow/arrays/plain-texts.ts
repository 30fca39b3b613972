import { plainForm, typeLayout } from '../../model/types/type-table.ts';
import type { ArrowType, Field } from '../field.ts';
import type { ArrayData } from './array-data.ts';
import { int32s } from './elements.ts';
import { isValid } from './layout.ts';
import { TooManyBytes } from './take-rows.ts';

/** What views are as plain texts or bytes; any other type stays the same. */
export function plainTextType(type: ArrowType): ArrowType {
  return typeLayout(type).kind === 'views' ? plainForm(type) : type;
}

/** What views point to, as one text after another. TooManyBytes if views of the same bytes would take more than `bytesMax`. */
export function plainTexts(array: ArrayData, field: Field, bytesMax: number): ArrayData {
  const [bytes, ...data] = array.buffers as readonly [Uint8Array, ...Uint8Array[]];
  const views = int32s(bytes, 0, array.length * 4);
  const offsets = new Int32Array(array.length + 1);
  for (let row = 0; row < array.length; row++) {
    const length = isValid(array.validity, row) ? (views[row * 4] as number) : 0;
    const end = (offsets[row] as number) + length;
    if (end > bytesMax) throw new TooManyBytes();
    offsets[row + 1] = end;
  }
  const texts = new Uint8Array(offsets[array.length] as number);
  for (let row = 0; row < array.length; row++) {
    const to = offsets[row] as number;
    const length = (offsets[row + 1] as number) - to;
    const isInline = length <= 12;
    const source = isInline ? bytes : (data[views[row * 4 + 2] as number] as Uint8Array);
    const from = isInline ? row * 16 + 4 : (views[row * 4 + 3] as number);
    texts.set(source.subarray(from, from + length), to);
  }
  return { ...array, field, buffers: [new Uint8Array(offsets.buffer), texts] };
}
