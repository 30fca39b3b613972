import type { ColumnLayout } from './column-layout.ts';
import { copiedCellsMax, tabSeparated } from './copy-text.ts';
import type { RowSource } from './row-source.ts';
import type { Rectangle } from './selection.ts';

export type Copied =
  | { readonly kind: 'text'; readonly text: string; readonly cells: number }
  | { readonly kind: 'null' }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'too_many'; readonly cells: number };

/**
 * The exact texts of a selection, also of rows that are not loaded. A single cell is its text and nothing else; several are separated
 * by tabs.
 */
export async function copySelection(
  source: RowSource,
  layout: ColumnLayout,
  rectangle: Rectangle,
  withHeader: boolean,
  signal: AbortSignal,
): Promise<Copied> {
  const columns = layout.places
    .slice(rectangle.firstPlace, rectangle.lastPlace + 1)
    .map(({ column }) => column);
  const firstRow = Math.max(rectangle.firstRow, 0);
  const lastRow = Math.min(rectangle.lastRow, source.rowCount.peek() - 1);
  const cells = Math.max(lastRow - firstRow + 1, 0) * columns.length;
  if (cells > copiedCellsMax) return { kind: 'too_many', cells };
  const names = columns.map((column) => source.columns.peek()[column]?.name ?? '');
  const rows: (string | null)[][] = withHeader || rectangle.lastRow < 0 ? [names] : [];
  for (let first = firstRow; first <= lastRow; first += rowsAtOnce) {
    const count = Math.min(rowsAtOnce, lastRow - first + 1);
    const window = await source.window(first, count, columns, signal);
    // Part of a selection must not look like all of it.
    if (window.count < count)
      throw new Error('Not all of the selected rows could be read. Select them again.');
    for (let row = first; row < first + window.count; row++) {
      rows.push(columns.map((column) => window.text(row, column)));
    }
  }
  const [only] = rows;
  if (only === undefined) return { kind: 'nothing' };
  if (rows.length === 1 && only.length === 1) {
    return only[0] == null ? { kind: 'null' } : { kind: 'text', text: only[0], cells: 1 };
  }
  return { kind: 'text', text: tabSeparated(rows), cells: rows.length * columns.length };
}

/** A window of this many rows arrives quickly, and the reader can still go elsewhere. */
const rowsAtOnce = 10_000;
