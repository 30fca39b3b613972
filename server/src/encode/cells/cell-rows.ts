import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import { isValid } from '../../arrow/arrays/layout.ts';
import type { CellStyle } from './cell-style.ts';
import type { CellWriter } from './cell-writer.ts';
import { cellWriter } from './cell-writers.ts';
import type { TextBuffer } from './text-buffer.ts';

export interface RowSyntax {
  /** Before the first cell. */
  readonly open: Uint8Array;
  /** Before each further cell, by column; the first entry is not used. */
  readonly between: readonly Uint8Array[];
  /** After the last cell. */
  readonly close: Uint8Array;
}

/** A null is no longer than this. */
const nullBytesMax = 4;

/** Writes rows of the columns of one batch, cell by cell. */
export class CellRows {
  readonly #writers: readonly CellWriter[];
  readonly #validities: readonly (Uint8Array | null)[];
  readonly #nullTexts: readonly Uint8Array[];
  readonly #syntax: RowSyntax;
  /** What a row takes without asking. */
  readonly #slack: number;

  constructor(columns: readonly ArrayData[], style: CellStyle, syntax: RowSyntax) {
    this.#writers = columns.map((column) => cellWriter(column, style));
    this.#validities = this.#writers.map(({ validity }) => validity);
    this.#nullTexts = this.#writers.map(({ nullText }) => nullText);
    this.#syntax = syntax;
    const cells = this.#writers.map(
      ({ bytesMax }, index) => Math.max(bytesMax, nullBytesMax) + (syntax.between[index]?.length ?? 0),
    );
    this.#slack = cells.reduce((sum, each) => sum + each, syntax.open.length + syntax.close.length);
  }

  /**
   * Rows [from, to), or as many of them as fill the buffer. Returns the first that was not written. `open` is what the first row has in place
   * of the syntax's own, if it is the first of all.
   */
  write(out: TextBuffer, from: number, to: number, open: Uint8Array = this.#syntax.open): number {
    out.slack = this.#slack;
    let before = open;
    for (let row = from; row < to; row++) {
      out.reserve(0);
      out.put(before);
      before = this.#syntax.open;
      this.#putCells(out, row);
      out.put(this.#syntax.close);
      if (out.isFull) return row + 1;
    }
    return to;
  }

  #putCells(out: TextBuffer, row: number): void {
    const writers = this.#writers;
    const validities = this.#validities;
    const { between } = this.#syntax;
    for (let column = 0; column < writers.length; column++) {
      if (column > 0) out.put(between[column] as Uint8Array);
      if (isValid(validities[column] as Uint8Array | null, row))
        (writers[column] as CellWriter).write(out, row);
      else out.put(this.#nullTexts[column] as Uint8Array);
    }
  }
}
