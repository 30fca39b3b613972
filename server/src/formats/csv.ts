import type { Column } from '../frames/version.ts';
import { csvStyle } from './cells/cell-style.ts';
import { csvText } from './cells/strings.ts';
import type { OutputFormat } from './output-format.ts';
import { renderText } from './render-text.ts';
import { rowTexts, type TextFormat } from './row-texts.ts';

export const csv: OutputFormat = {
  mediaType: 'text/csv; charset=utf-8',
  fileExtension: 'csv',
  disposition: 'attachment',
  isText: true,
  isCompressible: true,
  thread: 'shared',
  encode: ({ columns, batches }) => renderText(csvFormat(columns), batches),
};

/**
 * RFC 4180: a header row, lines that end with CR LF, quotes where needed. Null is nothing, the empty string is `""`; lists, structs, maps and
 * unions are JSON text.
 */
export function csvFormat(columns: readonly Column[]): TextFormat {
  const style = csvStyle();
  const syntax = { open: '', between: columns.map(() => ','), close: '\r\n' };
  return {
    begin: () => `${columns.map(({ name }) => csvText(name)).join(',')}\r\n`,
    rows: (data, from, to) => rowTexts(data, from, to, style, syntax),
    end: () => '',
  };
}
