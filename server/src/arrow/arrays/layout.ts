import type { Layout } from '../../model/types/layout.ts';
import { typeLayout } from '../../model/types/type-table.ts';
import type { ArrowType, Field } from '../field.ts';
import { positions } from './elements.ts';

/** How an array of this field lies in its buffers: a dictionary-encoded one as indices. */
export function layoutOf({ type, dictionary }: Field): Layout {
  return typeLayout(dictionary === null ? type : dictionary.index);
}

/** Bytes of one value of a type of fixed width; null for bool, null and everything that is not of fixed width. */
export function valueBytes(type: ArrowType): number | null {
  const layout = typeLayout(type);
  return layout.kind === 'fixed' ? layout.bytes : null;
}

/** Bytes of one stored element of a field: an index if it is dictionary-encoded, else a value. */
export function elementBytes(field: Field): number | null {
  return valueBytes(field.dictionary === null ? field.type : field.dictionary.index);
}

export function bitmapBytes(bits: number): number {
  return Math.ceil(bits / 8);
}

/** The first `count` offsets or sizes of lists and texts. */
export function offsetValues(bytes: Uint8Array, count: number, large: boolean): Int32Array | Float64Array {
  return positions(bytes, large, 0, count);
}

export function isValid(validity: Uint8Array | null, row: number): boolean {
  return validity === null || (((validity[row >> 3] as number) >> (row & 7)) & 1) === 1;
}

/** How many buffers a layout has beside validity and a view's data buffers. */
export function ownBuffers(layout: Layout): number {
  switch (layout.kind) {
    case 'none':
    case 'struct':
    case 'fixed-list':
    case 'run-end':
      return 0;
    case 'bytes':
    case 'list-view':
      return 2;
    case 'union':
      return layout.mode === 'dense' ? 2 : 1;
    default:
      return 1;
  }
}
