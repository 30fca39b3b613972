import { dataRow, type ResultColumn, textOid } from '../protocol/server-messages.ts';
import type { Rows, RowsRequest } from './rows.ts';

const boolOid = 16;

export function textColumn(name: string): ResultColumn {
  return { name, oid: textOid, size: -1, modifier: -1 };
}

/** Its values are `t` and `f`. */
export function boolColumn(name: string): ResultColumn {
  return { name, oid: boolOid, size: 1, modifier: -1 };
}

/** Rows that the session knows itself. A text has the same bytes in both formats. */
export class ListedRows implements Rows {
  readonly columns: readonly ResultColumn[];
  readonly #rows: readonly (readonly (string | null)[])[];
  #at = 0;

  constructor(columns: readonly ResultColumn[], rows: readonly (readonly (string | null)[])[]) {
    this.columns = columns;
    this.#rows = rows;
  }

  async take({ rowsMax, outbox, formats }: RowsRequest): Promise<{ count: number; hasEnded: boolean }> {
    const rows = this.#rows.slice(this.#at, rowsMax === 0 ? undefined : this.#at + rowsMax);
    this.#at += rows.length;
    for (const row of rows)
      await outbox?.send(
        dataRow(
          row.map((value, index) =>
            formats[index] === 1 && this.columns[index]?.oid === boolOid ? binaryBool(value) : value,
          ),
        ),
      );
    return { count: rows.length, hasEnded: rowsMax === 0 || rows.length < rowsMax };
  }

  async close(): Promise<void> {}
}

function binaryBool(value: string | null): Uint8Array | null {
  return value === null ? null : Buffer.of(value === 't' ? 1 : 0);
}
