import { safeText } from './safe-text.ts';
import { cutToWidth, padToWidth, textWidth } from './text-width.ts';

export interface TableColumn {
  readonly title: string;
  /** Numbers: their digits line up. */
  readonly isRight?: boolean;
}

export interface TableContent {
  readonly columns: readonly TableColumn[];
  readonly rowCount: number;
  /** Asked only for cells that are shown. */
  readonly cell: (row: number, column: number) => string | null;
}

/** Of a cell on a terminal: a longer one is cut even if there is room, so that one long text does not push the rest away. */
const cellWidthMax = 60;
/** A column is not made smaller than this; columns that do not fit are left out. */
const cellWidthMin = 6;
/** What is far behind the end of the line is not looked at. */
const cellCharactersMax = 4_096;
const gap = '  ';
/** Of a null: different from an empty text. */
const nullText = '∅';

/** Lines with aligned columns that fit into a width. `hiddenColumns` of those on the right do not. */
export function terminalTable(
  { columns, rowCount, cell }: TableContent,
  width: number,
): { readonly text: string; readonly hiddenColumns: number } {
  const shownMax = Math.max(1, Math.floor((width + gap.length) / (1 + gap.length)));
  const candidates = columns.slice(0, Math.min(columns.length, shownMax));
  const titles = candidates.map(({ title }) => shown(title, width));
  const cells = Array.from({ length: rowCount }, (_, row) =>
    candidates.map((_column, column) => {
      const text = cell(row, column);
      return text === null ? nullText : shown(text, width);
    }),
  );
  const natural = titles.map((title, column) =>
    cells.reduce((widest, row) => Math.max(widest, textWidth(row[column] ?? '')), textWidth(title)),
  );
  const widths = fittedWidths(natural, width);
  const line = (texts: readonly string[]) =>
    widths
      .map((each, column) =>
        padToWidth(cutToWidth(texts[column] ?? '', each), each, columns[column]?.isRight === true),
      )
      .join(gap)
      .trimEnd();
  const lines = [line(titles), widths.map((each) => '─'.repeat(each)).join(gap), ...cells.map(line)];
  return { text: `${lines.join('\n')}\n`, hiddenColumns: columns.length - widths.length };
}

/** The same for rows that are there already. */
export function tableOfRows(
  columns: readonly TableColumn[],
  rows: readonly (readonly (string | null)[])[],
  width: number,
): string {
  const cell = (row: number, column: number) => rows[row]?.[column] ?? null;
  return terminalTable({ columns, rowCount: rows.length, cell }, width).text;
}

function shown(cell: string, width: number): string {
  if (!Number.isFinite(width)) return safeText(cell);
  const beginning = cell.length > cellCharactersMax ? `${cell.slice(0, cellCharactersMax)}…` : cell;
  return cutToWidth(safeText(beginning), cellWidthMax);
}

/** The widest columns become smaller until all fit; columns that do not fit even then are left out from the right. */
function fittedWidths(natural: readonly number[], width: number): number[] {
  const totalAt = (cap: number, count: number) =>
    natural.slice(0, count).reduce((sum, each) => sum + Math.min(each, cap) + gap.length, -gap.length);
  let count = natural.length;
  while (count > 1 && totalAt(cellWidthMin, count) > width) count--;
  let cap = Math.max(cellWidthMin, ...natural.slice(0, count));
  while (cap > 1 && totalAt(cap, count) > width) cap--;
  return natural.slice(0, count).map((each) => Math.min(each, cap));
}
