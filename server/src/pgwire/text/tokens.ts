/** A word of a statement, as DuckDB and PostgreSQL cut texts into words. */
export interface Token {
  readonly kind: 'word' | 'quoted' | 'string' | 'number' | 'parameter' | 'symbol';
  readonly start: number;
  readonly end: number;
}

const zero = 0x30;
const nine = 0x39;
const underscore = 0x5f;
const dollar = 0x24;
const point = 0x2e;
const firstBeyondAscii = 0x80;

function isDigit(code: number): boolean {
  return code >= zero && code <= nine;
}

/** Of a word: a letter, an underscore, and whatever is beyond ASCII. */
function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return (
    (lower >= 0x61 && lower <= 0x7a) || code === underscore || (code >= firstBeyondAscii && !isBlank(code))
  );
}

function isWordPart(code: number): boolean {
  return isLetter(code) || isDigit(code) || code === dollar;
}

function isTagPart(code: number): boolean {
  return isLetter(code) || isDigit(code);
}

function isNumberPart(code: number): boolean {
  return isTagPart(code) || code === point;
}

/** Blanks, line ends, and the blanks beyond ASCII that DuckDB skips. */
function isBlank(code: number): boolean {
  return (
    code === 0x20 ||
    (code >= 0x09 && code <= 0x0d) ||
    code === 0xa0 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x3000
  );
}

/**
 * The next token at or after a place; null at the end. Comments are skipped. What is not closed goes to the end of the text. Each character is looked at once, so a
 * text takes as long as it is long.
 */
export function nextToken(text: string, from: number): Token | null {
  const start = skipBlank(text, from);
  const first = text[start];
  if (first === undefined) return null;
  if (first === "'") return { kind: 'string', start, end: afterQuote(text, start, "'") };
  if (first === '"') return { kind: 'quoted', start, end: afterQuote(text, start, '"') };
  if (first === '$') return dollarToken(text, start);
  const code = text.charCodeAt(start);
  if (isDigit(code)) return { kind: 'number', start, end: afterAll(text, start, isNumberPart) };
  if (!isLetter(code)) return { kind: 'symbol', start, end: start + 1 };
  const end = afterAll(text, start, isWordPart);
  // E'…' knows backslashes; B'…', X'…' and N'…' do not.
  if (end === start + 1 && text[end] === "'" && 'EeBbXxNn'.includes(first)) {
    const isEscaped = first === 'E' || first === 'e';
    return { kind: 'string', start, end: isEscaped ? afterEscapes(text, end) : afterQuote(text, end, "'") };
  }
  return { kind: 'word', start, end };
}

function skipBlank(text: string, from: number): number {
  let at = from;
  for (;;) {
    while (isBlank(text.charCodeAt(at))) at++;
    if (text.startsWith('--', at)) {
      const end = text.indexOf('\n', at);
      at = end === -1 ? text.length : end + 1;
    } else if (text.startsWith('/*', at)) at = afterComment(text, at);
    else return at;
  }
}

/** Comments are nested. */
function afterComment(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const first = text[at];
    const second = text[at + 1];
    if (first === '/' && second === '*') depth += 1;
    else if (first === '*' && second === '/') depth -= 1;
    else continue;
    at++;
    if (depth === 0) return at + 1;
  }
  return text.length;
}

/** A quote inside is written twice. */
function afterQuote(text: string, start: number, quote: string): number {
  for (let at = start + 1; ; at += 2) {
    at = text.indexOf(quote, at);
    if (at === -1) return text.length;
    if (text[at + 1] !== quote) return at + 1;
  }
}

function afterEscapes(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === "'") {
      if (text[at + 1] !== "'") return at + 1;
      at++;
    }
  }
  return text.length;
}

/** `$1`, `$name` of DuckDB, or a text between `$$` or `$tag$`. */
function dollarToken(text: string, start: number): Token {
  const afterTag = afterAll(text, start + 1, isTagPart);
  const isTag = text[afterTag] === '$' && !isDigit(text.charCodeAt(start + 1));
  if (!isTag) return { kind: afterTag > start + 1 ? 'parameter' : 'symbol', start, end: afterTag };
  const tag = text.slice(start, afterTag + 1);
  const close = text.indexOf(tag, afterTag + 1);
  return { kind: 'string', start, end: close === -1 ? text.length : close + tag.length };
}

function afterAll(text: string, start: number, isPart: (code: number) => boolean): number {
  let at = start;
  // Behind the end there is NaN, which is part of nothing.
  while (isPart(text.charCodeAt(at))) at++;
  return at;
}

/** The value of an identifier: without quotes, and in lower case if it has none. */
export function identifierOf(text: string, { kind, start, end }: Token): string | null {
  if (kind === 'word') return text.slice(start, end).toLowerCase();
  if (kind !== 'quoted') return null;
  return text.slice(start + 1, end - 1).replaceAll('""', '"');
}

/** The value of a string; null for what is none, or has backslashes that mean something. */
export function stringOf(text: string, { kind, start, end }: Token): string | null {
  if (kind !== 'string') return null;
  const written = text.slice(start, end);
  if (written.startsWith("'")) return written.slice(1, -1).replaceAll("''", "'");
  if (written.startsWith("E'") || written.startsWith("e'")) return unescaped(written.slice(2, -1));
  if (!written.startsWith('$')) return null;
  const tag = written.slice(0, written.indexOf('$', 1) + 1);
  return written.slice(tag.length, -tag.length);
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };

function unescaped(text: string): string {
  let value = '';
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    if (character === "'") at++;
    if (character !== '\\') value += character;
    else {
      at++;
      const next = text[at] ?? '';
      value += escapes[next] ?? next;
    }
  }
  return value;
}
