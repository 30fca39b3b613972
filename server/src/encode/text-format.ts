import type { ArrayData } from '../arrow/arrays/array-data.ts';
import type { TextBuffer } from './cells/text-buffer.ts';

/** A format that is written row after row. */
export interface TextFormat {
  begin(): string | Uint8Array;
  /** For the columns of a batch. */
  rows(columns: readonly ArrayData[]): TextRows;
  /** No more rows are wanted. Default: all are. */
  isOver?(): boolean;
  end(): string | Uint8Array;
}

export interface TextRows {
  /**
   * Rows [from, to), or as many of them as fill the buffer or belong into a chunk together: a chunk ends after fewer rows. Returns the first that was
   * not written.
   */
  write(out: TextBuffer, from: number, to: number): number;
}
