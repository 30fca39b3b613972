import type { Buffer } from 'node:buffer';

/** Whole rows, cut into cells: that of row r and column c is at `r * width + c`. Valid until the next scan. */
export interface CellBlock {
  /** UTF-8. */
  readonly bytes: Buffer;
  readonly width: number;
  readonly rows: number;
  readonly starts: Int32Array;
  /** -1: the cell is null. */
  readonly ends: Int32Array;
}
