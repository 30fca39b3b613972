import duckdb, { type Vector } from '@duckdb/node-bindings';
import { GrowingBytes } from '../../../arrow/arrays/growing-bytes.ts';
import { isValid } from '../../../arrow/arrays/layout.ts';
import type { Field } from '../../../arrow/field.ts';
import { ColumnEncoder } from './column-encoder.ts';
import type { Selection } from './selection.ts';
import { inlineBytesMax, type StringHeap } from './string-heap.ts';

/** Above this a call that copies is faster than a loop. */
const loopBytesMax = 96;
const offsetMax = 2 ** 31 - 1;
/** Room for this many short strings is made before their lengths are known. */
const shortStringsMax = 65_536;

/** Texts and binaries: 32-bit offsets and bytes, which `buffers` may give another form. */
export class TextColumn extends ColumnEncoder {
  protected readonly bytes = new GrowingBytes(16_384);
  protected offsets = new Int32Array(4096);
  /** Four for each slot; the first of them is the length. */
  #words: Int32Array = new Int32Array(0);
  /** Strings, each after the next; no two columns fetch at the same time. */
  readonly #heap: StringHeap;
  /** What `weigh` has written already behind `bytes`; null if nothing. */
  #ahead: { readonly from: number; readonly count: number; readonly end: number } | null = null;

  constructor(field: Field, heap: StringHeap) {
    super(field);
    this.#heap = heap;
  }

  /** Short strings are written where `append` would put them: to look at each once is half of the work. */
  override weigh(selection: Selection): number {
    const { from, count, index } = selection;
    this.#ahead = null;
    if (index === null && count <= shortStringsMax) {
      const end = this.#writeShort(from, count);
      if (end !== null) {
        this.#ahead = { from, count, end };
        return count * 4 + end - this.bytes.length;
      }
    }
    const words = this.#words;
    const validity = this.loaded;
    let total = count * 4;
    for (let place = 0; place < count; place++) {
      const row = index === null ? from + place : (index[place] as number);
      if (validity === null || (((validity[row >> 3] as number) >> (row & 7)) & 1) === 1)
        total += (words[row * 4] as number) >>> 0;
    }
    return total;
  }

  protected override loadValues(vector: Vector, count: number): void {
    this.#ahead = null;
    if (count === 0) return;
    const data = duckdb.vector_get_data(vector, count * 16);
    this.#words = new Int32Array(data.buffer, data.byteOffset, count * 4);
  }

  protected override appendValues(selection: Selection): void {
    const first = this.length;
    const ahead = this.#ahead;
    this.#ahead = null;
    if (selection.index === null && ahead?.from === selection.from && ahead.count === selection.count) {
      this.bytes.length = ahead.end;
      return;
    }
    this.#measure(selection, first);
    const end = this.offsets[first + selection.count] as number;
    // Whole words are written, up to 12 bytes from the beginning of a string.
    this.bytes.reserve(end - this.bytes.length + inlineBytesMax);
    this.#heap.fetch();
    this.#copy(selection, first);
    this.bytes.length = end;
  }

  /** Writes offsets and bytes behind those that count, if every string is inline in its slot; the end of the bytes, or null. */
  #writeShort(from: number, count: number): number | null {
    const first = this.length;
    this.#reserveOffsets(first + count + 1);
    // Each string is written as twelve bytes. What is too much is overwritten by the next one, or cut off.
    this.bytes.reserve(count * inlineBytesMax);
    const words = this.#words;
    const validity = this.loaded;
    const offsets = this.offsets;
    const target = this.bytes.view;
    let end = this.bytes.length;
    for (let place = 0; place < count; place++) {
      const row = from + place;
      // A slot that is null may hold any length.
      if (validity === null || (((validity[row >> 3] as number) >> (row & 7)) & 1) === 1) {
        const length = words[row * 4] as number;
        if (length >>> 0 > inlineBytesMax) return null;
        target.setInt32(end, words[row * 4 + 1] as number, true);
        target.setInt32(end + 4, words[row * 4 + 2] as number, true);
        target.setInt32(end + 8, words[row * 4 + 3] as number, true);
        end += length;
      }
      offsets[first + place + 1] = end;
    }
    return end;
  }

  #reserveOffsets(count: number): void {
    if (this.offsets.length >= count) return;
    const grown = new Int32Array(Math.max(count, this.offsets.length * 2));
    grown.set(this.offsets.subarray(0, this.length + 1));
    this.offsets = grown;
  }

  /** Writes the offsets, and notes the strings to fetch. */
  #measure(selection: Selection, first: number): void {
    const { from, count, index } = selection;
    this.#reserveOffsets(first + count + 1);
    const words = this.#words;
    const validity = this.loaded;
    const offsets = this.offsets;
    const heap = this.#heap;
    heap.begin(count);
    const { starts, lengths } = heap;
    let long = 0;
    let end = this.bytes.length;
    for (let place = 0; place < count; place++) {
      const row = index === null ? from + place : (index[place] as number);
      // A slot that is null may hold any length and pointer.
      if (validity === null || (((validity[row >> 3] as number) >> (row & 7)) & 1) === 1) {
        const length = (words[row * 4] as number) >>> 0;
        if (length > inlineBytesMax) {
          const low = (words[row * 4 + 2] as number) >>> 0;
          starts[long] = low + ((words[row * 4 + 3] as number) >>> 0) * 4_294_967_296;
          lengths[long++] = length;
        }
        end += length;
      }
      offsets[first + place + 1] = end;
    }
    if (end > offsetMax) this.refuseValue('is longer than the 2 GiB that one batch can hold');
    heap.count = long;
  }

  #copy(selection: Selection, first: number): void {
    const { from, count, index } = selection;
    const words = this.#words;
    const offsets = this.offsets;
    const target = this.bytes.view;
    let long = 0;
    let at = offsets[first] as number;
    for (let place = 0; place < count; place++) {
      const next = offsets[first + place + 1] as number;
      const length = next - at;
      if (length === 0) continue;
      if (length <= inlineBytesMax) {
        const row = index === null ? from + place : (index[place] as number);
        // What is not used of a slot is zero, and what is written too much is overwritten or cut off.
        target.setInt32(at, words[row * 4 + 1] as number, true);
        if (length > 4) {
          target.setInt32(at + 4, words[row * 4 + 2] as number, true);
          if (length > 8) target.setInt32(at + 8, words[row * 4 + 3] as number, true);
        }
      } else this.#copyLong(long++, length, at, target);
      at = next;
    }
  }

  #copyLong(string: number, length: number, at: number, target: DataView): void {
    const block = this.#heap.blockOf(string);
    const from = (this.#heap.starts[string] as number) - block.start;
    if (length > loopBytesMax) {
      this.bytes.bytes.set(block.bytes.subarray(from, from + length), at);
      return;
    }
    const { view } = block;
    let done = 0;
    for (; done + 4 <= length; done += 4)
      target.setUint32(at + done, view.getUint32(from + done, true), true);
    for (; done < length; done++) target.setUint8(at + done, view.getUint8(from + done));
  }

  protected override clearValues(): void {
    this.#ahead = null;
    this.bytes.clear();
  }

  protected override buffers(_validity: Uint8Array | null): readonly Uint8Array[] {
    return [new Uint8Array(this.offsets.buffer, 0, (this.length + 1) * 4), this.bytes.written];
  }
}

/** Texts and binaries with 64-bit offsets. */
export class LargeTextColumn extends TextColumn {
  protected override buffers(): readonly Uint8Array[] {
    return [wideOffsets(this.offsets, this.length + 1), this.bytes.written];
  }
}

export function wideOffsets(offsets: Int32Array, count: number): Uint8Array {
  const wide = new Int32Array(count * 2);
  for (let index = 0; index < count; index++) wide[index * 2] = offsets[index] as number;
  return new Uint8Array(wide.buffer);
}

/** Views: short values are inline, the others in one buffer. */
export class TextViewColumn extends TextColumn {
  protected override buffers(): readonly Uint8Array[] {
    const bytes = this.bytes.written;
    const views = new Uint8Array(this.length * 16);
    const words = new DataView(views.buffer);
    for (let row = 0; row < this.length; row++) {
      const start = this.offsets[row] as number;
      const length = (this.offsets[row + 1] as number) - start;
      words.setInt32(row * 16, length, true);
      views.set(bytes.subarray(start, start + Math.min(length, length > 12 ? 4 : 12)), row * 16 + 4);
      if (length > 12) words.setInt32(row * 16 + 12, start, true);
    }
    return [views, bytes];
  }
}

/** Binaries that all have the same length. */
export class FixedBinaryColumn extends TextColumn {
  readonly #width: number;

  constructor(field: Field, heap: StringHeap, width: number) {
    super(field, heap);
    this.#width = width;
  }

  protected override buffers(validity: Uint8Array | null): readonly Uint8Array[] {
    const width = this.#width;
    const values = new Uint8Array(this.length * width);
    const bytes = this.bytes.written;
    for (let row = 0; row < this.length; row++) {
      if (!isValid(validity, row)) continue;
      const start = this.offsets[row] as number;
      const end = this.offsets[row + 1] as number;
      if (end - start !== width)
        this.refuseValue(`has ${end - start} bytes, and each of the column's has ${width}`);
      values.set(bytes.subarray(start, end), row * width);
    }
    return [values];
  }
}
