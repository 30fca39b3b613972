import { Buffer } from 'node:buffer';
import { badBody, shown } from '../bad-body.ts';
import type { CellBlock } from '../cells/cell-block.ts';

/** How the bytes of a file become cells. */
export interface CsvDialect {
  /** One ASCII character. */
  readonly delimiter: string;
  /** Unquoted fields with this text are null, as empty ones are. */
  readonly nullText: string;
}

export interface CsvBlock extends CellBlock {
  /** The line on which each row begins, as an editor counts. */
  readonly lines: Int32Array;
}

export interface Scan {
  readonly block: CsvBlock;
  /** How many of the bytes are in the block: the rest is the beginning of a record. */
  readonly consumed: number;
  /** What is wrong with the record behind the block. */
  readonly fault: Error | null;
}

/** A row with more or fewer fields than the header. */
export class RaggedRow extends Error {
  readonly line: number;
  readonly fields: number;
  readonly width: number;
  /** The row's own text, for a look at what may be the cause. */
  readonly text: string;

  constructor(line: number, fields: number, width: number, text: string) {
    super(`line ${line} has ${fields} fields, not ${width}`);
    this.line = line;
    this.fields = fields;
    this.width = width;
    this.text = text;
  }
}

const quoteCode = 0x22;
const newlineCode = 0x0a;
const returnCode = 0x0d;
/** What is shown of a faulty row. */
const shownBytes = 4_096;

/**
 * Cuts UTF-8 bytes into records after RFC 4180: fields in double quotes may hold delimiters, line ends and doubled quotes; lines end with LF or
 * CR LF. Anything doubtful is refused with its line, because a guess would change values. The first record is the header: it says how many
 * fields the others have, and has no nulls.
 */
export class CsvScanner {
  readonly #delimiterCode: number;
  readonly #nullText: Buffer | null;
  /** Not zero for the bytes that an unquoted field cannot hold. */
  readonly #special = new Uint8Array(256);
  #starts = new Int32Array(4096);
  #ends = new Int32Array(4096);
  #lines = new Int32Array(1024);
  /** Cells with doubled quotes in them. */
  #escaped: number[] = [];
  #cells = 0;
  #names: readonly string[] | null = null;
  /** Where the next record begins. */
  #line: number;
  /** Where the field under way is. */
  #fieldLine: number;

  /** `line`: that of the header. */
  constructor({ delimiter, nullText }: CsvDialect, line = 1) {
    this.#delimiterCode = delimiter.charCodeAt(0);
    this.#nullText = nullText === '' ? null : Buffer.from(nullText);
    for (const code of [this.#delimiterCode, quoteCode, newlineCode, returnCode]) this.#special[code] = 1;
    this.#line = line;
    this.#fieldLine = line;
  }

  /** The header's fields; null before it was scanned. */
  get names(): readonly string[] | null {
    return this.#names;
  }

  get line(): number {
    return this.#line;
  }

  /** Scans bytes up to `end`, where the buffer has room for one more byte. The last record may go on behind them, unless `last`. */
  scan(bytes: Buffer, end: number, last: boolean): Scan {
    // A byte that ends every field: the inner loop need not compare positions.
    bytes[end] = newlineCode;
    this.#escaped = [];
    this.#cells = 0;
    let rows = 0;
    let position = 0;
    let fault: Error | null = null;
    while (position < end) {
      const firstCell = this.#cells;
      const line = this.#line;
      this.#fieldLine = line;
      let next: number;
      try {
        next = this.#record(bytes, position, end, last);
      } catch (thrown) {
        fault = thrown as Error;
        this.#cells = firstCell;
        break;
      }
      if (next === -1) {
        this.#cells = firstCell;
        break;
      }
      this.#line = this.#fieldLine + 1;
      const count = this.#cells - firstCell;
      if (this.#names === null) {
        this.#takeHeader(bytes);
      } else if (count === 1 && this.#names.length > 1 && this.#ends[firstCell] === -1) {
        // An empty line is a null in a file with one column, and nothing in others.
        this.#cells = firstCell;
      } else if (count !== this.#names.length) {
        const text = bytes.toString('utf8', position, Math.min(next, end, position + shownBytes));
        fault = new RaggedRow(line, count, this.#names.length, text);
        this.#cells = firstCell;
        break;
      } else {
        if (rows === this.#lines.length) this.#lines = doubled(this.#lines);
        this.#lines[rows++] = line;
      }
      position = next;
    }
    for (const cell of this.#escaped) if (cell < this.#cells) this.#unescape(bytes, cell);
    const width = this.#names?.length ?? 0;
    const block = { bytes, width, rows, starts: this.#starts, ends: this.#ends, lines: this.#lines };
    return { block, consumed: Math.min(position, end), fault };
  }

  /** Takes the cells of one record. Returns where the next one begins, -1 if the bytes end before this one does. */
  #record(bytes: Buffer, start: number, end: number, last: boolean): number {
    const special = this.#special;
    const delimiterCode = this.#delimiterCode;
    const nullText = this.#nullText;
    let starts = this.#starts;
    let ends = this.#ends;
    for (let position = start, cell = this.#cells; ; cell++) {
      if (cell === starts.length) {
        this.#grow();
        starts = this.#starts;
        ends = this.#ends;
      }
      let stop = position;
      if (bytes[position] === quoteCode) {
        stop = this.#quoted(bytes, position, end, last, cell);
        if (stop === -1) return -1;
        starts[cell] = position + 1;
        ends[cell] = stop - 1;
      } else {
        while (special[bytes[stop] as number] === 0) stop++;
        if (stop >= end && !last) return -1;
        starts[cell] = position;
        ends[cell] =
          stop === position || (nullText !== null && isText(bytes, position, stop, nullText)) ? -1 : stop;
      }
      const code = bytes[stop] as number;
      if (code === delimiterCode && stop < end) {
        position = stop + 1;
        continue;
      }
      this.#cells = cell + 1;
      if (code === newlineCode) return stop + 1;
      if (code === returnCode) {
        if (stop + 1 >= end && !last) return -1;
        if (bytes[stop + 1] === newlineCode) return stop + 2;
      }
      throw this.#misplaced(bytes, position, stop, end);
    }
  }

  /** Returns the position behind the closing quote, -1 if it has not come. */
  #quoted(bytes: Buffer, start: number, end: number, last: boolean, cell: number): number {
    let doubledQuotes = false;
    let lines = 0;
    for (let position = start + 1; ; position++) {
      let code = bytes[position] as number;
      while (code !== quoteCode && code !== newlineCode) code = bytes[++position] as number;
      if (position >= end) {
        if (last) throw badBody(`Line ${this.#fieldLine}: a quote is opened and never closed.`);
        return -1;
      }
      if (code === newlineCode) {
        lines++;
        continue;
      }
      if (position + 1 >= end && !last) return -1;
      if (bytes[position + 1] === quoteCode && position + 1 < end) {
        doubledQuotes = true;
        position++;
        continue;
      }
      if (doubledQuotes) this.#escaped.push(cell);
      this.#fieldLine += lines;
      return position + 1;
    }
  }

  /** Each doubled quote becomes one. Only in records that are whole: others are scanned again. */
  #unescape(bytes: Buffer, cell: number): void {
    const end = this.#ends[cell] as number;
    let to = this.#starts[cell] as number;
    for (let from = to; from < end; from++) {
      bytes[to++] = bytes[from] as number;
      if (bytes[from] === quoteCode) from++;
    }
    this.#ends[cell] = to;
  }

  #takeHeader(bytes: Buffer): void {
    for (const cell of this.#escaped) this.#unescape(bytes, cell);
    this.#escaped = [];
    const names: string[] = [];
    for (let cell = 0; cell < this.#cells; cell++) {
      const start = this.#starts[cell] as number;
      // A null text is a name like any other here.
      const end = this.#ends[cell] === -1 ? this.#nullEnd(bytes, start) : (this.#ends[cell] as number);
      names.push(bytes.toString('utf8', start, end));
    }
    this.#names = names;
    this.#cells = 0;
  }

  #nullEnd(bytes: Buffer, start: number): number {
    let end = start;
    while (this.#special[bytes[end] as number] === 0) end++;
    return end;
  }

  #misplaced(bytes: Buffer, start: number, stop: number, end: number): Error {
    const line = this.#fieldLine;
    const code = bytes[stop];
    if (code === returnCode)
      return badBody(
        `Line ${line}: a carriage return that does not end the line.`,
        'Use LF or CR LF between lines, or put the field in quotes.',
      );
    if (bytes[start] !== quoteCode)
      return badBody(
        `Line ${line}: a quote inside the unquoted field ${shown(bytes.toString('utf8', start, stop + 1))}.`,
        'Put the whole field in quotes and double the quotes inside it.',
      );
    return badBody(
      `Line ${line}: ${shown(bytes.toString('utf8', stop, Math.min(end, stop + 20)))} behind a closing quote.`,
      'Double the quotes inside a quoted field.',
    );
  }

  #grow(): void {
    this.#starts = doubled(this.#starts);
    this.#ends = doubled(this.#ends);
  }
}

function isText(bytes: Buffer, start: number, end: number, text: Buffer): boolean {
  if (end - start !== text.length) return false;
  for (let index = 0; index < text.length; index++) if (bytes[start + index] !== text[index]) return false;
  return true;
}

function doubled(array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}
