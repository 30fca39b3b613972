import type { Column } from '../model/version.ts';
import { CellRows, type RowSyntax } from './cells/cell-rows.ts';
import { jsonStyle } from './cells/cell-style.ts';
import { distinctNames } from './distinct-names.ts';
import type { OutputFormat } from './output-format.ts';
import { renderText } from './render-text.ts';
import type { TextFormat } from './text-format.ts';

export const ndjson: OutputFormat = {
  mediaType: 'application/x-ndjson; charset=utf-8',
  otherTypes: ['application/ndjson', 'application/jsonl'],
  fileExtension: 'ndjson',
  disposition: 'attachment',
  isCompressible: true,
  isByValue: true,
  thread: 'shared',
  write: ({ options, columns, batches }) =>
    renderText(ndjsonFormat(columns, options.quoteLargeNumbers), batches),
};

/** One object a row. Nulls are written out. No key is there twice, because readers would keep one of them. */
function ndjsonFormat(columns: readonly Column[], quoteLargeNumbers: boolean): TextFormat {
  const style = jsonStyle('exact', quoteLargeNumbers);
  const keys = distinctNames(columns.map(({ name }) => name)).map((name) => `${JSON.stringify(name)}:`);
  const encoder = new TextEncoder();
  const syntax: RowSyntax = {
    open: encoder.encode(`{${keys[0] ?? ''}`),
    between: keys.map((key) => encoder.encode(`,${key}`)),
    close: encoder.encode('}\n'),
  };
  return {
    begin: () => '',
    rows: (data) => new CellRows(data, style, syntax),
    end: () => '',
  };
}
