import type { Column } from '../model/version.ts';
import type { RenderOptions } from '../ports/renderer.ts';
import type { RowBatch } from './rows/row-batch.ts';

/** Everything that the renderer and the listeners need to know about a format of rows. */
export interface OutputFormat {
  /** The value of `Content-Type`. */
  readonly mediaType: string;
  /** Further types in `Accept` that mean this format. */
  readonly otherTypes?: readonly string[];
  readonly fileExtension: string;
  /** Whether browsers show an answer or save it as a file. */
  readonly disposition: 'inline' | 'attachment';
  readonly isText: boolean;
  /** Whether a content coding makes answers smaller. */
  readonly isCompressible: boolean;
  /** `own`: no other answer is made in the same thread, because a trap in the Parquet library ends it. */
  readonly thread: 'shared' | 'own';
  /** The form of a part that an answer is made from fastest. Default: Arrow. */
  readonly form?: 'parquet';
  /** Makes the bytes of an answer, in a worker. null: an answer is IPC messages, which pass through unless some rows or columns are left out. */
  readonly encode: ((rows: RowsToEncode) => AsyncIterable<Uint8Array<ArrayBuffer>>) | null;
}

interface RowsToEncode {
  readonly options: RenderOptions;
  readonly columns: readonly Column[];
  readonly schemaMessage: Uint8Array;
  readonly batches: AsyncIterable<RowBatch>;
}
