import { invalid, refused } from './refusal.ts';

/** The parser needs about a second for so much. Longer lists of values belong in a frame. */
export const textBytesMax = 256 * 1024;

/** Words and signs. The parser takes half a second of the processor for so many, and a statement is parsed twice. */
export const wordsMax = 25_000;

/** Brackets within brackets. The parser takes some 2 ms a level, and statements of people and tools have fewer than twenty. */
export const bracketDepthMax = 64;

/**
 * The text with its comments blanked, at the same length so that places stay the same. Refuses what the lexer reads in a surprising way
 * or slowly: nested comments (their time grows faster than the square of the depth), hints, `${`, other quotes and other alphabets.
 *
 * Spark never sees this text: only what is left of it after the parser, as single tokens. So a difference between this scan and Spark's lexer can
 * misread a statement, but cannot hide a part of it.
 */
export function scanText(sql: string): string {
  if (Buffer.byteLength(sql) > textBytesMax)
    throw refused(
      `The statement is longer than ${textBytesMax / 1024} kB.`,
      null,
      'Put long lists of values into a frame, and join it.',
    );
  if (!sql.isWellFormed()) throw refused('The statement has half of a surrogate pair.', null);
  const nul = sql.indexOf('\0');
  if (nul >= 0) throw refused('The statement has a NUL character.', nul);
  const substitution = sql.indexOf('${');
  if (substitution >= 0)
    throw refused(
      'The statement contains ${, with which Spark reads variables of its server.',
      substitution,
      "In a text write '\\u0024{' for it.",
    );
  return new Scan(sql).blanked();
}

class Scan {
  readonly #sql: string;
  #blanked = '';
  #copied = 0;
  #depth = 0;
  #ended = false;
  #words = 0;

  constructor(sql: string) {
    this.#sql = sql;
  }

  blanked(): string {
    let at = 0;
    while (at < this.#sql.length) at = this.#next(at);
    return this.#blanked + this.#sql.slice(this.#copied);
  }

  #next(at: number): number {
    const sql = this.#sql;
    const character = sql.charAt(at);
    if (this.#ended && !isBetween(sql, at))
      throw refused('Only one statement at a time is run.', at, 'Send each one by itself.');
    if (character > ' ') this.#words += 1;
    if (this.#words > wordsMax)
      throw refused(
        `The statement has more than ${wordsMax} words and signs.`,
        at,
        'Put long lists of values into a frame, and join it.',
      );
    if (isWord(character)) return this.#word(at);
    switch (character) {
      case "'":
        return this.#text(at);
      case '`':
        return this.#name(at);
      case '"':
        throw refused(
          'Double quotes are not offered: they enclose a text in Spark, but a name elsewhere.',
          at,
          "Write 'text' for a text, and `name` for a name.",
        );
      case '-':
        return sql.startsWith('--', at) ? this.#line(at) : at + 1;
      case '/':
        return sql.startsWith('/*', at) ? this.#comment(at) : at + 1;
      case ':':
        if (sql.startsWith('://', at))
          throw refused('An address can only be in quotes.', at, 'Name a frame instead.');
        return at + 1;
      case ';':
        this.#ended = true;
        return at + 1;
      case '(':
      case '[':
        this.#depth += 1;
        if (this.#depth > bracketDepthMax)
          throw refused(
            `The statement has more than ${bracketDepthMax} brackets within each other.`,
            at,
            'Name inner parts with WITH.',
          );
        return at + 1;
      case ')':
      case ']':
        this.#depth = Math.max(0, this.#depth - 1);
        return at + 1;
      default:
        if (!isPlain(character))
          throw refused(
            `The character ${codePoint(sql, at)} cannot be used outside quotes.`,
            at,
            'Put names with such characters in back-quotes: `name`.',
          );
        return at + 1;
    }
  }

  /** A word, and the raw text that it may begin. A number right before a quote could be read in two ways. */
  #word(start: number): number {
    const sql = this.#sql;
    let end = start + 1;
    while (end < sql.length && isWord(sql.charAt(end))) end++;
    const next = sql.charAt(end);
    if (next !== "'" && next !== '"') return end;
    if (isDigit(sql.charAt(start)))
      throw refused('A quote follows a number.', end, 'Put a space before the quote.');
    if (end - start !== 1 || sql.charAt(start).toLowerCase() !== 'r' || next === '"') return end;
    const close = sql.indexOf("'", end + 1);
    if (close < 0) throw invalid('A text is not closed.', end, "Close it with '.");
    return close + 1;
  }

  #text(start: number): number {
    for (let at = start + 1; at < this.#sql.length; at++) {
      const character = this.#sql.charAt(at);
      if (character === '\\') at++;
      else if (character === "'") {
        if (this.#sql.charAt(at + 1) !== "'") return at + 1;
        at++;
      }
    }
    throw invalid('A text is not closed.', start, "Close it with '. A quote within it is written ''.");
  }

  #name(start: number): number {
    for (let at = start + 1; at < this.#sql.length; at++) {
      const character = this.#sql.charAt(at);
      if (character < ' ')
        throw refused('A name cannot contain control characters.', at, 'Close it with a back-quote.');
      if (character !== '`') continue;
      if (this.#sql.charAt(at + 1) !== '`') return at + 1;
      at++;
    }
    throw invalid('A name is not closed.', start, 'Close it with a back-quote.');
  }

  #line(start: number): number {
    const sql = this.#sql;
    let end = start;
    while (end < sql.length && sql.charAt(end) !== '\n' && sql.charAt(end) !== '\r') end++;
    if (sql.charAt(end - 1) === '\\')
      throw refused(
        'A comment ends with a backslash: in Spark it would go on in the next line.',
        end - 1,
        'Remove the backslash.',
      );
    this.#blank(start, end);
    return end;
  }

  #comment(start: number): number {
    const sql = this.#sql;
    if (sql.charAt(start + 2) === '+')
      throw refused('Hints are not offered.', start, 'Remove the hint: Spark plans the statement by itself.');
    const end = sql.indexOf('*/', start + 2);
    if (end < 0) throw invalid('A comment is not closed.', start, 'Close it with */.');
    const inner = sql.indexOf('/*', start + 2);
    if (inner >= 0 && inner < end)
      throw refused('A comment begins within another one.', inner, 'Remove the inner /*.');
    this.#blank(start, end + 2);
    return end + 2;
  }

  /** Line ends stay, and the two parts around a comment stay apart. */
  #blank(start: number, end: number): void {
    this.#blanked += this.#sql.slice(this.#copied, start);
    for (let at = start; at < end; at++) {
      const character = this.#sql.charAt(at);
      this.#blanked += character === '\n' || character === '\r' ? character : ' ';
    }
    this.#copied = end;
  }
}

/** White space and what can be printed, of ASCII. `$` begins a quote of its own in Spark, `\` nothing. */
function isPlain(character: string): boolean {
  if (character === '\t' || character === '\n' || character === '\r') return true;
  return character >= ' ' && character <= '~' && character !== '$' && character !== '\\';
}

/** White space, comments and semicolons may follow a statement. */
function isBetween(sql: string, at: number): boolean {
  return ' \t\r\n;'.includes(sql.charAt(at)) || sql.startsWith('--', at) || sql.startsWith('/*', at);
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9';
}

function isWord(character: string): boolean {
  return (
    isDigit(character) ||
    (character >= 'a' && character <= 'z') ||
    (character >= 'A' && character <= 'Z') ||
    character === '_'
  );
}

function codePoint(text: string, at: number): string {
  return `U+${(text.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
