import { badBody, shown } from '../bad-body.ts';

/** A number as it was written: a double would lose digits. */
export class JsonNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type JsonObject = Map<string, JsonValue>;
export type JsonValue = null | boolean | string | JsonNumber | JsonValue[] | JsonObject;

/** Arrow schemas are accepted up to 64 deep. */
const depthMax = 60;
/** Values in one row. Each takes some hundred bytes of memory, however few it has in the text. */
const valuesMax = 1_000_000;
const numberPattern = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const whitespacePattern = /[ \t\r\n]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON has them only as escapes.
const plainStringPattern = /[^"\\\u0000-\u001f]*/y;
const hexPattern = /^[0-9a-fA-F]{4}$/;
const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/**
 * Reads one JSON text, which begins behind `column` characters of this line, strictly (RFC 8259). Unlike JSON.parse it keeps the digits of numbers, and refuses a key that an object has twice and
 * text that is not Unicode: both would lose something without a word.
 */
export function parseJson(text: string, line: number, column = 0, depth = 0): JsonValue {
  const parser = new JsonParser(text, line, column);
  const value = parser.value(depth);
  parser.end();
  return value;
}

class JsonParser {
  readonly #text: string;
  readonly #line: number;
  readonly #column: number;
  #position = 0;
  #values = 0;

  constructor(text: string, line: number, column: number) {
    this.#text = text;
    this.#line = line;
    this.#column = column;
  }

  end(): void {
    this.#skip();
    if (this.#position < this.#text.length) throw this.#bad('text behind the end of the JSON value');
  }

  value(depth: number): JsonValue {
    if (depth > depthMax) throw this.#bad(`values are nested more than ${depthMax} deep`);
    if (++this.#values > valuesMax) throw this.#bad(`more than ${valuesMax} values in one row`);
    this.#skip();
    switch (this.#text[this.#position]) {
      case '{':
        return this.#object(depth);
      case '[':
        return this.#array(depth);
      case '"':
        return this.#string();
      case 't':
        return this.#word('true', true);
      case 'f':
        return this.#word('false', false);
      case 'n':
        return this.#word('null', null);
      default:
        return this.#number();
    }
  }

  #object(depth: number): JsonObject {
    const members: JsonObject = new Map();
    this.#position++;
    if (this.#next() === '}') {
      this.#position++;
      return members;
    }
    for (;;) {
      if (this.#next() !== '"') throw this.#bad('a key in quotes is missing');
      const key = this.#string();
      if (members.has(key)) throw this.#bad(`the key ${shown(key)} occurs twice in one object`);
      if (this.#next() !== ':') throw this.#bad('a colon is missing');
      this.#position++;
      members.set(key, this.value(depth + 1));
      const mark = this.#next();
      if (mark !== ',' && mark !== '}') throw this.#bad('a comma or } is missing');
      this.#position++;
      if (mark === '}') return members;
    }
  }

  #array(depth: number): JsonValue[] {
    const items: JsonValue[] = [];
    this.#position++;
    if (this.#next() === ']') {
      this.#position++;
      return items;
    }
    for (;;) {
      items.push(this.value(depth + 1));
      const mark = this.#next();
      if (mark !== ',' && mark !== ']') throw this.#bad('a comma or ] is missing');
      this.#position++;
      if (mark === ']') return items;
    }
  }

  #string(): string {
    this.#position++;
    let value = '';
    for (;;) {
      value += this.#match(plainStringPattern);
      const mark = this.#text[this.#position];
      if (mark === '"') {
        this.#position++;
        if (!value.isWellFormed()) throw this.#bad('an escape for half a character (a lone surrogate)');
        return value;
      }
      if (mark !== '\\')
        throw this.#bad(
          mark === undefined ? 'a string is not closed' : 'a control character inside a string',
        );
      value += this.#escape();
    }
  }

  #escape(): string {
    const letter = this.#text[this.#position + 1] ?? '';
    if (letter === 'u') {
      const code = this.#text.slice(this.#position + 2, this.#position + 6);
      if (!hexPattern.test(code)) throw this.#bad('an escape \\u without four hexadecimal digits');
      this.#position += 6;
      return String.fromCharCode(Number.parseInt(code, 16));
    }
    const character = Object.hasOwn(escapes, letter) ? escapes[letter] : undefined;
    if (character === undefined) throw this.#bad(`the unknown escape \\${letter}`);
    this.#position += 2;
    return character;
  }

  #number(): JsonNumber {
    const text = this.#match(numberPattern);
    if (text === '') {
      const found = this.#text.slice(this.#position, this.#position + 20);
      throw this.#bad(found === '' ? 'the value ends too early' : `${shown(found)} is not a JSON value`);
    }
    return new JsonNumber(text);
  }

  #word<Value>(word: string, value: Value): Value {
    if (!this.#text.startsWith(word, this.#position)) return this.#number() as never;
    this.#position += word.length;
    return value;
  }

  #next(): string | undefined {
    this.#skip();
    return this.#text[this.#position];
  }

  #skip(): void {
    const code = this.#text.charCodeAt(this.#position);
    if (code <= 0x20) this.#match(whitespacePattern);
  }

  #match(pattern: RegExp): string {
    const start = this.#position;
    pattern.lastIndex = start;
    // A sticky pattern leaves the end of its match; `exec` would make an array each time.
    if (!pattern.test(this.#text)) return '';
    this.#position = pattern.lastIndex;
    return this.#text.slice(start, this.#position);
  }

  #bad(what: string): Error {
    let line = this.#line;
    let lineStart = -this.#column;
    for (let end = this.#text.indexOf('\n'); end !== -1 && end < this.#position; ) {
      line++;
      lineStart = end + 1;
      end = this.#text.indexOf('\n', lineStart);
    }
    return badBody(`Line ${line}, character ${this.#position - lineStart + 1}: ${what}.`);
  }
}

/** The value as compact JSON, numbers as they were written. */
export function jsonText(value: JsonValue): string {
  if (value instanceof JsonNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`;
  if (value instanceof Map)
    return `{${[...value].map(([key, member]) => `${JSON.stringify(key)}:${jsonText(member)}`).join(',')}}`;
  return JSON.stringify(value);
}
