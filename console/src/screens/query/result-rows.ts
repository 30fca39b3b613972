import type { ColumnType, RowBatch } from '@framehold/client';
import { type ReadonlySignal, signal, batch as together } from '@preact/signals';
import type { GridColumn, RowSource, Window } from '../../grid/row-source.ts';

/** Rows that are shown of a result. A grid of more would hold no more answers; the rest can be stored as a frame or downloaded. */
export const resultRowsMax = 100_000;
/** Of Arrow data that a result keeps in the page's memory, for rows that are unusually large. */
const resultBytesMax = 256 * 1024 * 1024;

/** The rows of a statement, in the order in which they arrive. */
export class ResultRows implements RowSource {
  readonly columns: ReadonlySignal<readonly GridColumn[]>;
  readonly #rowCount = signal(0);
  readonly #isComplete = signal(false);
  readonly #batches: RowBatch[] = [];
  /** The first row of each batch. */
  readonly #starts: number[] = [];
  #bytes = 0;

  constructor(columns: readonly ColumnType[]) {
    this.columns = signal(columns);
  }

  get rowCount(): ReadonlySignal<number> {
    return this.#rowCount;
  }

  get isComplete(): ReadonlySignal<boolean> {
    return this.#isComplete;
  }

  get batches(): readonly RowBatch[] {
    return this.#batches;
  }

  /** Whether there is room for more. */
  get hasRoom(): boolean {
    return this.#bytes < resultBytesMax;
  }

  add(batch: RowBatch): void {
    this.#starts.push(this.#rowCount.peek());
    this.#batches.push(batch);
    for (const column of batch.columns) for (const each of column.data) this.#bytes += bytesOf(each);
    this.#rowCount.value += batch.rowCount;
  }

  finish(): void {
    this.#isComplete.value = true;
  }

  /** The exact text of a cell; null for a null. */
  text(row: number, column: number): string | null {
    const at = this.#batchOf(row);
    return (this.#batches[at] as RowBatch).text(row - (this.#starts[at] as number), column);
  }

  async window(first: number, count: number): Promise<Window> {
    return { first, count, text: (row, column) => this.text(row, column) };
  }

  forget(): void {
    together(() => {
      this.#batches.length = 0;
      this.#starts.length = 0;
      this.#rowCount.value = 0;
    });
  }

  #batchOf(row: number): number {
    if (row < 0 || row >= this.#rowCount.peek()) throw new RangeError(`There is no row ${row}.`);
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] as number) <= row) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

interface Arrays {
  readonly values?: unknown;
  readonly offsets?: unknown;
  readonly children?: readonly unknown[];
}

function bytesOf(array: unknown): number {
  const { values, offsets, children = [] } = array as Arrays;
  let bytes = 0;
  for (const each of [values, offsets]) if (ArrayBuffer.isView(each)) bytes += each.byteLength;
  for (const child of children) bytes += bytesOf(child);
  return bytes;
}
