import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import type { Field } from '../../arrow/field.ts';
import type { CellBlock } from './cell-block.ts';
import type { Cell } from './cell-parser.ts';
import type { CellBuilder } from './column-builder.ts';
import { columnBytes } from './column-bytes.ts';
import { Validity } from './validity.ts';

/** Rows of text. */
export class TextBuilder implements CellBuilder {
  readonly field: Field;
  readonly #validity = new Validity();
  readonly #offsets = columnBytes();
  readonly #text = columnBytes();
  #rows = 0;

  constructor(field: Field) {
    this.field = field;
    this.#offsets.appendInt32(0);
  }

  get bytes(): number {
    return this.#offsets.length + this.#text.length;
  }

  append(value: Cell): void {
    this.#text.appendText(String(value));
    this.#offsets.appendInt32(this.#text.length);
    this.#rows++;
  }

  appendNull(): void {
    this.#offsets.appendInt32(this.#text.length);
    this.#validity.clear(this.#rows++);
  }

  /** The texts of a column from this row on. */
  appendCells({ bytes, starts, ends, width, rows }: CellBlock, column: number, from: number): void {
    this.#offsets.reserve((rows - from) * 4);
    const offsets = new Int32Array(this.#offsets.bytes.buffer, 0, this.#offsets.bytes.length >> 2);
    let at = this.#rows;
    for (let row = from, cell = from * width + column; row < rows; row++, cell += width) {
      const end = ends[cell] as number;
      if (end < 0) this.#validity.clear(at);
      else this.#text.append(bytes, starts[cell] as number, end);
      offsets[++at] = this.#text.length;
    }
    this.#offsets.extend((at - this.#rows) * 4);
    this.#rows = at;
  }

  take(): ArrayData {
    const buffers = [this.#offsets.taken(), this.#text.taken()];
    // Into the same memory: the first offset is always 0.
    this.#offsets.appendInt32(0);
    const validity = this.#validity.take(this.#rows);
    this.#rows = 0;
    return { field: this.field, ...validity, buffers, children: [], dictionary: null };
  }
}
