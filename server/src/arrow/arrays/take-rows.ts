import type { ArrayData } from './array-data.ts';
import { setBit } from './bitmap.ts';
import { int32s } from './elements.ts';
import { bitmapBytes, isValid, layoutOf, offsetValues } from './layout.ts';

/** The rows would take more memory than the caller allows. */
export class TooManyBytes extends Error {}

/**
 * A new array of these rows of another, in this order; -1 gives a null. TooManyBytes once the copy would be larger than `bytesMax`: a row that is
 * taken many times is copied many times. Unions and run-end arrays have no nulls of their own and cannot be taken.
 */
export function takeRows(array: ArrayData, rows: Int32Array, bytesMax: number): ArrayData {
  return new Taking(bytesMax).rows(array, rows);
}

class Taking {
  #bytesLeft: number;

  constructor(bytesMax: number) {
    this.#bytesLeft = bytesMax;
  }

  rows(array: ArrayData, rows: Int32Array): ArrayData {
    const { field, dictionary } = array;
    const [buffers, children] = this.#layout(array, rows);
    if (dictionary === null && field.type.kind === 'null')
      return { ...array, length: rows.length, nullCount: rows.length };
    return { field, length: rows.length, ...this.#validity(array, rows), buffers, children, dictionary };
  }

  #layout(array: ArrayData, rows: Int32Array): [Uint8Array[], ArrayData[]] {
    const layout = layoutOf(array.field);
    switch (layout.kind) {
      case 'none':
        return [[], []];
      case 'fixed':
        return [[this.#values(bufferOf(array, 0), rows, layout.bytes)], []];
      case 'bits':
        return [[this.#bits(bufferOf(array, 0), rows)], []];
      case 'bytes': {
        const { offsets, sources, total } = this.#ranges(array, rows, layout.large);
        const data = this.#room(total);
        for (let index = 0, to = 0; index < rows.length; index++) {
          const [from, end] = [sources[index * 2] as number, sources[index * 2 + 1] as number];
          data.set(bufferOf(array, 1).subarray(from, end), to);
          to += end - from;
        }
        return [[offsets, data], []];
      }
      case 'views':
        return [[this.#values(bufferOf(array, 0), rows, 16), ...array.buffers.slice(1)], []];
      case 'list': {
        const { offsets, sources, total } = this.#ranges(array, rows, layout.large);
        const inner = int32s(this.#room(total * 4), 0, total);
        for (let index = 0, to = 0; index < rows.length; index++)
          for (let row = sources[index * 2] as number; row < (sources[index * 2 + 1] as number); row++)
            inner[to++] = row;
        return [[offsets], [this.rows(childOf(array, 0), inner)]];
      }
      case 'list-view': {
        const places = array.buffers.map((buffer) => this.#values(buffer, rows, layout.large ? 8 : 4));
        return [places, [...array.children]];
      }
      case 'fixed-list': {
        const { size } = layout;
        const inner = int32s(this.#room(rows.length * size * 4), 0, rows.length * size);
        for (const [index, row] of rows.entries())
          for (let item = 0; item < size; item++)
            inner[index * size + item] = row < 0 ? -1 : row * size + item;
        return [[], [this.rows(childOf(array, 0), inner)]];
      }
      case 'struct':
        return [[], array.children.map((child) => this.rows(child, rows))];
      default:
        throw new Error(`rows of ${layout.kind} cannot be taken`);
    }
  }

  #validity(array: ArrayData, rows: Int32Array): { validity: Uint8Array | null; nullCount: number } {
    const validity = this.#room(bitmapBytes(rows.length));
    let nullCount = 0;
    for (let index = 0; index < rows.length; index++) {
      const row = rows[index] as number;
      if (row >= 0 && isValid(array.validity, row)) setBit(validity, index);
      else nullCount++;
    }
    return nullCount === 0 ? { validity: null, nullCount } : { validity, nullCount };
  }

  #values(source: Uint8Array, rows: Int32Array, width: number): Uint8Array {
    const target = this.#room(rows.length * width);
    for (let index = 0; index < rows.length; index++) {
      const from = (rows[index] as number) * width;
      const to = index * width;
      if (from >= 0)
        for (let byte = 0; byte < width; byte++) target[to + byte] = source[from + byte] as number;
    }
    return target;
  }

  #bits(source: Uint8Array, rows: Int32Array): Uint8Array {
    const target = this.#room(bitmapBytes(rows.length));
    for (let index = 0; index < rows.length; index++) {
      const row = rows[index] as number;
      if (row >= 0 && isValid(source, row)) setBit(target, index);
    }
    return target;
  }

  /** Where each row's contents are in the source (begin and end), and the offsets that they have once they follow each other. */
  #ranges(
    array: ArrayData,
    rows: Int32Array,
    large: boolean,
  ): { offsets: Uint8Array; sources: Float64Array; total: number } {
    const from = offsetValues(bufferOf(array, 0), array.length === 0 ? 0 : array.length + 1, large);
    const offsets = this.#room((rows.length + 1) * (large ? 8 : 4));
    const view = new DataView(offsets.buffer);
    const sources = new Float64Array(rows.length * 2);
    let total = 0;
    for (const [index, row] of rows.entries()) {
      if (row >= 0 && isValid(array.validity, row)) {
        sources[index * 2] = from[row] as number;
        sources[index * 2 + 1] = from[row + 1] as number;
        total += (from[row + 1] as number) - (from[row] as number);
        if (total > this.#bytesLeft) throw new TooManyBytes();
      }
      if (large) view.setBigInt64((index + 1) * 8, BigInt(total), true);
      else view.setInt32((index + 1) * 4, total, true);
    }
    return { offsets, sources, total };
  }

  #room(byteCount: number): Uint8Array {
    this.#bytesLeft -= byteCount;
    if (this.#bytesLeft < 0) throw new TooManyBytes();
    return new Uint8Array(byteCount);
  }
}

function bufferOf(array: ArrayData, index: number): Uint8Array {
  return array.buffers[index] as Uint8Array;
}

function childOf(array: ArrayData, index: number): ArrayData {
  return array.children[index] as ArrayData;
}
