import type { Column } from '../../model/version.ts';
import type { WriterOptions } from '../../ports/renderer.ts';
import { TextBuffer } from '../cells/text-buffer.ts';
import { setInt32 } from './fields/big-endian.ts';
import { escapeWritten } from './fields/escape-written.ts';
import type { FieldWriter } from './fields/field-writer.ts';

export interface CopyOptions extends WriterOptions {
  readonly writer: 'postgres-copy';
  readonly format: 'text' | 'csv' | 'binary';
  /** text, csv: a row of names comes first. */
  readonly header: boolean;
  /** text, csv: one character of ASCII, as quote and escape are, which only csv has. */
  readonly delimiter: string;
  readonly nullText: string;
  readonly quote: string;
  readonly escape: string;
  /** csv: columns whose values are always quoted, unless they are null. */
  readonly forceQuote?: readonly string[] | '*';
  /** Of the columns, as the client knows them. Absent: as the result has them. */
  readonly names?: readonly string[];
  readonly timeZone: string;
}

const letterD = 100;
const lineFeed = 10;
const carriageReturn = 13;
const backslash = 92;
const point = 46;
/** The letter, the length and the end of the line. */
const besideBytes = 6;

/** How values become fields of a line. */
export interface CopySyntax {
  readonly isCsv: boolean;
  readonly delimiter: number;
  readonly nullText: Uint8Array;
  /** csv: what a value is quoted for. */
  readonly quotedFor: Uint8Array;
  /** Bytes that get an escape before them, and what they become behind it. */
  readonly marks: Uint8Array;
  readonly letters: Uint8Array;
  readonly escapeByte: number;
  readonly quote: number;
  /** By column. */
  readonly forced: readonly boolean[];
}

/** Control characters that have a letter in the format `text`. */
const controlLetters = { 8: 'b', 9: 't', 10: 'n', 11: 'v', 12: 'f', 13: 'r' } as const;

export function copySyntax(options: CopyOptions, columns: readonly Column[]): CopySyntax {
  const isCsv = options.format === 'csv';
  const delimiter = options.delimiter.charCodeAt(0);
  const quote = options.quote.charCodeAt(0);
  const escapeByte = isCsv ? options.escape.charCodeAt(0) : backslash;
  const letters = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  const marks = new Uint8Array(256);
  const quotedFor = new Uint8Array(256);
  if (isCsv) {
    for (const byte of [quote, escapeByte]) marks[byte] = 1;
    for (const byte of [delimiter, quote, lineFeed, carriageReturn]) quotedFor[byte] = 1;
  } else {
    for (const [byte, letter] of Object.entries(controlLetters)) {
      marks[Number(byte)] = 1;
      letters[Number(byte)] = letter.charCodeAt(0);
    }
    for (const byte of [backslash, delimiter]) marks[byte] = 1;
  }
  const { forceQuote } = options;
  const forcedNames = new Set(forceQuote === '*' ? [] : forceQuote);
  return {
    isCsv,
    delimiter,
    nullText: Buffer.from(options.nullText),
    quotedFor,
    marks,
    letters,
    escapeByte,
    quote,
    forced: columns.map(({ name }) => isCsv && (forceQuote === '*' || forcedNames.has(name))),
  };
}

/** A line without its message. */
export function headerRow(syntax: CopySyntax, columns: readonly Column[]): Uint8Array {
  const out = new TextBuffer();
  for (const [index, { name }] of columns.entries()) {
    if (index > 0) out.putOne(syntax.delimiter);
    const start = out.at;
    out.text(name);
    finishField(out, start, syntax, false, columns.length === 1);
  }
  out.putOne(lineFeed);
  return out.take();
}

/** Rows as lines, each in a message of its own. */
export class CopyRows {
  readonly #syntax: CopySyntax;
  readonly #writers: readonly FieldWriter[];
  readonly #slack: number;

  constructor(syntax: CopySyntax, writers: readonly FieldWriter[]) {
    this.#syntax = syntax;
    this.#writers = writers;
    const beside = 1 + syntax.nullText.length;
    this.#slack = writers.reduce((sum, { bytesMax }) => sum + beside + bytesMax, besideBytes);
  }

  write(out: TextBuffer, from: number, to: number): number {
    out.slack = this.#slack;
    for (let row = from; row < to; row++) {
      out.reserve(0);
      const start = out.at;
      out.bytes[start] = letterD;
      out.at = start + 5;
      this.#putFields(out, row);
      out.bytes[out.at++] = lineFeed;
      setInt32(out.bytes, start + 1, out.at - start - 1);
      if (out.isFull) return row + 1;
    }
    return to;
  }

  #putFields(out: TextBuffer, row: number): void {
    const writers = this.#writers;
    const syntax = this.#syntax;
    const isSingle = writers.length === 1;
    for (let column = 0; column < writers.length; column++) {
      const writer = writers[column] as FieldWriter;
      if (column > 0) out.bytes[out.at++] = syntax.delimiter;
      if (writer.isNull(row)) {
        out.put(syntax.nullText);
        continue;
      }
      const start = out.at;
      writer.write(out, row);
      finishField(out, start, syntax, syntax.forced[column] === true, isSingle);
    }
  }
}

function finishField(
  out: TextBuffer,
  start: number,
  syntax: CopySyntax,
  isForced: boolean,
  isSingle: boolean,
): void {
  const { marks, escapeByte } = syntax;
  if (!syntax.isCsv) escapeWritten(out, start, marks, escapeByte, null, syntax.letters);
  else if (isForced || isQuoted(out, start, syntax, isSingle))
    escapeWritten(out, start, marks, escapeByte, syntax.quote);
}

/** A null's text would be read as null, and `\.` alone in a line as the end. */
function isQuoted(out: TextBuffer, start: number, syntax: CopySyntax, isSingle: boolean): boolean {
  const { bytes, at } = out;
  const { nullText, quotedFor } = syntax;
  const length = at - start;
  if (length === nullText.length && nullText.every((byte, index) => bytes[start + index] === byte))
    return true;
  if (isSingle && length === 2 && bytes[start] === backslash && bytes[start + 1] === point) return true;
  for (let index = start; index < at; index++) if (quotedFor[bytes[index] as number] === 1) return true;
  return false;
}
