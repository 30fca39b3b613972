/**
 * The little of SQL's lexical rules that is needed to read the beginning of a statement and to find its end. Everything else about a statement is
 * left to the engine's own parser. What is not understood becomes a token of kind 'other', which no rule accepts.
 */
export interface SqlToken {
  readonly kind: 'word' | 'quoted' | 'string' | 'mark' | 'other' | 'end';
  /** word: as written. quoted: the name inside. mark: the character. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const wordStart = /[A-Za-z_]/;
const wordPart = /[A-Za-z0-9_$]/;
const marks = new Set(['.', ',', '(', ')', ';']);

/** The token at a position, after blanks and comments. */
export function nextToken(sql: string, position: number): SqlToken {
  const start = skipBlanks(sql, position);
  const first = sql[start];
  if (first === undefined) return { kind: 'end', text: '', start, end: start };
  const quoteEnd = endOfString(sql, start);
  if (quoteEnd !== null) return { kind: 'string', text: '', start, end: quoteEnd };
  if (first === '"') {
    const end = endOfQuotes(sql, start, '"', false);
    return { kind: 'quoted', text: sql.slice(start + 1, end - 1).replaceAll('""', '"'), start, end };
  }
  if (wordStart.test(first)) {
    let end = start + 1;
    while (end < sql.length && wordPart.test(sql[end] as string)) end++;
    // A letter beyond ASCII right behind belongs to the same name; such names have to be quoted here.
    const isForeign = end < sql.length && (sql.charCodeAt(end) as number) > 0x7f;
    return { kind: isForeign ? 'other' : 'word', text: sql.slice(start, end), start, end };
  }
  return { kind: marks.has(first) ? 'mark' : 'other', text: first, start, end: start + 1 };
}

/** Where the first statement of a text ends: at its semicolon, or at the end of the text. */
export function statementEnd(sql: string): number {
  for (let position = 0; ; ) {
    const token = nextToken(sql, position);
    if (token.kind === 'end') return sql.length;
    if (token.kind === 'mark' && token.text === ';') return token.start;
    position = token.end;
  }
}

function skipBlanks(sql: string, from: number): number {
  let position = from;
  for (;;) {
    while (/[ \t\n\r\f\v]/.test(sql[position] ?? '')) position++;
    if (sql.startsWith('--', position)) {
      const line = /[\n\r]/g;
      line.lastIndex = position;
      const found = line.exec(sql);
      if (found === null) return sql.length;
      position = found.index;
    } else if (sql.startsWith('/*', position)) position = endOfComment(sql, position);
    else return position;
  }
}

/** Comments nest. */
function endOfComment(sql: string, start: number): number {
  let depth = 0;
  for (let position = start; position < sql.length; ) {
    if (sql.startsWith('/*', position)) {
      depth++;
      position += 2;
    } else if (sql.startsWith('*/', position)) {
      depth--;
      position += 2;
      if (depth === 0) return position;
    } else position++;
  }
  return sql.length;
}

function endOfString(sql: string, start: number): number | null {
  const first = sql[start] as string;
  if (first === "'") return endOfQuotes(sql, start, "'", false);
  if (/[eE]/.test(first) && sql[start + 1] === "'") return endOfQuotes(sql, start + 1, "'", true);
  if (/[xXbB]/.test(first) && sql[start + 1] === "'") return endOfQuotes(sql, start + 1, "'", false);
  if (first === '$') {
    const tag = /^\$(?:[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*)?\$/.exec(
      sql.slice(start, start + 256),
    )?.[0];
    if (tag === undefined) return null;
    const end = sql.indexOf(tag, start + tag.length);
    return end < 0 ? sql.length : end + tag.length;
  }
  return null;
}

/** Behind the closing quote; a doubled one stands for itself. */
function endOfQuotes(sql: string, start: number, quote: string, backslashes: boolean): number {
  for (let position = start + 1; position < sql.length; position++) {
    const character = sql[position];
    if (backslashes && character === '\\') position++;
    else if (character === quote) {
      if (sql[position + 1] !== quote) return position + 1;
      position++;
    }
  }
  return sql.length;
}

/** DuckDB compares names so: letters beyond ASCII count as they are. */
export function lowerCase(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
