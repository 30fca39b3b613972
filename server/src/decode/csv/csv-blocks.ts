import { Buffer } from 'node:buffer';
import { badBody } from '../bad-body.ts';
import { TextBuffer } from '../text-buffer.ts';
import type { TextFile } from '../text-reader.ts';
import { type FoundDialect, headBytes, raggedRow } from './csv-dialect.ts';
import { type CsvBlock, CsvScanner, RaggedRow } from './csv-scanner.ts';

/** A quote that is never closed would otherwise take the rest of the file into memory. */
const recordBytesMax = 16 * 1024 * 1024;

/** The beginning of a text, and whether it is all of it. */
export async function readHead(
  file: TextFile,
  signal: AbortSignal,
  partial: boolean,
): Promise<{ head: Buffer; whole: boolean }> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of file.utf8(signal, partial)) {
    if (bytes >= headBytes) return { head: Buffer.concat(pieces, headBytes), whole: false };
    pieces.push(Buffer.from(piece));
    bytes += piece.length;
  }
  return bytes > headBytes
    ? { head: Buffer.concat(pieces, headBytes), whole: false }
    : { head: Buffer.concat(pieces), whole: !partial };
}

/** The records of a CSV file from its beginning, a block for each piece that is read. */
export class CsvBlocks {
  readonly #file: TextFile;
  readonly #dialect: FoundDialect;
  readonly #scanner: CsvScanner;

  constructor(file: TextFile, dialect: FoundDialect) {
    this.#file = file;
    this.#dialect = dialect;
    this.#scanner = new CsvScanner(dialect, dialect.skippedBytes === 0 ? 1 : 2);
  }

  /** Known with the first block. */
  get names(): readonly string[] | null {
    return this.#scanner.names;
  }

  /** `partial`: the file is cut off, and its last, incomplete line is left out. */
  async *blocks(signal: AbortSignal, partial: boolean): AsyncGenerator<CsvBlock, void, void> {
    const text = new TextBuffer(1);
    let skipped = this.#dialect.skippedBytes;
    for await (const piece of this.#file.utf8(signal, partial)) {
      text.add(piece.subarray(skipped));
      skipped = 0;
      const { block, consumed, fault } = this.#scanner.scan(text.bytes, text.filled, false);
      yield block;
      if (fault !== null) throw this.#explained(fault);
      text.drop(consumed);
      if (text.filled > recordBytesMax)
        throw badBody(
          `Line ${this.#scanner.line}: a record of more than ${recordBytesMax} bytes.`,
          'A quote that is never closed does this.',
        );
    }
    if (text.filled === 0 || partial) return;
    const { block, fault } = this.#scanner.scan(text.bytes, text.filled, true);
    yield block;
    if (fault !== null) throw this.#explained(fault);
  }

  #explained(fault: Error): Error {
    if (!(fault instanceof RaggedRow)) return fault;
    return raggedRow(fault, this.#scanner.names ?? [], this.#dialect.delimiter);
  }
}
