import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import { runAt, runEndsOf } from '../../arrow/arrays/run-ends.ts';
import type { CellStyle } from './cell-style.ts';
import { CellWriter } from './cell-writer.ts';
import type { TextBuffer } from './text-buffer.ts';

/** A value for each run of rows. */
export class RunWriter extends CellWriter {
  readonly bytesMax = 0;
  readonly #ends: ReturnType<typeof runEndsOf>;
  readonly #values: CellWriter;
  #run = 0;

  constructor(data: ArrayData, values: CellWriter, style: CellStyle) {
    super(data, style);
    this.#ends = runEndsOf(data);
    this.#values = values;
  }

  write(out: TextBuffer, row: number): void {
    this.#values.reservedCell(out, this.#runOf(row));
  }

  /** Rows mostly come one after the other. */
  #runOf(row: number): number {
    const ends = this.#ends;
    const isHere = (run: number) =>
      row < (ends[run] as number) && (run === 0 || row >= (ends[run - 1] as number));
    if (!isHere(this.#run)) this.#run = isHere(this.#run + 1) ? this.#run + 1 : runAt(ends, row);
    return this.#run;
  }
}
