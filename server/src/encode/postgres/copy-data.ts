import type { Column } from '../../model/version.ts';
import { renderText } from '../render-text.ts';
import type { RowWriter } from '../row-writer.ts';
import type { TextFormat } from '../text-format.ts';
import { BinaryRows } from './binary-rows.ts';
import { type CopyOptions, CopyRows, type CopySyntax, copySyntax, headerRow } from './copy-rows.ts';
import { FieldStyle, fieldWriter } from './fields/field-writers.ts';

const letterD = 100;
/** `PGCOPY`, the bytes that show a broken transfer, no flags, no extension. */
const copyHead = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
/** A count of fields of -1. */
const copyTrailer = Buffer.from([0xff, 0xff]);

/** Whole `CopyData` messages, one for each row; a chunk never ends inside one. */
export const copyData = {
  isByValue: true,
  thread: 'shared',
  write: ({ options, columns, batches }) =>
    renderText(options.format === 'binary' ? binaryFormat(options) : lineFormat(options, columns), batches),
} satisfies RowWriter<CopyOptions>;

/** The head is in the message of the first row, as in PostgreSQL. */
function binaryFormat({ timeZone }: CopyOptions): TextFormat {
  const style = new FieldStyle(timeZone);
  let head: Uint8Array = copyHead;
  return {
    begin: () => '',
    rows: (data) => {
      const rows = new BinaryRows(
        letterD,
        data.map((column) => fieldWriter(column, 1, style)),
      );
      return {
        write: (out, from, to) => {
          const next = rows.write(out, from, to, head);
          if (next > from) head = new Uint8Array(0);
          return next;
        },
      };
    },
    end: () => message(Buffer.concat([head, copyTrailer])),
  };
}

function lineFormat(options: CopyOptions, given: readonly Column[]): TextFormat {
  const columns = given.map((column, index) => ({ ...column, name: options.names?.[index] ?? column.name }));
  const style = new FieldStyle(options.timeZone);
  const syntax: CopySyntax = copySyntax(options, columns);
  return {
    begin: () => (options.header ? message(headerRow(syntax, columns)) : ''),
    rows: (data) =>
      new CopyRows(
        syntax,
        data.map((column) => fieldWriter(column, 0, style)),
      ),
    end: () => '',
  };
}

function message(bytes: Uint8Array): Uint8Array {
  const head = Buffer.alloc(5);
  head[0] = letterD;
  head.writeInt32BE(bytes.length + 4, 1);
  return Buffer.concat([head, bytes]);
}
