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

/** Texts and binaries: 32-bit offsets and bytes, which `buffers` may give another form. */
export class TextColumn extends ColumnEncoder {
  protected readonly bytes = new GrowingBytes(16_384);
  protected offsets = new Int32Array(4096);
  #words: Uint32Array = new Uint32Array(0);
  /** Strings, each after the next; no two columns fetch at the same time. */
  readonly #heap: StringHeap;

  constructor(field: Field, heap: StringHeap) {
    super(field);
    this.#heap = heap;
  }

  override weigh(selection: Selection): number {
    const { from, count, index } = selection;
    const words = this.#words;
    const validity = this.loaded;
    let total = count * 4;
    for (let place = 0; place < count; place++) {
      const row = index === null ? from + place : (index[place] as number);
      if (validity === null || (((validity[row >> 3] as number) >> (row & 7)) & 1) === 1)
        total += words[row * 4] as number;
    }
    return total;
  }

  protected override loadValues(vector: Vector, count: number): void {
    if (count === 0) return;
    const data = duckdb.vector_get_data(vector, count * 16);
    this.#words = new Uint32Array(data.buffer, data.byteOffset, count * 4);
  }

  protected override appendValues(selection: Selection): void {
    const first = this.length;
    this.#measure(selection, first);
    const end = this.offsets[first + selection.count] as number;
    // Whole words are written, up to 12 bytes from the beginning of a string.
    this.bytes.reserve(end - this.bytes.length + inlineBytesMax);
    this.#heap.fetch();
    this.#copy(selection, first);
    this.bytes.length = end;
  }

  /** Writes the offsets, and notes the strings to fetch. */
  #measure(selection: Selection, first: number): void {
    const { from, count, index } = selection;
    if (this.offsets.length < first + count + 1) {
      const grown = new Int32Array(Math.max(first + count + 1, this.offsets.length * 2));
      grown.set(this.offsets.subarray(0, first + 1));
      this.offsets = grown;
    }
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
        const length = words[row * 4] as number;
        if (length > inlineBytesMax) {
          starts[long] = (words[row * 4 + 2] as number) + (words[row * 4 + 3] as number) * 4_294_967_296;
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
        target.setUint32(at, words[row * 4 + 1] as number, true);
        if (length > 4) {
          target.setUint32(at + 4, words[row * 4 + 2] as number, true);
          if (length > 8) target.setUint32(at + 8, words[row * 4 + 3] as number, true);
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
