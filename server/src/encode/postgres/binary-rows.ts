import type { TextBuffer } from '../cells/text-buffer.ts';
import { putInt16, putInt32, setInt32 } from './fields/big-endian.ts';
import type { FieldWriter } from './fields/field-writer.ts';

const noBytes = new Uint8Array(0);
/** The letter, its length and the count of fields. */
const headBytes = 7;
const lengthBytes = 4;

/** Rows as messages: a letter, the length, the count of fields, and each field behind its length, which is -1 for a null. */
export class BinaryRows {
  readonly #letter: number;
  readonly #writers: readonly FieldWriter[];
  readonly #slack: number;

  constructor(letter: number, writers: readonly FieldWriter[]) {
    this.#letter = letter;
    this.#writers = writers;
    this.#slack = writers.reduce((sum, { bytesMax }) => sum + lengthBytes + bytesMax, headBytes);
  }

  /** As `TextRows`. `before` comes inside the first message, before the count. */
  write(out: TextBuffer, from: number, to: number, before: Uint8Array = noBytes): number {
    out.slack = this.#slack;
    let head = before;
    for (let row = from; row < to; row++) {
      out.reserve(head.length);
      this.#putRow(out, row, head);
      head = noBytes;
      if (out.isFull) return row + 1;
    }
    return to;
  }

  #putRow(out: TextBuffer, row: number, before: Uint8Array): void {
    const writers = this.#writers;
    const start = out.at;
    out.bytes[start] = this.#letter;
    out.at = start + 5;
    out.put(before);
    putInt16(out, writers.length);
    for (let column = 0; column < writers.length; column++) {
      const writer = writers[column] as FieldWriter;
      if (writer.isNull(row)) {
        putInt32(out, -1);
        continue;
      }
      const lengthAt = out.at;
      out.at = lengthAt + lengthBytes;
      writer.write(out, row);
      setInt32(out.bytes, lengthAt, out.at - lengthAt - lengthBytes);
    }
    setInt32(out.bytes, start + 1, out.at - start - 1);
  }
}
