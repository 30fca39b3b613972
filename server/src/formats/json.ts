import type { ArrayData } from '../arrow/arrays/array-data.ts';
import type { Column } from '../frames/version.ts';
import { jsonStyle } from './cells/cell-style.ts';
import type { OutputFormat } from './output-format.ts';
import { renderText } from './render-text.ts';
import { rowTexts, type TextFormat } from './row-texts.ts';

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

/** `{"query":…,"columns":[…],"dataset":[[…],…],"count":N}`, the shape of `/exec`. */
export function jsonFormat(
  query: string,
  columns: readonly Column[],
  quoteLargeNumbers: boolean,
): TextFormat {
  const style = jsonStyle('exec', quoteLargeNumbers);
  const between = columns.map(() => ',');
  let count = 0;
  return {
    begin: () =>
      `{"query":${JSON.stringify(query)},"columns":[${columns.map(columnText).join(',')}],"dataset":[`,
    rows: (data: readonly ArrayData[], from: number, to: number) => {
      const text = rowTexts(data, from, to, style, { open: ',[', between, close: ']' });
      const first = count === 0;
      count += to - from;
      return first ? text.slice(1) : text;
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
