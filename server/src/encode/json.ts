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
  isCompressible: true,
  isByValue: true,
  thread: 'shared',
  write: ({ options, columns, batches }) =>
    renderText(jsonFormat(options.query, columns, options.quoteLargeNumbers), batches),
};

const encoder = new TextEncoder();
/** A row is an array in an array; this begins the first of all. */
export const firstRow = encoder.encode('[');
const nextRow = encoder.encode(',[');
const comma = encoder.encode(',');
const rowEnd = encoder.encode(']');

export function jsonRowSyntax(columns: readonly Column[]): RowSyntax {
  return { open: nextRow, between: columns.map(() => comma), close: rowEnd };
}

/** `{"query":…,"columns":[…],"dataset":[[…],…],"count":N}`, the shape of `/exec`. */
export function jsonFormat(
  query: string,
  columns: readonly Column[],
  quoteLargeNumbers: boolean,
): TextFormat {
  const style = jsonStyle('exec', quoteLargeNumbers);
  const syntax = jsonRowSyntax(columns);
  let count = 0;
  return {
    begin: () =>
      `{"query":${JSON.stringify(query)},"columns":[${columns.map(columnText).join(',')}],"dataset":[`,
    rows: (data) => {
      const rows = new CellRows(data, style, syntax);
      return {
        write: (out, from, to) => {
          const end = rows.write(out, from, to, count === 0 ? firstRow : syntax.open);
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
