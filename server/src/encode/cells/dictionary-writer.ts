import { Buffer } from 'node:buffer';
import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import type { IntType } from '../../arrow/field.ts';
import type { CachedTexts, CellStyle } from './cell-style.ts';
import { CellWriter, viewOf } from './cell-writer.ts';
import type { TextBuffer } from './text-buffer.ts';
import { weigh } from './weight.ts';

/** Texts of a dictionary are kept up to this size; a dictionary of larger values is written row by row. */
const keptBytesMax = 4 * 1024 * 1024;
const high32 = 4_294_967_296;

/** The values of a dictionary, each written once as far as they are needed. */
export class DictionaryTexts implements CachedTexts {
  readonly #writer: CellWriter;
  /** Where each value's text is; an end of 0 if it was not needed yet. Null if the texts are not kept. */
  readonly #ends: Int32Array | null;
  readonly #starts: Int32Array;
  #bytes = Buffer.allocUnsafeSlow(1024);
  #used = 0;

  constructor(values: ArrayData, writer: CellWriter) {
    const isKept = weigh(values, 0, values.length, keptBytesMax) < keptBytesMax;
    this.#writer = writer;
    this.#ends = isKept ? new Int32Array(values.length) : null;
    this.#starts = new Int32Array(isKept ? values.length : 0);
  }

  put(out: TextBuffer, code: number): void {
    const end = this.#ends === null ? 0 : (this.#ends[code] as number);
    if (end === 0) {
      this.#write(out, code);
      return;
    }
    const start = this.#starts[code] as number;
    out.reserve(end - start);
    const kept = this.#bytes;
    const { bytes } = out;
    let { at } = out;
    for (let index = start; index < end; index++) bytes[at++] = kept[index] as number;
    out.at = at;
  }

  #write(out: TextBuffer, code: number): void {
    const { at } = out;
    this.#writer.reservedCell(out, code);
    if (this.#ends === null) return;
    const start = this.#used;
    const end = start + out.at - at;
    if (end > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(end, this.#bytes.length * 2));
      this.#bytes.copy(larger, 0, 0, start);
      this.#bytes = larger;
    }
    out.bytes.copy(this.#bytes, start, at, out.at);
    this.#starts[code] = start;
    this.#ends[code] = end;
    this.#used = end;
  }
}

/** A value of the dictionary for each row. */
export class DictionaryWriter extends CellWriter {
  readonly bytesMax = 0;
  readonly #indices: DataView;
  readonly #index: IntType;
  readonly #kept: CachedTexts;

  constructor(index: IntType, data: ArrayData, kept: CachedTexts, style: CellStyle) {
    super(data, style);
    this.#indices = viewOf(data.buffers[0] as Uint8Array);
    this.#index = index;
    this.#kept = kept;
  }

  write(out: TextBuffer, row: number): void {
    this.#kept.put(out, this.#code(row));
  }

  /** Never negative, as the check of an upload has shown. */
  #code(row: number): number {
    const indices = this.#indices;
    switch (this.#index.bits) {
      case 8:
        return indices.getUint8(row);
      case 16:
        return indices.getUint16(row * 2, true);
      case 32:
        return indices.getUint32(row * 4, true);
      default:
        return indices.getUint32(row * 8, true) + indices.getUint32(row * 8 + 4, true) * high32;
    }
  }
}
