import { Buffer } from 'node:buffer';
import type { ArrayData } from '../arrow/arrays/array-data.ts';
import { isValid, layoutOf, offsetValues } from '../arrow/arrays/layout.ts';
import type { Field } from '../arrow/field.ts';
import type { Layout } from '../model/types/layout.ts';
import { isView } from '../model/types/type-table.ts';

/** Whether `sameRows` can compare them. */
export function isComparable({ type, children }: Field): boolean {
  if (isView(type) || type.kind === 'union' || type.kind === 'run-end') return false;
  return children.every(isComparable);
}

/**
 * Whether rows of two arrays hold the same values, bit for bit. Bytes under nulls do not count, nor where the arrays begin in their buffers.
 * Both have the same type; dictionaries may differ and are compared by what the indices point to. Types whose
 * Parquet form is never taken for exact (unions, views, run ends) are not comparable: the answer is false.
 */
export function sameRows(
  a: ArrayData,
  aStart: number,
  b: ArrayData,
  bStart: number,
  length: number,
): boolean {
  if (length === 0) return true;
  if (!sameValidity(a.validity, aStart, b.validity, bStart, length)) return false;
  const layout = layoutOf(a.field);
  if (a.validity === null) return sameValues(layout, a, aStart, b, bStart, length);
  for (let row = 0; row < length; ) {
    if (!isValid(a.validity, aStart + row)) {
      row++;
      continue;
    }
    let end = row + 1;
    while (end < length && isValid(a.validity, aStart + end)) end++;
    if (!sameValues(layout, a, aStart + row, b, bStart + row, end - row)) return false;
    row = end;
  }
  return true;
}

function sameValidity(
  a: Uint8Array | null,
  aStart: number,
  b: Uint8Array | null,
  bStart: number,
  length: number,
): boolean {
  if (a === null && b === null) return true;
  for (let row = 0; row < length; row++)
    if (isValid(a, aStart + row) !== isValid(b, bStart + row)) return false;
  return true;
}

/** No row in the range is null. */
function sameValues(
  layout: Layout,
  a: ArrayData,
  aStart: number,
  b: ArrayData,
  bStart: number,
  length: number,
): boolean {
  if (a.dictionary !== null || b.dictionary !== null) return sameByDictionary(a, aStart, b, bStart, length);
  switch (layout.kind) {
    case 'none':
      return true;
    case 'fixed': {
      const { bytes } = layout;
      return sameBytes(bufferOf(a, 0), aStart * bytes, bufferOf(b, 0), bStart * bytes, length * bytes);
    }
    case 'bits':
      return sameValidity(bufferOf(a, 0), aStart, bufferOf(b, 0), bStart, length);
    case 'bytes': {
      const range = sameLengths(a, aStart, b, bStart, length, layout.large);
      return range !== null && sameBytes(bufferOf(a, 1), range.a, bufferOf(b, 1), range.b, range.length);
    }
    case 'list': {
      const range = sameLengths(a, aStart, b, bStart, length, layout.large);
      return range !== null && sameRows(childOf(a, 0), range.a, childOf(b, 0), range.b, range.length);
    }
    case 'fixed-list':
      return sameRows(
        childOf(a, 0),
        aStart * layout.size,
        childOf(b, 0),
        bStart * layout.size,
        length * layout.size,
      );
    case 'struct':
      return a.children.every((child, index) => sameRows(child, aStart, childOf(b, index), bStart, length));
    default:
      return false;
  }
}

/** Where the contents of the rows begin on both sides and how long they are, if every row is as long on one side as on the other. */
function sameLengths(
  a: ArrayData,
  aStart: number,
  b: ArrayData,
  bStart: number,
  length: number,
  large: boolean,
): { a: number; b: number; length: number } | null {
  const width = large ? 8 : 4;
  const aOffsets = offsetValues(bufferOf(a, 0).subarray(aStart * width), length + 1, large);
  const bOffsets = offsetValues(bufferOf(b, 0).subarray(bStart * width), length + 1, large);
  const aFirst = aOffsets[0] as number;
  const bFirst = bOffsets[0] as number;
  const shift = bFirst - aFirst;
  for (let row = 1; row <= length; row++)
    if ((bOffsets[row] as number) - (aOffsets[row] as number) !== shift) return null;
  return { a: aFirst, b: bFirst, length: (aOffsets[length] as number) - aFirst };
}

function sameByDictionary(
  a: ArrayData,
  aStart: number,
  b: ArrayData,
  bStart: number,
  length: number,
): boolean {
  // One pair of indices is looked at once: columns with few values have few pairs.
  const same = new Map<number, number>();
  for (let row = 0; row < length; row++) {
    const left = targetOf(a, aStart + row);
    const right = targetOf(b, bStart + row);
    if (same.get(left.row) === right.row) continue;
    if (!sameRows(left.array, left.row, right.array, right.row, 1)) return false;
    same.set(left.row, right.row);
  }
  return true;
}

function targetOf(array: ArrayData, row: number): { array: ArrayData; row: number } {
  const { dictionary } = array;
  if (dictionary === null || array.field.dictionary === null) return { array, row };
  const bytes = bufferOf(array, 0);
  const { bits, signed } = array.field.dictionary.index;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  switch (bits) {
    case 8:
      return { array: dictionary, row: signed ? view.getInt8(row) : view.getUint8(row) };
    case 16:
      return {
        array: dictionary,
        row: signed ? view.getInt16(row * 2, true) : view.getUint16(row * 2, true),
      };
    case 32:
      return {
        array: dictionary,
        row: signed ? view.getInt32(row * 4, true) : view.getUint32(row * 4, true),
      };
    case 64:
      return { array: dictionary, row: Number(view.getBigInt64(row * 8, true)) };
  }
}

function sameBytes(a: Uint8Array, aStart: number, b: Uint8Array, bStart: number, length: number): boolean {
  return Buffer.compare(a.subarray(aStart, aStart + length), b.subarray(bStart, bStart + length)) === 0;
}

function bufferOf(array: ArrayData, index: number): Uint8Array {
  return array.buffers[index] as Uint8Array;
}

function childOf(array: ArrayData, index: number): ArrayData {
  return array.children[index] as ArrayData;
}
