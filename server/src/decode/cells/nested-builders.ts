import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import type { Field } from '../../arrow/field.ts';
import type { ColumnBuilder } from './column-builder.ts';
import { columnBytes } from './column-bytes.ts';
import { Validity } from './validity.ts';

/** Rows that are lists of one kind of values. */
export class ListBuilder implements ColumnBuilder {
  readonly field: Field;
  readonly items: ColumnBuilder;
  readonly #validity = new Validity();
  readonly #offsets = columnBytes();
  #itemCount = 0;
  #rows = 0;

  constructor(field: Field, items: ColumnBuilder) {
    this.field = field;
    this.items = items;
    this.#offsets.appendInt32(0);
  }

  get bytes(): number {
    return this.#offsets.length + this.items.bytes;
  }

  /** The values have been appended to `items`. */
  append(itemCount: number): void {
    this.#itemCount += itemCount;
    this.#offsets.appendInt32(this.#itemCount);
    this.#rows++;
  }

  appendNull(): void {
    this.#offsets.appendInt32(this.#itemCount);
    this.#validity.clear(this.#rows++);
  }

  take(): ArrayData {
    const offsets = this.#offsets.taken();
    // Into the same memory: the first offset is always 0.
    this.#offsets.appendInt32(0);
    this.#itemCount = 0;
    const children = [this.items.take()];
    const validity = this.#validity.take(this.#rows);
    this.#rows = 0;
    return { field: this.field, ...validity, buffers: [offsets], children, dictionary: null };
  }
}

/** Rows that are structs. */
export class StructBuilder implements ColumnBuilder {
  readonly field: Field;
  readonly members: readonly ColumnBuilder[];
  readonly #validity = new Validity();
  #rows = 0;

  constructor(field: Field, members: readonly ColumnBuilder[]) {
    this.field = field;
    this.members = members;
  }

  get bytes(): number {
    return this.members.reduce((sum, member) => sum + member.bytes, 0);
  }

  /** Every member has got its value. */
  append(): void {
    this.#rows++;
  }

  appendNull(): void {
    for (const member of this.members) member.appendNull();
    this.#validity.clear(this.#rows++);
  }

  take(): ArrayData {
    const children = this.members.map((member) => member.take());
    const validity = this.#validity.take(this.#rows);
    this.#rows = 0;
    return { field: this.field, ...validity, buffers: [], children, dictionary: null };
  }
}
