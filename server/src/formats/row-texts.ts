import type { ArrayData } from '../arrow/arrays/array-data.ts';
import type { CellStyle } from './cells/cell-style.ts';
import { cellTexts } from './cells/cell-texts.ts';

/** A format that is text, row after row. */
export interface TextFormat {
  begin(): string;
  /** Rows [from, to) of the columns. */
  rows(columns: readonly ArrayData[], from: number, to: number): string;
  end(): string;
}

export interface RowSyntax {
  /** Before the first cell. */
  readonly open: string;
  /** Before each further cell, by column; the first entry is not used. */
  readonly between: readonly string[];
  /** After the last cell. */
  readonly close: string;
}

/** Column by column into texts, then row by row into one text: three times as fast as cell by cell. */
export function rowTexts(
  columns: readonly ArrayData[],
  from: number,
  to: number,
  style: CellStyle,
  syntax: RowSyntax,
): string {
  const { open, between, close } = syntax;
  const cells = columns.map((column) => cellTexts(column, from, to, style));
  let text = '';
  for (let row = 0; row < to - from; row++) {
    text += open;
    for (let column = 0; column < cells.length; column++) {
      if (column > 0) text += between[column] as string;
      text += (cells[column] as string[])[row] as string;
    }
    text += close;
  }
  return text;
}
