import { viewOf } from '../../cells/cell-writer.ts';
import { TextBuffer } from '../../cells/text-buffer.ts';
import { setInt32 } from './big-endian.ts';
import type { FieldWriter } from './field-writer.ts';

/** The fields of a column in rows whose length is known before they are written. */
export interface PlacedColumn {
  /** Adds to `sizes` how many bytes the fields of `count` rows take, with the lengths before them. */
  measure(sizes: Int32Array, from: number, count: number): void;
  /** Writes them where `places` says, each behind its length, and moves the places behind them. There is room. */
  place(out: TextBuffer, places: Int32Array, from: number, count: number): void;
}

export const lengthBytes = 4;

/** A writer that can, itself; else its values are written twice. */
export function placedColumn(writer: FieldWriter): PlacedColumn {
  return 'place' in writer && 'measure' in writer
    ? (writer as FieldWriter & PlacedColumn)
    : new WrittenColumn(writer);
}

/** Values that must be written before anybody knows how long they are, and are copied then. */
class WrittenColumn implements PlacedColumn {
  readonly #writer: FieldWriter;
  readonly #values = new TextBuffer();
  #ends = new Int32Array(0);

  constructor(writer: FieldWriter) {
    this.#writer = writer;
  }

  measure(sizes: Int32Array, from: number, count: number): void {
    const writer = this.#writer;
    const values = this.#values;
    if (this.#ends.length < count) this.#ends = new Int32Array(count);
    values.at = 0;
    values.slack = writer.bytesMax;
    for (let index = 0; index < count; index++) {
      const before = values.at;
      if (!writer.isNull(from + index)) {
        values.reserve(0);
        writer.write(values, from + index);
      }
      this.#ends[index] = values.at;
      sizes[index] = (sizes[index] as number) + lengthBytes + values.at - before;
    }
  }

  place(out: TextBuffer, places: Int32Array, from: number, count: number): void {
    const writer = this.#writer;
    const { bytes } = out;
    const source = this.#values.written;
    let start = 0;
    for (let index = 0; index < count; index++) {
      const at = places[index] as number;
      const end = this.#ends[index] as number;
      setInt32(bytes, at, start === end && writer.isNull(from + index) ? -1 : end - start);
      copyBytes(bytes, at + lengthBytes, source, start, end);
      places[index] = at + lengthBytes + end - start;
      start = end;
    }
  }
}

/** Shorter values are copied faster by a loop than by a call into Node. */
export const loopBytesMax = 48;

function copyBytes(target: Uint8Array, at: number, source: Uint8Array, start: number, end: number): void {
  if (end - start > loopBytesMax) {
    target.set(source.subarray(start, end), at);
    return;
  }
  let to = at;
  for (let index = start; index < end; index++) target[to++] = source[index] as number;
}

/** Adds fields of one width; nulls have none. */
export function measureFixed(
  writer: FieldWriter,
  width: number,
  sizes: Int32Array,
  from: number,
  count: number,
): void {
  const field = lengthBytes + width;
  if (writer.validity === null) {
    for (let index = 0; index < count; index++) sizes[index] = (sizes[index] as number) + field;
    return;
  }
  for (let index = 0; index < count; index++)
    sizes[index] = (sizes[index] as number) + (writer.isNull(from + index) ? lengthBytes : field);
}

/** What a loop over a column writes numbers with: two operations for eight bytes. */
export function outView(out: TextBuffer): DataView {
  return viewOf(out.bytes);
}
