import { Buffer } from 'node:buffer';
import type { CellBlock } from '../cells/cell-block.ts';
import { IrregularJson } from './irregular-json.ts';
import { parseJson } from './json-parser.ts';

/** What a column's values are, as bits. */
export const jsonKinds = { boolean: 1, number: 2, string: 4, nested: 8 } as const;

/** Rows of JSON: the text of each value, a string's without its quotes. What a row does not have is null. */
export interface JsonBlock extends CellBlock {
  /** Of each column: what its values are. */
  readonly kinds: Uint8Array;
}

export interface JsonScan {
  readonly block: JsonBlock;
  /** Where the rows end that are in the block. */
  readonly next: number;
  /** There may be another whole row behind them. */
  readonly hasMore: boolean;
}

/** More different keys are refused. */
const columnsMax = 10_000;
/** Of one block: a row of two characters has a cell in every column. */
const cellsMax = 1_000_000;
/** Behind the bytes that are scanned: an escape may end with them. */
export const scanSlack = 8;

const newline = 0x0a;
const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const zero = 0x30;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** Not zero for the bytes at which a string is looked at: its end, an escape, a control character. */
const stringStops = Uint8Array.from({ length: 256 }, (_, code) =>
  code < 0x20 || code === quote || code === backslash ? 1 : 0,
);

/**
 * Cuts rows of JSON into the texts of their values, over bytes. It accepts nothing that is not JSON, and not all of JSON: a row that cannot be
 * read here ends the block before it. Keys are expected in the order of the row before, and looked up only if they differ.
 */
export class JsonScanner {
  readonly #inArray: boolean;
  /** Not zero for white space between the parts of a row. */
  readonly #isSpace = new Uint8Array(256);
  readonly names: string[] = [];
  /** The names in their quotes, as they are in the text. */
  readonly #keys: Buffer[] = [];
  readonly #columns = new Map<string, number>();
  /** Of each column: the last row that has it. Rows are counted each time that they are looked at. */
  #seenIn = new Float64Array(16);
  #rowsSeen = 0;
  #kinds = new Uint8Array(16);
  #starts = new Int32Array(4096);
  #ends = new Int32Array(4096);
  /** Cells with escapes in them. */
  #escaped: number[] = [];
  /** Of an array: before its bracket, in it, behind it. */
  #place: 'before' | 'rows' | 'behind';

  constructor(format: 'json' | 'ndjson', names: readonly string[]) {
    this.#inArray = format === 'json';
    this.#place = this.#inArray ? 'before' : 'rows';
    for (const code of [0x20, 0x09, 0x0d]) this.#isSpace[code] = 1;
    if (this.#inArray) this.#isSpace[newline] = 1;
    for (const name of names) this.#addColumn(name);
  }

  /** All that is wanted has come: an array has been closed. */
  get isWhole(): boolean {
    return this.#place === (this.#inArray ? 'behind' : 'rows');
  }

  /** Scans bytes up to `end`, behind which the buffer has room for `scanSlack` more. The last row may go on behind them, unless `last`. */
  scan(bytes: Buffer, from: number, end: number, last: boolean): JsonScan {
    // No part of any row: loops need not compare positions.
    bytes.fill(0, end, end + scanSlack);
    this.#escaped = [];
    this.#kinds.fill(0);
    let rows = 0;
    let next = this.#rowStart(bytes, from);
    let hasMore = false;
    while (next < end && !hasMore) {
      const position = this.#row(bytes, next, rows);
      const behind = position < 0 ? position : this.#rowEnd(bytes, position, end, last);
      hasMore = position === wider;
      if (behind < 0) break;
      rows++;
      next = this.#rowStart(bytes, behind);
      hasMore = (rows + 1) * this.names.length > cellsMax;
    }
    const block = {
      bytes,
      width: this.names.length,
      rows,
      starts: this.#starts,
      ends: this.#ends,
      kinds: this.#kinds,
    };
    return { block, next: Math.min(next, end), hasMore };
  }

  /** Replaces escapes by what they mean, once for each block: it changes the bytes. */
  unescape({ bytes, rows, width }: JsonBlock): void {
    for (const cell of this.#escaped) {
      // Of the row that was not taken.
      if (cell >= rows * width) continue;
      const start = this.#starts[cell] as number;
      const text = parseJson(bytes.toString('utf8', start - 1, (this.#ends[cell] as number) + 1), 0);
      // It is never longer than with its escapes.
      this.#ends[cell] = start + bytes.write(text as string, start);
    }
  }

  /** Behind what comes before a row. */
  #rowStart(bytes: Buffer, from: number): number {
    let position = from;
    while (this.#isSpace[bytes[position] as number] === 1 || bytes[position] === newline) position++;
    if (this.#place !== 'before' || bytes[position] !== openBracket) return position;
    this.#place = 'rows';
    return this.#rowStart(bytes, position + 1);
  }

  /** Behind what ends a row; -1 if it has not come. */
  #rowEnd(bytes: Buffer, from: number, end: number, last: boolean): number {
    const position = this.#skipped(bytes, from);
    const code = bytes[position];
    if (!this.#inArray) return code === newline || (position === end && last) ? position + 1 : -1;
    if (code === closeBracket) this.#place = 'behind';
    return code === comma || code === closeBracket ? position + 1 : -1;
  }

  /** Takes the cells of one row. Returns the position behind it, or why there is none. */
  #row(bytes: Buffer, start: number, row: number): number {
    if (bytes[start] !== openBrace || this.#place !== 'rows') return unread;
    const seenIn = ++this.#rowsSeen;
    let position = this.#skipped(bytes, start + 1);
    let expected = 0;
    let count = 0;
    for (; bytes[position] !== closeBrace || count > 0; count++) {
      let column = expected;
      let behindKey = this.#behindKey(bytes, position, expected);
      if (behindKey < 0) {
        behindKey = keyEnd(bytes, position);
        if (behindKey < 0) return unread;
        column = this.#columnOf(bytes.toString('utf8', position + 1, behindKey - 1), row);
        if (column < 0) return column;
      }
      if (this.#seenIn[column] === seenIn) return unread;
      this.#seenIn[column] = seenIn;
      expected = column + 1;
      position = bytes[behindKey] === colon ? behindKey + 1 : this.#skipped(bytes, behindKey) + 1;
      if (bytes[position - 1] !== colon) return unread;
      position = this.#value(bytes, position, row * this.names.length + column, column);
      if (position < 0) return unread;
      if (this.#isSpace[bytes[position] as number] === 1) position = this.#skipped(bytes, position);
      const code = bytes[position++];
      if (code === closeBrace) {
        this.#fillMissing(row, count + 1, seenIn);
        return position;
      }
      if (code !== comma) return unread;
      if (this.#isSpace[bytes[position] as number] === 1) position = this.#skipped(bytes, position);
    }
    this.#fillMissing(row, 0, seenIn);
    return position + 1;
  }

  /** Behind the key of this column, if it is here; else -1. */
  #behindKey(bytes: Buffer, position: number, column: number): number {
    const key = this.#keys[column];
    if (key === undefined) return -1;
    const { length } = key;
    for (let at = 0; at < length; at++) if (bytes[position + at] !== key[at]) return -1;
    return position + length;
  }

  /** A new one changes the width of the block: that is possible in its first row only. */
  #columnOf(name: string, row: number): number {
    const known = this.#columns.get(name);
    if (known !== undefined) return known;
    return row === 0 ? this.#addColumn(name) : wider;
  }

  #addColumn(name: string): number {
    const column = this.names.length;
    if (column >= columnsMax) throw new IrregularJson('too many columns');
    this.names.push(name);
    this.#keys.push(Buffer.from(`"${name}"`));
    this.#columns.set(name, column);
    if (column >= this.#kinds.length) {
      const kinds = new Uint8Array(column * 2);
      kinds.set(this.#kinds);
      this.#kinds = kinds;
      const seenIn = new Float64Array(column * 2);
      seenIn.set(this.#seenIn);
      this.#seenIn = seenIn;
    }
    return column;
  }

  #fillMissing(row: number, count: number, seenIn: number): void {
    const width = this.names.length;
    this.#reserve((row + 1) * width);
    if (count === width) return;
    for (let column = 0; column < width; column++)
      if (this.#seenIn[column] !== seenIn) this.#ends[row * width + column] = -1;
  }

  /** Takes one value. Returns the position behind it, -1 if it cannot be read here. */
  #value(bytes: Buffer, from: number, cell: number, column: number): number {
    if (cell >= this.#starts.length) this.#reserve(cell + 1);
    let position = from;
    let code = bytes[position] as number;
    if (this.#isSpace[code] === 1) {
      position = this.#skipped(bytes, position);
      code = bytes[position] as number;
    }
    if (code === quote) {
      const end = this.#stringEnd(bytes, position + 1, cell);
      this.#starts[cell] = position + 1;
      this.#ends[cell] = end;
      this.#kinds[column] = (this.#kinds[column] as number) | jsonKinds.string;
      return end < 0 ? -1 : end + 1;
    }
    let end: number;
    let kind: number;
    if (code === 0x2d || (code >= zero && code <= 0x39)) {
      end = numberEnd(bytes, position);
      kind = jsonKinds.number;
    } else if (code === 0x74) {
      end = wordEnd(bytes, position, trueWord);
      kind = jsonKinds.boolean;
    } else if (code === 0x66) {
      end = wordEnd(bytes, position, falseWord);
      kind = jsonKinds.boolean;
    } else if (code === 0x6e) {
      this.#ends[cell] = -1;
      return wordEnd(bytes, position, nullWord);
    } else if (code === openBrace || code === openBracket) {
      end = this.#nestedEnd(bytes, position);
      kind = jsonKinds.nested;
    } else return -1;
    this.#starts[cell] = position;
    this.#ends[cell] = end;
    this.#kinds[column] = (this.#kinds[column] as number) | kind;
    return end;
  }

  /** Where the closing quote is; -1 if there is none. */
  #stringEnd(bytes: Buffer, start: number, cell: number): number {
    let position = start;
    while (stringStops[bytes[position] as number] === 0) position++;
    if (bytes[position] === quote) return position;
    if (bytes[position] === backslash) this.#escaped.push(cell);
    return closingQuote(bytes, position);
  }

  /** Behind the bracket that closes the value; what is in between is read later. -1 if there is none. */
  #nestedEnd(bytes: Buffer, start: number): number {
    let depth = 0;
    for (let position = start; ; position++) {
      const code = bytes[position];
      if (code === quote) {
        position = closingQuote(bytes, position + 1);
        if (position < 0) return -1;
      } else if (code === openBrace || code === openBracket) depth++;
      else if (code === closeBrace || code === closeBracket) {
        if (--depth === 0) return position + 1;
      } else if (code === 0 || (code === newline && !this.#inArray)) return -1;
    }
  }

  #skipped(bytes: Buffer, from: number): number {
    let position = from;
    while (this.#isSpace[bytes[position] as number] === 1) position++;
    return position;
  }

  #reserve(cells: number): void {
    if (cells <= this.#starts.length) return;
    const size = Math.max(cells, this.#starts.length * 2);
    const starts = new Int32Array(size);
    starts.set(this.#starts);
    this.#starts = starts;
    const ends = new Int32Array(size);
    ends.set(this.#ends);
    this.#ends = ends;
  }
}

/** Why a row was not taken: it is not whole or not regular, or it has a key that is new. */
const unread = -1;
const wider = -2;

const trueWord = Buffer.from('true');
const falseWord = Buffer.from('false');
const nullWord = Buffer.from('null');

function wordEnd(bytes: Buffer, start: number, word: Buffer): number {
  for (let at = 1; at < word.length; at++) if (bytes[start + at] !== word[at]) return -1;
  return start + word.length;
}

/** Behind a key in quotes, -1 if there is none or if it has escapes. */
function keyEnd(bytes: Buffer, start: number): number {
  if (bytes[start] !== quote) return -1;
  let position = start + 1;
  while (stringStops[bytes[position] as number] === 0) position++;
  return bytes[position] === quote ? position + 1 : -1;
}

/** From inside a string; -1 if a control character comes first. */
function closingQuote(bytes: Buffer, from: number): number {
  for (let position = from; ; position++) {
    const code = bytes[position] as number;
    if (stringStops[code] === 0) continue;
    if (code === quote) return position;
    if (code !== backslash) return -1;
    position++;
  }
}

/** Behind a number, -1 if it is not one. */
function numberEnd(bytes: Buffer, start: number): number {
  let position = start;
  if (bytes[position] === 0x2d) position++;
  if (bytes[position] === zero) position++;
  else {
    const digits = digitsEnd(bytes, position);
    if (digits === position) return -1;
    position = digits;
  }
  if (bytes[position] === 0x2e) {
    const digits = digitsEnd(bytes, position + 1);
    if (digits === position + 1) return -1;
    position = digits;
  }
  if (bytes[position] === 0x65 || bytes[position] === 0x45) {
    position++;
    if (bytes[position] === 0x2b || bytes[position] === 0x2d) position++;
    const digits = digitsEnd(bytes, position);
    if (digits === position) return -1;
    position = digits;
  }
  return position;
}

function digitsEnd(bytes: Buffer, start: number): number {
  let position = start;
  let code = bytes[position] as number;
  while (code >= zero && code <= 0x39) code = bytes[++position] as number;
  return position;
}
