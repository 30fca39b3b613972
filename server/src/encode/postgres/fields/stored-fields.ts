import type { ArrayData } from '../../../arrow/arrays/array-data.ts';
import { indicesOf } from '../../../arrow/arrays/dictionary-indices.ts';
import { runAt, runEndsOf } from '../../../arrow/arrays/run-ends.ts';
import type { TextBuffer } from '../../cells/text-buffer.ts';
import { FieldWriter } from './field-writer.ts';

/** Ways to store a value. A value may be null though its place is not. */

export class DictionaryField extends FieldWriter {
  readonly bytesMax: number;
  readonly #codes: ReturnType<typeof indicesOf>;
  readonly #values: FieldWriter;

  constructor(data: ArrayData, values: FieldWriter) {
    super(data);
    this.#codes = indicesOf(data);
    this.#values = values;
    this.bytesMax = values.bytesMax;
  }

  write(out: TextBuffer, row: number): void {
    this.#values.write(out, this.#codes[row] as number);
  }

  override isNull(row: number): boolean {
    return super.isNull(row) || this.#values.isNull(this.#codes[row] as number);
  }
}

export class RunField extends FieldWriter {
  readonly bytesMax: number;
  readonly #ends: ReturnType<typeof runEndsOf>;
  readonly #values: FieldWriter;
  #run = 0;

  constructor(data: ArrayData, values: FieldWriter) {
    super(data);
    this.#ends = runEndsOf(data);
    this.#values = values;
    this.bytesMax = values.bytesMax;
  }

  write(out: TextBuffer, row: number): void {
    this.#values.write(out, this.#runOf(row));
  }

  override isNull(row: number): boolean {
    return this.#values.isNull(this.#runOf(row));
  }

  /** Rows mostly come one after the other. */
  #runOf(row: number): number {
    const ends = this.#ends;
    const run = this.#run;
    const isHere = row < (ends[run] as number) && (run === 0 || row >= (ends[run - 1] as number));
    if (!isHere) this.#run = runAt(ends, row);
    return this.#run;
  }
}
