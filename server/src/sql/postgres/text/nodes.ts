import { FrameholdError } from '../../../model/errors.ts';

/** A word of a statement, or a group in brackets with what is inside. */
export type SqlNode = WordNode | GroupNode;

export interface WordNode {
  readonly kind: 'word' | 'quoted' | 'string' | 'number' | 'parameter' | 'operator';
  /** As it is written. */
  readonly text: string;
  /** Names: without quotes, and in lower case if there are none. Operators: as they are written. Else ''. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

export interface GroupNode {
  readonly kind: 'group';
  readonly text: '(' | '[';
  readonly name: '';
  readonly start: number;
  readonly end: number;
  readonly inside: readonly SqlNode[];
}

/** Statements of tools have ten levels. Each takes a frame of the stack of what walks over them. */
const depthMax = 200;

interface OpenGroup {
  readonly text: '(' | '[' | '';
  readonly start: number;
  readonly inside: SqlNode[];
}

const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']' };

/**
 * The text as nodes, cut as PostgreSQL cuts texts into words. Comments and blanks are left out. Each character is looked at once. sql_invalid for brackets that do not
 * match, and for quotes that are not closed.
 */
export function readNodes(text: string): readonly SqlNode[] {
  const open: OpenGroup[] = [{ text: '', start: 0, inside: [] }];
  const token =
    /[ \t\n\r\f\v]+|--[^\n\r]*|([A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*)|(\d[\w.]*|\.\d\w*)|(\$\d+)|(::|[(),.;:[\]])|([-+*/<>=~!@#%^&|`?]+)/y;
  for (let at = 0; at < text.length; ) {
    const top = open.at(-1) as OpenGroup;
    const special = readSpecial(text, at);
    if (special !== null) {
      if (special.node !== null) top.inside.push(special.node);
      at = special.end;
      continue;
    }
    token.lastIndex = at;
    const found = token.exec(text);
    if (found === null) throw invalid(`There is a syntax error at ${JSON.stringify(text[at])}.`);
    const [all, word, number, parameter, mark, symbols] = found;
    const end = at + all.length;
    if (mark !== undefined && closing[mark] !== undefined) {
      if (open.length > depthMax)
        throw invalid(`The statement has more than ${depthMax} levels of brackets.`);
      open.push({ text: mark as '(' | '[', start: at, inside: [] });
    } else if (mark === ')' || mark === ']') {
      open.pop();
      if (closing[top.text] !== mark) throw invalid(`There is no bracket that "${mark}" closes.`);
      const group = { kind: 'group', text: top.text as '(' | '[', name: '', start: top.start, end } as const;
      (open.at(-1) as OpenGroup).inside.push({ ...group, inside: top.inside });
    } else if (word !== undefined)
      top.inside.push({ kind: 'word', text: all, name: all.toLowerCase(), start: at, end });
    else if (number !== undefined) top.inside.push({ kind: 'number', text: all, name: '', start: at, end });
    else if (parameter !== undefined)
      top.inside.push({ kind: 'parameter', text: all, name: '', start: at, end });
    else if (mark !== undefined) top.inside.push({ kind: 'operator', text: all, name: all, start: at, end });
    else if (symbols !== undefined) {
      // A comment may begin within: `a+--b`.
      const cut = cutAtComment(all);
      top.inside.push({ kind: 'operator', text: cut, name: cut, start: at, end: at + cut.length });
      at += cut.length;
      continue;
    }
    at = end;
  }
  if (open.length > 1) throw invalid('A bracket is not closed.');
  return (open[0] as OpenGroup).inside;
}

function cutAtComment(symbols: string): string {
  const starts = [symbols.indexOf('--', 1), symbols.indexOf('/*', 1)].filter((each) => each > 0);
  return starts.length === 0 ? symbols : symbols.slice(0, Math.min(...starts));
}

interface Special {
  /** null: a comment. */
  readonly node: WordNode | null;
  readonly end: number;
}

/** What begins with a quote or a dollar sign, and comments in several lines. */
function readSpecial(text: string, start: number): Special | null {
  const first = text[start] as string;
  if (first === "'") return stringNode(text, start, afterQuote(text, start, "'"));
  if (first === '"') {
    const end = afterQuote(text, start, '"');
    const written = text.slice(start, end);
    const name = written.slice(1, -1).replaceAll('""', '"');
    return { node: { kind: 'quoted', text: written, name, start, end }, end };
  }
  if (text[start + 1] === "'" && 'eEbBxXnN'.includes(first)) {
    const isEscaped = first === 'e' || first === 'E';
    return stringNode(
      text,
      start,
      isEscaped ? afterEscapes(text, start + 1) : afterQuote(text, start + 1, "'"),
    );
  }
  if (first === '/' && text[start + 1] === '*') return { node: null, end: afterComment(text, start) };
  if (first !== '$') return null;
  const tag = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;
  tag.lastIndex = start;
  const [opening] = tag.exec(text) ?? [];
  if (opening === undefined) return null;
  const close = text.indexOf(opening, start + opening.length);
  if (close === -1) throw unclosed();
  return stringNode(text, start, close + opening.length);
}

function stringNode(text: string, start: number, end: number): Special {
  return { node: { kind: 'string', text: text.slice(start, end), name: '', start, end }, end };
}

/** A quote inside is written twice. */
function afterQuote(text: string, start: number, quote: string): number {
  for (let at = start + 1; ; at += 2) {
    at = text.indexOf(quote, at);
    if (at === -1) throw unclosed();
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
  throw unclosed();
}

/** Comments are nested. */
function afterComment(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text.startsWith('/*', at)) depth += 1;
    else if (text.startsWith('*/', at)) depth -= 1;
    else continue;
    at++;
    if (depth === 0) return at + 1;
  }
  throw invalid('A comment is not closed.');
}

function unclosed(): FrameholdError {
  return invalid('A quote is not closed.');
}

function invalid(detail: string): FrameholdError {
  return new FrameholdError('sql_invalid', detail);
}

/** The value of a string; null if it is written with backslashes or as bits. */
export function stringValue({ kind, text }: SqlNode): string | null {
  if (kind !== 'string') return null;
  if (text.startsWith("'")) return text.slice(1, -1).replaceAll("''", "'");
  if (/^[eE]'[^\\]*'$/.test(text)) return text.slice(2, -1).replaceAll("''", "'");
  if (!text.startsWith('$')) return null;
  const tag = text.slice(0, text.indexOf('$', 1) + 1);
  return text.slice(tag.length, -tag.length);
}

export function isName(node: SqlNode | undefined): node is WordNode {
  return node?.kind === 'word' || node?.kind === 'quoted';
}

/** A word without quotes that is one of these, which are in lower case. */
export function isKeyword(node: SqlNode | undefined, ...keywords: readonly string[]): boolean {
  return node?.kind === 'word' && keywords.includes(node.name);
}

export function isMark(node: SqlNode | undefined, mark: string): boolean {
  return node?.kind === 'operator' && node.text === mark;
}

export function isGroup(node: SqlNode | undefined, bracket: '(' | '['): node is GroupNode {
  return node?.kind === 'group' && node.text === bracket;
}
