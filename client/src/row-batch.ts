import type { Column, Schema, Table } from '@uwdata/flechette';
import { type ReadBatch, tableOf } from './arrow/row-batches.ts';
import { cellText } from './cells/cell-text.ts';

/** Some rows, as they arrived together. */
export class RowBatch {
  readonly rowCount: number;
  /** A Flechette table. Integers of 64 bits, timestamps and decimals are exact: as they are stored, in the unit of their type. */
  readonly table: Table;

  constructor(schema: Schema, batch: ReadBatch) {
    this.rowCount = batch.rowCount;
    this.table = tableOf(schema, [batch]);
  }

  get columns(): readonly Column<unknown>[] {
    return this.table.children;
  }

  /** The exact text of a cell; null for a null. */
  text(row: number, column: number): string | null {
    const found = this.table.children[column];
    if (found === undefined) throw new RangeError(`There is no column ${column}.`);
    return cellText(found, row);
  }
}
