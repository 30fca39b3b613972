import type { Rows } from '../../../client/src/index.ts';
import { cellText } from '../../../client/src/index.ts';
import { countText, rowsText } from './readable-numbers.ts';
import type { StandardOutput } from './standard-output.ts';
import { type TableColumn, terminalTable } from './terminal-table.ts';

const numberType = /^(U?(BYTE|SHORT|INT|LONG)|FLOAT|DOUBLE|DECIMAL\b.*)$/;

/** Rows as a table, with the exact text of every cell. They have to be few: a table knows its widths only when it has seen them all. */
export async function printRows(output: StandardOutput, rows: Rows): Promise<void> {
  const columns: TableColumn[] = rows.columns.map(({ name, type }) => ({
    title: name,
    isRight: numberType.test(type),
  }));
  const table = await rows.table();
  const cell = (row: number, column: number) => {
    const found = table.children[column];
    return found === undefined ? null : cellText(found, row);
  };
  const { text, hiddenColumns } = terminalTable({ columns, rowCount: table.numRows, cell }, output.width);
  await output.write(text);
  await output.line(`(${footer(table.numRows, rows, hiddenColumns)})`);
}

function footer(count: number, rows: Rows, hiddenColumns: number): string {
  const total = rows.rowsTotal;
  const shown =
    total !== undefined && total > count
      ? `${countText(count)} of ${rowsText(total)}`
      : rows.cut
        ? `the first ${rowsText(count)}; --limit shows more`
        : rowsText(count);
  return hiddenColumns === 0 ? shown : `${shown}; ${hiddenColumns} more columns do not fit`;
}
