import { dataRow, type ResultColumn, textOid } from '../protocol/server-messages.ts';
import type { Rows, RowsRequest } from './rows.ts';

const boolOid = 16;
const nameOid = 19;
const intOid = 23;
const voidOid = 2278;

export function textColumn(name: string): ResultColumn {
  return { name, oid: textOid, size: -1, modifier: -1 };
}

/** Its values are `t` and `f`. */
export function boolColumn(name: string): ResultColumn {
  return { name, oid: boolOid, size: 1, modifier: -1 };
}

/** A name of something in PostgreSQL: a text of at most 63 bytes. */
export function nameColumn(name: string): ResultColumn {
  return { name, oid: nameOid, size: 64, modifier: -1 };
}

export function intColumn(name: string): ResultColumn {
  return { name, oid: intOid, size: 4, modifier: -1 };
}

/** Its value is the empty text, in both formats. */
export function voidColumn(name: string): ResultColumn {
  return { name, oid: voidOid, size: 4, modifier: -1 };
}

/** Rows that the session knows itself, as texts. */
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
          row.map((value, index) => (formats[index] === 1 ? binary(value, this.columns[index]) : value)),
        ),
      );
    return { count: rows.length, hasEnded: rowsMax === 0 || rows.length < rowsMax };
  }

  async close(): Promise<void> {}
}

/** Texts and names have the same bytes in both formats. */
function binary(value: string | null, column: ResultColumn | undefined): string | Uint8Array | null {
  if (value === null) return null;
  if (column?.oid === boolOid) return Buffer.of(value === 't' ? 1 : 0);
  if (column?.oid !== intOid) return value;
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(Number(value));
  return bytes;
}
