import type { ArrowType, Field } from '../field.ts';
import { positions } from './elements.ts';

/** Bytes of one value of a type of fixed width; null for bool, null and everything that is not of fixed width. */
export function valueBytes(type: ArrowType): number | null {
  switch (type.kind) {
    case 'int':
    case 'float':
    case 'decimal':
    case 'time':
      return type.bits / 8;
    case 'fixed-binary':
      return type.width;
    case 'date':
      return type.unit === 'day' ? 4 : 8;
    case 'timestamp':
    case 'duration':
      return 8;
    case 'interval':
      return type.unit === 'year-month' ? 4 : type.unit === 'day-time' ? 8 : 16;
    default:
      return null;
  }
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

/** How many buffers a type has beside validity and a view's data buffers. */
export function ownBuffers(type: ArrowType): number {
  switch (type.kind) {
    case 'null':
    case 'struct':
    case 'fixed-list':
    case 'run-end':
      return 0;
    case 'utf8':
    case 'binary':
    case 'list-view':
      return 2;
    case 'union':
      return type.mode === 'dense' ? 2 : 1;
    default:
      return 1;
  }
}
