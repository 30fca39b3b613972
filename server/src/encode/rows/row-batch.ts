import type { BatchData } from '../../arrow/arrays/array-data.ts';

/** The chosen columns of a batch, and which of its rows are wanted. */
export interface RowBatch {
  readonly batch: BatchData;
  readonly from: number;
  readonly to: number;
}
