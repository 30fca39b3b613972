import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import { bitmapBytes } from '../../arrow/arrays/layout.ts';
import type { Field } from '../../arrow/field.ts';
import type { Cell } from './cell-parser.ts';
import type { CellBuilder } from './column-builder.ts';
import { Validity } from './validity.ts';

/** Rows of true and false. */
export class BooleanBuilder implements CellBuilder {
  readonly field: Field;
  readonly #validity = new Validity();
  /** Cleared: false. */
  readonly #values = new Validity();
  #rows = 0;

  constructor(field: Field) {
    this.field = field;
  }

  get bytes(): number {
    return this.#rows >> 2;
  }

  append(value: Cell): void {
    if (value !== true && value !== 1) this.#values.clear(this.#rows);
    this.#rows++;
  }

  appendNull(): void {
    this.#values.clear(this.#rows);
    this.#validity.clear(this.#rows++);
  }

  take(): ArrayData {
    const { length, validity: bits } = this.#values.take(this.#rows);
    const buffers = [bits ?? new Uint8Array(bitmapBytes(length)).fill(255)];
    const validity = this.#validity.take(this.#rows);
    this.#rows = 0;
    return { field: this.field, ...validity, buffers, children: [], dictionary: null };
  }
}
