import type { ArrayData } from '../../src/arrow/arrays/array-data.ts';
import type { CellStyle } from '../../src/encode/cells/cell-style.ts';
import { cellWriter } from '../../src/encode/cells/cell-writers.ts';
import { TextBuffer } from '../../src/encode/cells/text-buffer.ts';

/** The texts of rows [from, to) of a column, each in a buffer that has no more room than was asked for. */
export function cellTexts(data: ArrayData, from: number, to: number, style: CellStyle): string[] {
  const writer = cellWriter(data, style);
  return Array.from({ length: to - from }, (_, index) => {
    const out = new TextBuffer(0);
    writer.reservedCell(out, from + index);
    return Buffer.from(out.take()).toString('utf8');
  });
}
