/**
 * Where the statements of a text begin and end, and which parameters they have. It knows as much of the syntax as that needs: strings,
 * quoted names, dollar quotes and comments. Every character is looked at once, so that it may run at each key.
 */

export interface Statement {
  /** Of its first and behind its last character, without white space, leading comments and the semicolon. */
  readonly from: number;
  readonly to: number;
  /** Behind its semicolon, or the end of the text. */
  readonly end: number;
  /** `$1`, `$name` and `?`, in the order of their first occurrence. A `?` is listed as the number that it stands for. */
  readonly parameters: readonly string[];
}

export function splitStatements(text: string): Statement[] {
  const statements: Statement[] = [];
  let from = -1;
  let to = -1;
  let parameters = new Set<string>();
  let questionMarks = 0;
  const finish = (end: number) => {
    if (from >= 0) statements.push({ from, to, end, parameters: [...parameters] });
    from = -1;
    parameters = new Set();
    questionMarks = 0;
  };
  let at = 0;
  while (at < text.length) {
    const next = tokenEnd(text, at);
    const first = text.charCodeAt(at);
    if (first === semicolon) finish(next);
    else if (!isSpace(first) && !isComment(text, at)) {
      if (from < 0) from = at;
      to = next;
      if (first === dollar && !isDollarQuote(text, at, next)) parameters.add(text.slice(at + 1, next));
      else if (first === questionMark) parameters.add(text.slice(at + 1, next) || `${++questionMarks}`);
    }
    at = next;
  }
  finish(text.length);
  return statements;
}

/**
 * The statement that a person means whose cursor is there: the one around it; or else the one that ends on the same line before it; or else
 * the next one; or else the last.
 */
export function statementAt(text: string, cursor: number, statements = splitStatements(text)): Statement | null {
  let before: Statement | null = null;
  for (const statement of statements) {
    if (cursor < statement.from) {
      const sameLine = before !== null && !text.slice(before.end, cursor).includes('\n');
      return sameLine ? before : statement;
    }
    if (cursor <= statement.to || cursor < statement.end) return statement;
    before = statement;
  }
  return before;
}

/** The first word in capitals: `SELECT`, `CREATE`, … */
export function leadingKeyword(text: string): string {
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (!isSpace(code) && !isComment(text, at) && code !== openParenthesis) break;
    at = tokenEnd(text, at);
  }
  return isWordStart(text.charCodeAt(at)) ? text.slice(at, wordEnd(text, at)).toUpperCase() : '';
}

const [tab, newline, carriageReturn, space] = [9, 10, 13, 32];
const [quote, doubleQuote, dollar, semicolon, dash, slash, star, questionMark, backslash, openParenthesis] = [
  39, 34, 36, 59, 45, 47, 42, 63, 92, 40,
];

/** The end of the token, the comment or the run of white space that begins there. What is not closed ends with the text. */
function tokenEnd(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code === quote) return quotedEnd(text, at, "'");
  if (code === doubleQuote) return quotedEnd(text, at, '"');
  if (code === dollar) return dollarEnd(text, at);
  if (code === dash && text.charCodeAt(at + 1) === dash) return lineEnd(text, at);
  if (code === slash && text.charCodeAt(at + 1) === star) return blockCommentEnd(text, at);
  if (code === questionMark) return digitsEnd(text, at + 1);
  if (isWordStart(code)) {
    const escapes = (code === 69 || code === 101) && text.charCodeAt(at + 1) === quote;
    return escapes ? escapedEnd(text, at + 1) : wordEnd(text, at);
  }
  if (isSpace(code)) {
    let end = at + 1;
    while (isSpace(text.charCodeAt(end))) end++;
    return end;
  }
  return at + 1;
}

/** A doubled quote is one within. */
function quotedEnd(text: string, at: number, mark: string): number {
  for (let from = at + 1; ; ) {
    const found = text.indexOf(mark, from);
    if (found < 0) return text.length;
    if (text[found + 1] !== mark) return found + 1;
    from = found + 2;
  }
}

/** `e'…'`, in which a backslash escapes the next character. */
function escapedEnd(text: string, at: number): number {
  for (let end = at + 1; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code === backslash) end++;
    else if (code === quote) {
      if (text.charCodeAt(end + 1) !== quote) return end + 1;
      end++;
    }
  }
  return text.length;
}

/** `$tag$…$tag$`, `$1` or `$name`. */
function dollarEnd(text: string, at: number): number {
  const word = wordEnd(text, at + 1, false);
  if (text.charCodeAt(word) !== dollar || isDigit(text.charCodeAt(at + 1))) return word;
  const tag = text.slice(at, word + 1);
  const close = text.indexOf(tag, word + 1);
  return close < 0 ? text.length : close + tag.length;
}

function isDollarQuote(text: string, at: number, end: number): boolean {
  const word = wordEnd(text, at + 1, false);
  return word < end || word === at + 1;
}

/** They nest, as in PostgreSQL. */
function blockCommentEnd(text: string, at: number): number {
  let depth = 0;
  for (let end = at; end < text.length; ) {
    const [code, next] = [text.charCodeAt(end), text.charCodeAt(end + 1)];
    if (code === slash && next === star) {
      depth++;
      end += 2;
    } else if (code === star && next === slash) {
      depth--;
      end += 2;
      if (depth === 0) return end;
    } else end++;
  }
  return text.length;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end + 1;
}

/** A dollar belongs to a word, except at its beginning. */
function wordEnd(text: string, at: number, withDollar = true): number {
  let end = at;
  while (end < text.length) {
    const code = text.charCodeAt(end);
    if (!isWordStart(code) && !isDigit(code) && !(withDollar && code === dollar)) break;
    end++;
  }
  return end;
}

function digitsEnd(text: string, at: number): number {
  let end = at;
  while (isDigit(text.charCodeAt(end))) end++;
  return end;
}

function isComment(text: string, at: number): boolean {
  const [code, next] = [text.charCodeAt(at), text.charCodeAt(at + 1)];
  return (code === dash && next === dash) || (code === slash && next === star);
}

function isSpace(code: number): boolean {
  return code === space || (code >= tab && code <= carriageReturn) || code === newline || code === 0xa0;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** Letters, `_`, and everything beyond ASCII. */
function isWordStart(code: number): boolean {
  return (
    (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || (code >= 128 && code !== 0xa0)
  );
}
