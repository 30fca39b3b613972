import type { TextBuffer } from '../cells/text-buffer.ts';
import { setInt32 } from './fields/big-endian.ts';
import type { FieldWriter } from './fields/field-writer.ts';
import { type PlacedColumn, placedColumn } from './fields/placed-columns.ts';

const noBytes = new Uint8Array(0);
/** The letter, its length and the count of fields. */
const headBytes = 7;

/**
 * Rows as messages: a letter, the length, the count of fields, and each field behind its length, which is -1 for a null. First all columns say how long
 * their fields are, then each writes its own, one row after the other: a loop over one column takes a third of the time of a loop over the fields of a row.
 */
export class BinaryRows {
  readonly #letter: number;
  readonly #columns: readonly PlacedColumn[];
  /** Of some rows: how long each is, then where its next field goes. */
  #rows = new Int32Array(0);

  constructor(letter: number, writers: readonly FieldWriter[]) {
    this.#letter = letter;
    this.#columns = writers.map(placedColumn);
  }

  /** As `TextRows`: all of the rows. `before` comes inside the first message, before the count. */
  write(out: TextBuffer, from: number, to: number, before: Uint8Array = noBytes): number {
    const count = to - from;
    if (this.#rows.length < count) this.#rows = new Int32Array(count);
    const rows = this.#rows;
    rows.fill(headBytes, 0, count);
    rows[0] = headBytes + before.length;
    for (const column of this.#columns) column.measure(rows, from, count);
    let total = 0;
    for (let index = 0; index < count; index++) total += rows[index] as number;
    out.slack = 0;
    out.reserve(total);
    const end = out.at + total;
    this.#putHeads(out, count, before);
    for (const column of this.#columns) column.place(out, rows, from, count);
    out.at = end;
    return to;
  }

  #putHeads(out: TextBuffer, count: number, before: Uint8Array): void {
    const { bytes } = out;
    const rows = this.#rows;
    const fields = this.#columns.length;
    let start = out.at;
    for (let index = 0; index < count; index++) {
      const size = rows[index] as number;
      bytes[start] = this.#letter;
      setInt32(bytes, start + 1, size - 1);
      let at = start + 5;
      if (index === 0) {
        bytes.set(before, at);
        at += before.length;
      }
      bytes[at] = fields >> 8;
      bytes[at + 1] = fields;
      rows[index] = at + 2;
      start += size;
    }
  }
}
