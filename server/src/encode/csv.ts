import type { Column } from '../model/version.ts';
import { CellRows, type RowSyntax } from './cells/cell-rows.ts';
import { csvStyle } from './cells/cell-style.ts';
import { csvText } from './cells/strings.ts';
import type { OutputFormat } from './output-format.ts';
import { renderText } from './render-text.ts';
import type { TextFormat } from './text-format.ts';

export const csv: OutputFormat = {
  mediaType: 'text/csv; charset=utf-8',
  fileExtension: 'csv',
  disposition: 'attachment',
  isCompressible: true,
  isByValue: true,
  thread: 'shared',
  write: ({ columns, batches }) => renderText(csvFormat(columns), batches),
};

const comma = new TextEncoder().encode(',');
const lineEnd = new TextEncoder().encode('\r\n');

/**
 * RFC 4180: a header row, lines that end with CR LF, quotes where needed. Null is nothing, the empty string is `""`; lists, structs, maps and
 * unions are JSON text.
 */
export function csvFormat(columns: readonly Column[]): TextFormat {
  const style = csvStyle();
  const syntax: RowSyntax = {
    open: new Uint8Array(0),
    between: columns.map(() => comma),
    close: lineEnd,
  };
  return {
    begin: () => `${columns.map(({ name }) => csvText(name)).join(',')}\r\n`,
    rows: (data) => new CellRows(data, style, syntax),
    end: () => '',
  };
}
