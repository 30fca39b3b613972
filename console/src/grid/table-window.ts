import { type Column, cellText, type Table } from '@framehold/client';
import type { Window } from './row-source.ts';

/** A window over a table whose columns are the asked ones, in the asked order. */
export function tableWindow(first: number, table: Table, columns: readonly number[]): Window {
  const children = new Map(columns.map((column, index) => [column, table.children[index]] as const));
  return {
    first,
    count: table.numRows,
    text(row, column) {
      const child = children.get(column);
      if (child === undefined) throw new RangeError(`The window has no column ${column}.`);
      return cellText(child as Column<unknown>, row - first);
    },
  };
}
