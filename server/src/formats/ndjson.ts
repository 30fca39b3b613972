import type { Column } from '../frames/version.ts';
import { jsonStyle } from './cells/cell-style.ts';
import { rowTexts, type TextFormat } from './row-texts.ts';

/** One object a row. Nulls are written out, and a column name that occurs twice is written twice. */
export function ndjsonFormat(columns: readonly Column[], quoteLargeNumbers: boolean): TextFormat {
  const style = jsonStyle('', quoteLargeNumbers);
  const keys = columns.map(({ name }) => `${JSON.stringify(name)}:`);
  const syntax = { open: `{${keys[0] ?? ''}`, between: keys.map((key) => `,${key}`), close: '}\n' };
  return {
    begin: () => '',
    rows: (data, from, to) => rowTexts(data, from, to, style, syntax),
    end: () => '',
  };
}
