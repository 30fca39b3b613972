import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import type { Field } from '../../arrow/field.ts';
import type { Cell } from './cell-parser.ts';

/** Rows and bytes at which a batch is written: readers take batches whole. */
const batchRowsMax = 65_536;
const batchBytesMax = 4 * 1024 * 1024;

/** Collects the rows of one column. */
export interface ColumnBuilder {
  readonly field: Field;
  /** About what the rows so far take. */
  readonly bytes: number;
  appendNull(): void;
  /** The rows so far, valid until the next one is appended: the builder begins anew, in the same memory. */
  take(): ArrayData;
}

export interface CellBuilder extends ColumnBuilder {
  append(value: Cell): void;
}

/** Whether the rows so far make a batch. */
export function batchIsFull(rows: number, builders: readonly ColumnBuilder[]): boolean {
  return rows >= batchRowsMax || builders.reduce((sum, builder) => sum + builder.bytes, 0) >= batchBytesMax;
}
