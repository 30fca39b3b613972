import type { Column } from '../model/version.ts';
import type { RowShape } from '../ports/renderer.ts';
import type { RowBatch } from './rows/row-batch.ts';

/** How rows become bytes, for callers or for a listener: in a worker, or on the main thread if they are few. It keeps nothing between answers. */
export interface RowWriter<Options extends RowShape = RowShape> {
  /**
   * Values are written one by one, as text or as a protocol has them: the schema says which of them are wide integers, and small results need no
   * worker. Otherwise columns are written as they are.
   */
  readonly isByValue: boolean;
  /** `own`: no other answer is made in the same thread, because a trap in the Parquet library ends it. */
  readonly thread: 'shared' | 'own';
  /** The form of a part that an answer is made from fastest. Default: Arrow. */
  readonly form?: 'parquet';
  /**
   * The bytes of an answer, in chunks that own their memory. Of a stream they arrive one by one, so that a listener may rely on where one ends.
   * Absent: an answer is IPC messages, which pass through unless some rows or columns are left out.
   */
  write?(rows: RowsToWrite<Options>): AsyncIterable<Uint8Array<ArrayBuffer>>;
}

interface RowsToWrite<Options> {
  readonly options: Options;
  readonly columns: readonly Column[];
  readonly schemaMessage: Uint8Array;
  /** No more of them are read than the writer takes. */
  readonly batches: AsyncIterable<RowBatch>;
}
