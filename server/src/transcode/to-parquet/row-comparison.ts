import type { ArrayData, BatchData } from '../../arrow/arrays/array-data.ts';
import { sameRows } from '../compare-arrays.ts';

/** Compares two sequences of batches row by row, wherever each of them is cut. */
export class RowComparison {
  readonly #columns: readonly number[];
  readonly #expected: BatchData[] = [];
  /** Rows of the first expected batch that have been compared. */
  #done = 0;

  /** Indices of the columns to compare; of the others only the number of rows counts. */
  constructor(columns: readonly number[]) {
    this.#columns = columns;
  }

  expect(batch: BatchData): void {
    if (batch.length > 0) this.#expected.push(batch);
  }

  /** The name of a column that differs, or a text about rows; null if the batch is what was expected next. */
  compare(batch: BatchData): string | null {
    for (let row = 0; row < batch.length; ) {
      const expected = this.#expected[0];
      if (expected === undefined) return 'more rows came back than were written';
      const length = Math.min(expected.length - this.#done, batch.length - row);
      for (const column of this.#columns) {
        const a = expected.columns[column] as ArrayData;
        const b = batch.columns[column] as ArrayData;
        if (!sameRows(a, this.#done, b, row, length)) return `column ${JSON.stringify(a.field.name)} differs`;
      }
      row += length;
      this.#done += length;
      if (this.#done === expected.length) {
        this.#expected.shift();
        this.#done = 0;
      }
    }
    return null;
  }

  /** null if everything expected has come. */
  end(): string | null {
    return this.#expected.length === 0 ? null : 'fewer rows came back than were written';
  }
}
