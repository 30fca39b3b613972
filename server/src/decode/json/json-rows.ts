import { badBody } from '../bad-body.ts';
import type { TextFile } from '../text-reader.ts';
import { type JsonObject, parseJson } from './json-parser.ts';

/** A longer row is not a row; the file is read in pieces of this at most. */
const rowCharactersMax = 16 * 1024 * 1024;

export interface RowsWanted {
  /** Objects in an array, or one object a line. */
  readonly format: 'json' | 'ndjson';
  /** The file is cut off: a row that is not whole at its end is left out. */
  readonly partial: boolean;
  /** True: `between` is wanted before the next row. */
  onRow(row: JsonObject, line: number): boolean;
  /** After each piece of the file, and behind a row whose call answered true. */
  between?(): Promise<void>;
}

/** Takes pieces of text, and has the rows in them taken in turn. */
interface RowSplitter {
  push(text: string): Generator<void, void, void>;
  end(): void;
}

/** Calls `onRow` for every object. */
export async function eachRow(file: TextFile, wanted: RowsWanted, signal: AbortSignal): Promise<void> {
  const rows: RowSplitter = wanted.format === 'json' ? new ArrayRows(wanted) : new LineRows(wanted);
  for await (const piece of file.text(signal, wanted.partial)) {
    for (const _ of rows.push(piece)) await wanted.between?.();
    await wanted.between?.();
  }
  if (!wanted.partial) rows.end();
}

/** One object a line; blank lines are skipped. */
class LineRows implements RowSplitter {
  readonly #wanted: RowsWanted;
  #rest = '';
  #line = 1;

  constructor(wanted: RowsWanted) {
    this.#wanted = wanted;
  }

  *push(piece: string): Generator<void, void, void> {
    const text = this.#rest + piece;
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      if (this.#take(text.slice(start, end))) yield;
      start = end + 1;
    }
    this.#rest = text.slice(start);
    if (this.#rest.length > rowCharactersMax) throw tooLong(this.#line);
  }

  end(): void {
    if (this.#rest !== '') this.#take(this.#rest);
  }

  #take(text: string): boolean {
    const line = this.#line++;
    if (text.trim() === '') return false;
    const row = parseJson(text, line);
    if (row instanceof Map) return this.#wanted.onRow(row, line);
    const hint = Array.isArray(row)
      ? 'Send an array of objects as application/json, or one object a line.'
      : 'Send one object a line.';
    throw badBody(`Line ${line} is not a JSON object.`, hint);
  }
}

const quoteCode = 0x22;
const backslashCode = 0x5c;

/** One array, and objects in it. */
class ArrayRows implements RowSplitter {
  readonly #wanted: RowsWanted;
  #rest = '';
  #place: 'before' | 'first' | 'between' | 'next' | 'row' | 'behind' = 'before';
  /** Brackets that are open in the row. */
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  #line = 1;
  /** Characters of this line in the text before. */
  #lineStart = 0;
  #rowLine = 1;
  #rowColumn = 0;

  constructor(wanted: RowsWanted) {
    this.#wanted = wanted;
  }

  *push(piece: string): Generator<void, void, void> {
    const text = this.#rest + piece;
    let start = 0;
    for (let at = this.#rest.length; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (this.#place === 'row') {
        if (!this.#closes(code)) {
          if (code === 0x0a) this.#newLine(at + 1);
          continue;
        }
        this.#place = 'between';
        const row = parseJson(text.slice(start, at + 1), this.#rowLine, this.#rowColumn);
        start = at + 1;
        if (this.#wanted.onRow(row as JsonObject, this.#rowLine)) yield;
      } else if (code === 0x0a) this.#newLine(at + 1);
      else if (code !== 0x20 && code !== 0x09 && code !== 0x0d) {
        this.#mark(code, at);
        if (code === 0x7b) start = at;
      }
    }
    this.#rest = this.#place === 'row' ? text.slice(start) : '';
    this.#lineStart -= text.length - this.#rest.length;
    if (this.#rest.length > rowCharactersMax) throw tooLong(this.#rowLine);
  }

  end(): void {
    if (this.#place === 'before') throw badBody('The file is empty: an array of objects is wanted.');
    if (this.#place !== 'behind')
      throw badBody(`Line ${this.#line}: the file ends before the array does.`, 'It may have been cut off.');
  }

  #newLine(start: number): void {
    this.#line++;
    this.#lineStart = start;
  }

  /** Whether the row ends with this character. */
  #closes(code: number): boolean {
    if (this.#inString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (code === backslashCode) this.#isEscaped = true;
      else if (code === quoteCode) this.#inString = false;
      return false;
    }
    if (code === quoteCode) this.#inString = true;
    else if (code === 0x7b || code === 0x5b) this.#depth++;
    else if (code === 0x7d || code === 0x5d) return --this.#depth === 0;
    return false;
  }

  /** The text between the rows. */
  #mark(code: number, at: number): void {
    const place = this.#place;
    if (place === 'before' && code === 0x5b) this.#place = 'first';
    else if ((place === 'first' || place === 'next') && code === 0x7b) {
      this.#place = 'row';
      this.#depth = 1;
      this.#rowLine = this.#line;
      this.#rowColumn = at - this.#lineStart;
    } else if (place === 'between' && code === 0x2c) this.#place = 'next';
    else if ((place === 'first' || place === 'between') && code === 0x5d) this.#place = 'behind';
    else throw this.#misplaced(code, at);
  }

  #misplaced(code: number, at: number): Error {
    const found = `Line ${this.#line}, character ${at - this.#lineStart + 1}: ${JSON.stringify(String.fromCharCode(code))}`;
    if (this.#place === 'before')
      return badBody(
        `${found} where an array of objects is wanted.`,
        'Send [{…}, {…}], or one object a line as application/x-ndjson.',
      );
    if (this.#place === 'behind') return badBody(`${found} behind the end of the array.`);
    if (this.#place === 'between') return badBody(`${found} where a comma or ] is wanted.`);
    return badBody(
      `${found} where an object is wanted.`,
      'Every item of the array is a row, and a row is an object.',
    );
  }
}

function tooLong(line: number): Error {
  return badBody(`Line ${line} begins a row of more than ${rowCharactersMax} characters.`);
}
