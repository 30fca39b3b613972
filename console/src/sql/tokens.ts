/**
 * As much of SQL's syntax as an editor needs to find statements and names: strings, quoted names, dollar quotes, comments. Every character
 * is looked at once, so that it may run at each key.
 */
type TokenKind = 'space' | 'comment' | 'word' | 'name' | 'text' | 'parameter' | 'symbol';

export interface Token {
  readonly kind: TokenKind;
  readonly from: number;
  readonly to: number;
}

const [tab, carriageReturn, space, hardSpace] = [9, 13, 32, 0xa0];
const [quote, doubleQuote, dollar, dash, slash, star, questionMark, backslash] = [
  39, 34, 36, 45, 47, 42, 63, 92,
];

/** The token that begins there. What is not closed ends with the text. */
export function tokenAt(text: string, from: number): Token {
  const code = text.charCodeAt(from);
  const next = text.charCodeAt(from + 1);
  if (isSpace(code)) return { kind: 'space', from, to: spaceEnd(text, from) };
  if (isWordStart(code)) {
    const escapes = (code === 69 || code === 101) && next === quote;
    return escapes
      ? { kind: 'text', from, to: escapedEnd(text, from + 1) }
      : { kind: 'word', from, to: wordEnd(text, from) };
  }
  if (code === quote) return { kind: 'text', from, to: quotedEnd(text, from, "'") };
  if (code === doubleQuote) return { kind: 'name', from, to: quotedEnd(text, from, '"') };
  if (code === dash && next === dash) return { kind: 'comment', from, to: lineEnd(text, from) };
  if (code === slash && next === star) return { kind: 'comment', from, to: blockCommentEnd(text, from) };
  if (code === questionMark) return { kind: 'parameter', from, to: digitsEnd(text, from + 1) };
  if (code === dollar) return dollarToken(text, from);
  if (isDigit(code)) return { kind: 'symbol', from, to: wordEnd(text, from) };
  return { kind: 'symbol', from, to: from + 1 };
}

/** `$tag$…$tag$`, `$1` or `$name`. */
function dollarToken(text: string, from: number): Token {
  const tagEnd = wordEnd(text, from + 1, false);
  const isTag = text.charCodeAt(tagEnd) === dollar && !isDigit(text.charCodeAt(from + 1));
  if (!isTag) return { kind: tagEnd === from + 1 ? 'symbol' : 'parameter', from, to: tagEnd };
  const tag = text.slice(from, tagEnd + 1);
  const close = text.indexOf(tag, tagEnd + 1);
  return { kind: 'text', from, to: close < 0 ? text.length : close + tag.length };
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

function spaceEnd(text: string, at: number): number {
  let end = at + 1;
  while (isSpace(text.charCodeAt(end))) end++;
  return end;
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

function isSpace(code: number): boolean {
  return code === space || (code >= tab && code <= carriageReturn) || code === hardSpace;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** Letters, `_`, and everything beyond ASCII. */
function isWordStart(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    code === 95 ||
    (code >= 128 && code !== hardSpace)
  );
}
