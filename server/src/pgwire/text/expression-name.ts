import { type MatchedWord, outerWords, type Span } from './matched-words.ts';
import { selectList } from './select-list.ts';

/** A name that only helps if nothing inside has a better one: that of a type, or of CASE. */
interface Name {
  readonly name: string;
  readonly isWeak: boolean;
}

/** Deeper expressions have no name. */
const depthMax = 20;

const operators: ReadonlySet<string> = new Set([
  ...['AND', 'OR', 'NOT', 'IS', 'ISNULL', 'NOTNULL', 'LIKE', 'ILIKE', 'SIMILAR', 'GLOB', 'IN', 'BETWEEN'],
  'OPERATOR',
]);
/** Symbols of what has a name in spite of them. */
const inNames: ReadonlySet<string> = new Set(['.', ':', '(', '[', '{']);
/** What may come behind the call of a function. */
const behindCalls: ReadonlySet<string> = new Set(['OVER', 'FILTER', 'WITHIN', 'IGNORE', 'RESPECT']);

/** Words that are values, not names of columns. */
export const constants: ReadonlySet<string> = new Set(['TRUE', 'FALSE', 'NULL', 'DEFAULT']);

const strong = (name: string): Name => ({ name, isWeak: false });
const weak = (name: string): Name => ({ name, isWeak: true });

/** In the way of PostgreSQL's `FigureColname`; null: it would be `?column?`. */
export function expressionName(words: readonly MatchedWord[], span: Span): string | null {
  return figure(words, span, 0)?.name ?? null;
}

function figure(words: readonly MatchedWord[], { from, to }: Span, depth: number): Name | null {
  const first = words[from];
  if (first === undefined || from >= to || depth > depthMax) return null;
  if (first.keyword === '(' && first.close === to - 1)
    return inParentheses(words, { from: from + 1, to: to - 1 }, depth + 1);
  let cast = -1;
  for (const at of outerWords(words, { from, to })) {
    const { kind, keyword } = words[at] as MatchedWord;
    if (keyword === 'COLLATE') return figure(words, { from, to: at }, depth + 1);
    if (keyword === 'AT' && words[at + 1]?.keyword === 'TIME') return strong('timezone');
    if (keyword === ':' && words[at + 1]?.keyword === ':') cast = at;
    if (operators.has(keyword) || (kind === 'symbol' && !inNames.has(keyword))) return null;
  }
  if (cast !== -1) {
    const inner = figure(words, { from, to: cast }, depth + 1);
    return castName(inner, typeName(words, { from: cast + 2, to }));
  }
  return primary(words, { from, to }, depth);
}

function inParentheses(words: readonly MatchedWord[], span: Span, depth: number): Name | null {
  const keyword = words[span.from]?.keyword ?? '';
  if (keyword === 'SELECT' || keyword === 'WITH') {
    const [item] = selectList(words, span) ?? [];
    return item === undefined ? null : figureItem(words, item, depth);
  }
  for (const at of outerWords(words, span)) if (words[at]?.keyword === ',') return strong('row');
  return figure(words, span, depth);
}

/** Of a subquery: its only column, which may have an alias. */
function figureItem(words: readonly MatchedWord[], { from, to }: Span, depth: number): Name | null {
  const last = words[to - 1];
  if (words[to - 2]?.keyword === 'AS' && last !== undefined) return strong(nameOfWord(last));
  return figure(words, { from, to }, depth);
}

function primary(words: readonly MatchedWord[], { from, to }: Span, depth: number): Name | null {
  const first = words[from] as MatchedWord;
  const last = words[to - 1] as MatchedWord;
  if (to - from === 1) return single(first);
  if (first.keyword === 'CASE') return caseName(words, { from, to }, depth);
  if (first.keyword === 'ARRAY') return strong('array');
  const call = functionName(words, { from, to }, depth);
  if (call !== null) return call;
  // A part of a list, or a field.
  for (const at of outerWords(words, { from: from + 1, to }))
    if (words[at]?.keyword === '[' && words[at]?.close === to - 1)
      return figure(words, { from, to: at }, depth + 1);
  if (words[to - 2]?.keyword === '.' && (last.kind === 'word' || last.kind === 'quoted'))
    return strong(nameOfWord(last));
  // DATE '2024-01-01', INTERVAL '1' DAY
  if (first.keyword === 'INTERVAL') return weak('interval');
  if (last.kind === 'string' && first.kind === 'word') return weak(typeName(words, { from, to: to - 1 }));
  return null;
}

function single(word: MatchedWord): Name | null {
  if (constants.has(word.keyword)) return null;
  return word.kind === 'word' || word.kind === 'quoted' ? strong(nameOfWord(word)) : null;
}

function caseName(words: readonly MatchedWord[], { from, to }: Span, depth: number): Name | null {
  if (words[from]?.close !== to - 1) return null;
  for (const at of outerWords(words, { from: from + 1, to: to - 1 })) {
    if (words[at]?.keyword !== 'ELSE') continue;
    const otherwise = figure(words, { from: at + 1, to: to - 1 }, depth + 1);
    if (otherwise?.isWeak === false) return otherwise;
  }
  return weak('case');
}

function functionName(words: readonly MatchedWord[], { from, to }: Span, depth: number): Name | null {
  let at = from;
  while (words[at + 1]?.keyword === '.' && at + 2 < to) at += 2;
  const name = words[at] as MatchedWord;
  const open = words[at + 1];
  if ((name.kind !== 'word' && name.kind !== 'quoted') || open?.keyword !== '(') return null;
  const inside = { from: at + 2, to: open.close };
  if (open.close !== to - 1 && !behindCalls.has(words[open.close + 1]?.keyword ?? '')) return null;
  if (name.keyword === 'CAST' || name.keyword === 'TRY_CAST') return castIn(words, inside, depth);
  if (name.keyword !== 'TRIM') return strong(nameOfWord(name));
  const side = words[inside.from]?.keyword;
  return strong(side === 'LEADING' ? 'ltrim' : side === 'TRAILING' ? 'rtrim' : 'btrim');
}

function castIn(words: readonly MatchedWord[], { from, to }: Span, depth: number): Name | null {
  for (const at of outerWords(words, { from, to })) {
    if (words[at]?.keyword !== 'AS') continue;
    return castName(figure(words, { from, to: at }, depth + 1), typeName(words, { from: at + 1, to }));
  }
  return null;
}

function castName(inner: Name | null, type: string): Name {
  return inner === null || inner.isWeak ? weak(type) : inner;
}

/** PostgreSQL's own names of what the standard calls otherwise. */
const typeNames: Readonly<Record<string, string>> = {
  BIGINT: 'int8',
  BOOLEAN: 'bool',
  CHAR: 'bpchar',
  CHARACTER: 'bpchar',
  DEC: 'numeric',
  DECIMAL: 'numeric',
  DOUBLE: 'float8',
  FLOAT: 'float8',
  INT: 'int4',
  INTEGER: 'int4',
  REAL: 'float4',
  SMALLINT: 'int2',
};

function typeName(words: readonly MatchedWord[], { from, to }: Span): string {
  let at = from;
  while (words[at + 1]?.keyword === '.' && at + 2 < to) at += 2;
  const word = words[at] as MatchedWord | undefined;
  if (word === undefined) return '?column?';
  const has = (keyword: string) => words.slice(at, to).some((each) => each.keyword === keyword);
  if (word.keyword === 'CHARACTER' && has('VARYING')) return 'varchar';
  if ((word.keyword === 'TIMESTAMP' || word.keyword === 'TIME') && has('WITH'))
    return `${word.keyword.toLowerCase()}tz`;
  return typeNames[word.keyword] ?? nameOfWord(word);
}

function nameOfWord(word: MatchedWord): string {
  return word.kind === 'quoted' ? nameOfQuoted(word.text) : folded(word.text);
}

export function nameOfQuoted(written: string): string {
  return written.slice(1, -1).replaceAll('""', '"');
}

/** As PostgreSQL reads an identifier without quotes: it knows the capitals of ASCII only. */
export function folded(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}
