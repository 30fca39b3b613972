import duckdb, { type Vector } from '@duckdb/node-bindings';
import type { ArrayData } from '../../../arrow/arrays/array-data.ts';
import { GrowingBytes } from '../../../arrow/arrays/growing-bytes.ts';
import type { Field } from '../../../arrow/field.ts';
import { ColumnEncoder } from './column-encoder.ts';
import { arrayElements, listElements, type Selection } from './selection.ts';
import { wideOffsets } from './text-columns.ts';

const offsetMax = 2 ** 31 - 1;

/** Lists, and maps, which are lists of entries. */
export class ListColumn extends ColumnEncoder {
  readonly #child: ColumnEncoder;
  /** Offset and length of each list of the vector, both of 64 bits. */
  #entries: Uint32Array = new Uint32Array(0);
  #offsets = new Int32Array(1024);
  #starts = new Int32Array(2048);
  #lengths = new Int32Array(2048);
  /** Elements of the selection that was asked for last: it is weighed, then appended. */
  #last: { readonly selection: Selection; readonly elements: Selection } | null = null;

  constructor(field: Field, child: ColumnEncoder) {
    super(field, [child]);
    this.#child = child;
  }

  override weigh(selection: Selection): number {
    return selection.count * 4 + this.#child.weigh(this.#elements(selection));
  }

  protected override loadValues(vector: Vector, count: number): void {
    this.#last = null;
    if (count === 0) {
      this.#child.load(vector, 0);
      return;
    }
    const data = duckdb.vector_get_data(vector, count * 16);
    this.#entries = new Uint32Array(data.buffer, data.byteOffset, count * 4);
    this.#child.load(duckdb.list_vector_get_child(vector), duckdb.list_vector_get_size(vector));
  }

  protected override appendValues(selection: Selection): void {
    const elements = this.#elements(selection);
    const { count } = selection;
    const first = this.length;
    if (this.#offsets.length < first + count + 1) {
      const grown = new Int32Array(Math.max(first + count + 1, this.#offsets.length * 2));
      grown.set(this.#offsets.subarray(0, first + 1));
      this.#offsets = grown;
    }
    const offsets = this.#offsets;
    let end = offsets[first] as number;
    if (end + elements.count > offsetMax)
      this.refuseValue('has more elements than one batch can hold, which is 2,147,483,647');
    for (let place = 0; place < count; place++) {
      end += this.#lengths[place] as number;
      offsets[first + place + 1] = end;
    }
    this.#child.append(elements);
  }

  /** The elements of the selected lists; their lengths are left in `#lengths`. */
  #elements(selection: Selection): Selection {
    if (this.#last?.selection === selection) return this.#last.elements;
    const { from, count, index } = selection;
    if (this.#starts.length < count) {
      this.#starts = new Int32Array(count * 2);
      this.#lengths = new Int32Array(count * 2);
    }
    const validity = this.loaded;
    for (let place = 0; place < count; place++) {
      const row = index === null ? from + place : (index[place] as number);
      const valid = validity === null || (((validity[row >> 3] as number) >> (row & 7)) & 1) === 1;
      // A list that is null may have any offset and length.
      this.#starts[place] = valid ? (this.#entries[row * 4] as number) : 0;
      this.#lengths[place] = valid ? (this.#entries[row * 4 + 2] as number) : 0;
    }
    const elements = listElements(this.#starts, this.#lengths, count);
    this.#last = { selection, elements };
    return elements;
  }

  protected override clearValues(): void {}

  protected override buffers(): readonly Uint8Array[] {
    const { type } = this.field;
    const large = (type.kind === 'list' || type.kind === 'list-view') && type.large;
    const offsets = this.#offsets.subarray(0, this.length + 1);
    if (type.kind !== 'list-view') return [large ? wideOffsets(offsets, offsets.length) : bytesOf(offsets)];
    const starts = offsets.subarray(0, this.length);
    const sizes = Int32Array.from(starts, (start, row) => (offsets[row + 1] as number) - start);
    return [starts, sizes].map((words) => (large ? wideOffsets(words, words.length) : bytesOf(words)));
  }
}

/** Lists that all have the same length. */
export class ArrayColumn extends ColumnEncoder {
  readonly #child: ColumnEncoder;
  readonly #size: number;
  #last: { readonly selection: Selection; readonly elements: Selection } | null = null;

  constructor(field: Field, child: ColumnEncoder, size: number) {
    super(field, [child]);
    this.#child = child;
    this.#size = size;
  }

  override weigh(selection: Selection): number {
    return this.#child.weigh(this.#elements(selection));
  }

  protected override loadValues(vector: Vector, count: number): void {
    this.#last = null;
    this.#child.load(count === 0 ? vector : duckdb.array_vector_get_child(vector), count * this.#size);
  }

  protected override appendValues(selection: Selection): void {
    this.#child.append(this.#elements(selection));
  }

  #elements(selection: Selection): Selection {
    if (this.#last?.selection !== selection)
      this.#last = { selection, elements: arrayElements(selection, this.#size) };
    return this.#last.elements;
  }

  protected override clearValues(): void {}

  protected override buffers(): readonly Uint8Array[] {
    return [];
  }
}

export class StructColumn extends ColumnEncoder {
  override weigh(selection: Selection): number {
    let total = 0;
    for (const child of this.children) total += child.weigh(selection);
    return total;
  }

  protected override loadValues(vector: Vector, count: number): void {
    for (const [index, child] of this.children.entries())
      child.load(count === 0 ? vector : duckdb.struct_vector_get_child(vector, index), count);
  }

  protected override appendValues(selection: Selection): void {
    for (const child of this.children) child.append(selection);
  }

  protected override clearValues(): void {}

  protected override buffers(): readonly Uint8Array[] {
    return [];
  }
}

/** A union is, for the engine, a struct of a tag and all members; and so is Arrow's sparse union. */
export class UnionColumn extends ColumnEncoder {
  readonly #tags = new GrowingBytes(1024);
  #source: Uint8Array = new Uint8Array(0);

  override weigh(selection: Selection): number {
    let total = selection.count;
    for (const child of this.children) total += child.weigh(selection);
    return total;
  }

  protected override loadValues(vector: Vector, count: number): void {
    this.#source =
      count === 0
        ? new Uint8Array(0)
        : duckdb.vector_get_data(duckdb.struct_vector_get_child(vector, 0), count);
    for (const [index, child] of this.children.entries())
      child.load(count === 0 ? vector : duckdb.struct_vector_get_child(vector, index + 1), count);
  }

  protected override appendValues(selection: Selection): void {
    const { from, count, index } = selection;
    const start = this.#tags.extend(count);
    const target = this.#tags.bytes;
    const validity = this.loaded;
    for (let place = 0; place < count; place++) {
      const row = index === null ? from + place : (index[place] as number);
      const valid = validity === null || (((validity[row >> 3] as number) >> (row & 7)) & 1) === 1;
      // If the union is null, so are all its members: the first is used.
      target[start + place] = valid ? (this.#source[row] as number) : 0;
    }
    for (const child of this.children) child.append(selection);
  }

  protected override clearValues(): void {
    this.#tags.clear();
  }

  /** Arrow's unions have no nulls of their own. */
  protected override array(): ArrayData {
    return super.array(null, 0);
  }

  protected override buffers(): readonly Uint8Array[] {
    return [this.#tags.written];
  }
}

function bytesOf(words: Int32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}
