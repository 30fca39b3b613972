import type { WriterOptions } from '../../ports/renderer.ts';
import { renderText } from '../render-text.ts';
import type { RowWriter } from '../row-writer.ts';
import type { TextFormat } from '../text-format.ts';
import { BinaryRows } from './binary-rows.ts';
import { type FieldFormat, FieldStyle, fieldWriter } from './fields/field-writers.ts';

export interface DataRowOptions extends WriterOptions {
  readonly writer: 'postgres';
  /** One a column: 0 is text, 1 binary. */
  readonly formats: readonly FieldFormat[];
  /** Of the session: instants are written in it as text. */
  readonly timeZone: string;
}

const letterD = 68;

/** Whole `DataRow` messages; a chunk never ends inside one. */
export const dataRows = {
  isByValue: true,
  thread: 'shared',
  write: ({ options, batches }) => renderText(dataRowFormat(options), batches),
} satisfies RowWriter<DataRowOptions>;

function dataRowFormat({ formats, timeZone }: DataRowOptions): TextFormat {
  const style = new FieldStyle(timeZone);
  return {
    begin: () => '',
    rows: (data) =>
      new BinaryRows(
        letterD,
        data.map((column, index) => fieldWriter(column, formats[index] ?? 0, style)),
      ),
    end: () => '',
  };
}
