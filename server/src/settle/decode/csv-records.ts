import { badBody, shown } from './bad-body.ts';

export interface CsvDialect {
  /** One ASCII character. */
  readonly delimiter: string;
  /** Unquoted fields with this text are null, as empty ones are. */
  readonly nullText: string;
}

/** One record: null for an unquoted field that is empty or the null text; the first record, the header, has no nulls. */
export type OnRecord = (fields: readonly (string | null)[], line: number) => void;

/** A quote that is never closed would otherwise take the rest of the file into memory. */
const recordCharactersMax = 16 * 1024 * 1024;
const quote = '"';
const quoteCode = 0x22;
const newlineCode = 0x0a;
const returnCode = 0x0d;

/**
 * Cuts text into records after RFC 4180: fields in double quotes may hold delimiters, line ends and doubled quotes; lines end with LF or CR LF.
 * Anything doubtful is refused with its line, because a guess would change values.
 */
export class CsvRecords {
  readonly #dialect: CsvDialect;
  readonly #delimiterCode: number;
  readonly #onRecord: OnRecord;
  #rest = '';
  #line = 1;
  #header = true;

  constructor(dialect: CsvDialect, onRecord: OnRecord) {
    this.#dialect = dialect;
    this.#delimiterCode = dialect.delimiter.charCodeAt(0);
    this.#onRecord = onRecord;
  }

  push(text: string): void {
    this.#parse(this.#rest === '' ? text : this.#rest + text, false);
    if (this.#rest.length > recordCharactersMax)
      throw badBody(
        `Line ${this.#line}: a record of more than ${recordCharactersMax} characters.`,
        'A quote that is never closed does this.',
      );
  }

  end(): void {
    if (this.#rest !== '') this.#parse(this.#rest, true);
  }

  #parse(text: string, last: boolean): void {
    let position = 0;
    let nextQuote = text.indexOf(quote);
    while (position < text.length) {
      if (nextQuote !== -1 && nextQuote < position) nextQuote = text.indexOf(quote, position);
      let end = text.indexOf('\n', position);
      if (end === -1) {
        if (!last) break;
        end = text.length;
      }
      if (nextQuote === -1 || nextQuote > end) {
        this.#plain(text.slice(position, end));
        position = end + 1;
        continue;
      }
      const after = this.#quoted(text, position, last);
      if (after === -1) break;
      position = after;
    }
    this.#rest = position < text.length ? text.slice(position) : '';
  }

  /** A line without quotes. */
  #plain(line: string): void {
    const content = line.endsWith('\r') ? line.slice(0, -1) : line;
    if (content.includes('\r')) throw this.#loneReturn(this.#line);
    const fields: (string | null)[] = content.split(this.#dialect.delimiter);
    if (!this.#header) {
      const { nullText } = this.#dialect;
      for (let index = 0; index < fields.length; index++)
        if (fields[index] === '' || fields[index] === nullText) fields[index] = null;
    }
    this.#header = false;
    this.#onRecord(fields, this.#line);
    this.#line++;
  }

  /** A record with quotes somewhere. Answers where the next one begins, -1 where the text ends before this one does. */
  #quoted(text: string, start: number, last: boolean): number {
    const { nullText } = this.#dialect;
    const fields: (string | null)[] = [];
    let line = this.#line;
    let position = start;
    for (;;) {
      let stop: number;
      if (text.charCodeAt(position) === quoteCode) {
        let value = '';
        let from = position + 1;
        for (;;) {
          const close = text.indexOf(quote, from);
          if (close === -1 || (close + 1 === text.length && !last)) {
            if (last && close === -1) throw badBody(`Line ${line}: a quote is opened and never closed.`);
            return -1;
          }
          const part = text.slice(from, close);
          value = value === '' ? part : value + part;
          if (text.charCodeAt(close + 1) !== quoteCode) {
            stop = close + 1;
            break;
          }
          value += quote;
          from = close + 2;
        }
        fields.push(value);
        for (let end = value.indexOf('\n'); end !== -1; end = value.indexOf('\n', end + 1)) line++;
      } else {
        stop = this.#plainEnd(text, position, line);
        const value = text.slice(position, stop);
        fields.push(!this.#header && (value === '' || value === nullText) ? null : value);
      }
      if (stop === text.length && !last) return -1;
      const code = text.charCodeAt(stop);
      if (code === this.#delimiterCode) {
        position = stop + 1;
        continue;
      }
      if (code === returnCode) {
        if (stop + 1 === text.length && !last) return -1;
        if (text[stop + 1] !== '\n' && stop + 1 < text.length) throw this.#loneReturn(line);
        stop++;
      } else if (stop < text.length && code !== newlineCode) {
        throw badBody(
          `Line ${line}: ${shown(text.slice(stop, stop + 20))} behind a closing quote.`,
          'Double the quotes inside a quoted field.',
        );
      }
      this.#header = false;
      this.#onRecord(fields, this.#line);
      this.#line = line + 1;
      return stop + 1;
    }
  }

  /** Where an unquoted field ends. */
  #plainEnd(text: string, start: number, line: number): number {
    const delimiterCode = this.#delimiterCode;
    for (let position = start; position < text.length; position++) {
      const code = text.charCodeAt(position);
      if (code === delimiterCode || code === newlineCode || code === returnCode) return position;
      if (code === quoteCode)
        throw badBody(
          `Line ${line}: a quote inside the unquoted field ${shown(text.slice(start, position + 1))}.`,
          'Put the whole field in quotes and double the quotes inside it.',
        );
    }
    return text.length;
  }

  #loneReturn(line: number): Error {
    return badBody(
      `Line ${line}: a carriage return that does not end the line.`,
      'Use LF or CR LF between lines, or put the field in quotes.',
    );
  }
}
