import type { ColumnBuilder } from './cells/column-builder.ts';

/** Rows and bytes at which a batch is written: readers take batches whole. */
const rowsMax = 65_536;
const bytesMax = 4 * 1024 * 1024;

export function batchIsFull(rows: number, builders: readonly ColumnBuilder[]): boolean {
  return rows >= rowsMax || builders.reduce((sum, builder) => sum + builder.bytes, 0) >= bytesMax;
}
