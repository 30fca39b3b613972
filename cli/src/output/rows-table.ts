import type { Rows } from '../../../client/src/index.ts';
import { cellText } from '../../../client/src/index.ts';
import { UsageError } from '../usage-error.ts';
import { countText, rowsText } from './readable-numbers.ts';
import type { StandardOutput } from './standard-output.ts';
import { type TableColumn, terminalTable } from './terminal-table.ts';

/** All rows of a table are in memory, and nobody reads more. */
const tableRowsMax = 100_000;

/** Refuses a table of more rows than can be shown. */
export function checkTableRows(rows: number | undefined): void {
  if (rows !== undefined && rows > tableRowsMax)
    throw new UsageError(
      `A table can have at most ${countText(tableRowsMax)} rows.`,
      'Give --format csv or ndjson for more.',
    );
}

/** Digits line up on the right. */
export function isNumberType(type: string): boolean {
  return /^(U?(BYTE|SHORT|INT|LONG)|FLOAT|DOUBLE|DECIMAL\b.*)$/.test(type);
}

/** Rows as a table, with the exact text of every cell. They have to be few: a table knows its widths only when it has seen them all. */
export async function printRows(output: StandardOutput, rows: Rows, total = rows.rowsTotal): Promise<void> {
  const columns: TableColumn[] = rows.columns.map(({ name, type }) => ({
    title: name,
    isRight: isNumberType(type),
  }));
  const table = await rows.table();
  const cell = (row: number, column: number) => {
    const found = table.children[column];
    return found === undefined ? null : cellText(found, row);
  };
  const { text, hiddenColumns } = terminalTable({ columns, rowCount: table.numRows, cell }, output.width);
  await output.write(text);
  await output.line(`(${footer(table.numRows, total, rows.cut, hiddenColumns)})`);
}

function footer(count: number, total: number | undefined, isCut: boolean, hiddenColumns: number): string {
  const shown =
    total !== undefined && total > count
      ? `${countText(count)} of ${rowsText(total)}`
      : isCut
        ? `the first ${rowsText(count)}; --limit shows more`
        : rowsText(count);
  return hiddenColumns === 0 ? shown : `${shown}; ${hiddenColumns} more columns do not fit`;
}
