/**
 * Cells as text for a clipboard: tabs between cells, a line for each row. As in the server's CSV, a null is an empty field and an empty
 * text is `""`; a text with a tab, a line break or a quotation mark is quoted, so that spreadsheets read it back as it is.
 */
export function tabSeparated(rows: Iterable<readonly (string | null)[]>): string {
  const lines: string[] = [];
  for (const cells of rows) lines.push(cells.map(field).join('\t'));
  return lines.join('\n');
}

function field(text: string | null): string {
  if (text === null) return '';
  return text === '' || /["\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** More belongs into a download: a clipboard of hundreds of megabytes stops the programs that it is pasted into. */
export const copiedCellsMax = 1_000_000;
