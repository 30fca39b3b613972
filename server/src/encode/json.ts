import type { Column } from '../model/version.ts';
import { CellRows, type RowSyntax } from './cells/cell-rows.ts';
import { jsonStyle } from './cells/cell-style.ts';
import type { OutputFormat } from './output-format.ts';
import { renderText } from './render-text.ts';
import type { TextFormat } from './text-format.ts';

export const json: OutputFormat = {
  mediaType: 'application/json; charset=utf-8',
  fileExtension: 'json',
  disposition: 'inline',
  isText: true,
  isCompressible: true,
  thread: 'shared',
  encode: ({ options, columns, batches }) =>
    renderText(jsonFormat(options.query, columns, options.quoteLargeNumbers), batches),
};

const encoder = new TextEncoder();
const firstRow = encoder.encode('[');
const nextRow = encoder.encode(',[');
const comma = encoder.encode(',');
const rowEnd = encoder.encode(']');

/** `{"query":…,"columns":[…],"dataset":[[…],…],"count":N}`, the shape of `/exec`. */
export function jsonFormat(
  query: string,
  columns: readonly Column[],
  quoteLargeNumbers: boolean,
): TextFormat {
  const style = jsonStyle('exec', quoteLargeNumbers);
  const syntax: RowSyntax = { open: nextRow, between: columns.map(() => comma), close: rowEnd };
  let count = 0;
  return {
    begin: () =>
      `{"query":${JSON.stringify(query)},"columns":[${columns.map(columnText).join(',')}],"dataset":[`,
    rows: (data) => {
      const rows = new CellRows(data, style, syntax);
      return {
        write: (out, from, to) => {
          const end = rows.write(out, from, to, count === 0 ? firstRow : nextRow);
          count += end - from;
          return end;
        },
      };
    },
    end: () => `],"count":${count}}`,
  };
}

function columnText({ name, type, dim, elemType }: Column): string {
  return JSON.stringify({
    name,
    type,
    ...(dim === undefined ? {} : { dim }),
    ...(elemType === undefined ? {} : { elemType }),
  });
}
