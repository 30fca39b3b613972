import { isReserved, sessionWords } from './keywords.ts';
import { isGroup, isKeyword, isMark, isName, type SqlNode } from './nodes.ts';
import { readType } from './type-names.ts';

/** An item of the list behind SELECT. */
interface SelectItem {
  readonly start: number;
  /** The node behind it. */
  readonly end: number;
  /** Its name in PostgreSQL, if the statement gives it none: null if the engine has the same name, or it is several columns. */
  readonly name: string | null;
}

const noName = '?column?';
const listEnds = [
  'from',
  'where',
  'group',
  'having',
  'window',
  'union',
  'intersect',
  'except',
  'order',
  'limit',
  'offset',
  'fetch',
  'for',
  'into',
];

/** The items of all lists behind a SELECT among these nodes, without what is in brackets. */
export function selectItems(nodes: readonly SqlNode[]): readonly SelectItem[] {
  const items: SelectItem[] = [];
  for (let at = 0; at < nodes.length; at++) {
    if (!isKeyword(nodes[at], 'select')) continue;
    at += 1;
    if (isKeyword(nodes[at], 'all')) at += 1;
    if (isKeyword(nodes[at], 'distinct')) at += isKeyword(nodes[at + 1], 'on') ? 3 : 1;
    for (let start = at; ; at++) {
      const node = nodes[at];
      // FROM within an expression: IS DISTINCT FROM.
      const isWithin = isKeyword(node, 'from') && isKeyword(nodes[at - 1], 'distinct');
      const isEnd = node === undefined || isMark(node, ';') || (isKeyword(node, ...listEnds) && !isWithin);
      if (!isEnd && !isMark(node, ',')) continue;
      if (at > start) items.push(itemOf(nodes, start, at));
      start = at + 1;
      if (isEnd) break;
    }
  }
  return items;
}

function itemOf(nodes: readonly SqlNode[], start: number, end: number): SelectItem {
  const item = nodes.slice(start, end);
  const isPlain = item.every((node, index) =>
    index % 2 === 0 ? isName(node) && !isConstant(node) : isMark(node, '.'),
  );
  const isOwnName = isPlain && !(item.length === 1 && isSession(item[0]));
  if (isOwnName || hasAlias(item) || isMark(item.at(-1), '*')) return { start, end, name: null };
  return { start, end, name: nameOf(item).name };
}

function hasAlias(item: readonly SqlNode[]): boolean {
  const last = item.at(-1);
  const before = item.at(-2);
  if (!isName(last) || before === undefined) return false;
  if (isKeyword(before, 'as')) return true;
  if (last.kind === 'word' && isReserved(last.name)) return false;
  const ends =
    before.kind === 'operator'
      ? false
      : before.kind !== 'word' || !isReserved(before.name) || isKeyword(before, 'end', 'null');
  // `x::double precision` ends with its type.
  return (
    ends && !item.some((node, index) => isMark(node, '::') && readType(item, index + 1)?.end === item.length)
  );
}

interface Named {
  readonly name: string;
  /** 0: none; 1: of a type or of CASE, which a better one replaces; 2: of a column or a function. */
  readonly strength: 0 | 1 | 2;
}

const unnamed: Named = { name: noName, strength: 0 };

/** ELSE CASE … ELSE CASE: people write two or three, and each is read once more for the one around it. */
const casesMax = 16;

/** By the rules of PostgreSQL's parser, as far as statements of tools need them. */
function nameOf(item: readonly SqlNode[], cases = 0): Named {
  const first = item[0];
  if (first === undefined || cases > casesMax) return unnamed;
  if (isKeyword(first, 'case'))
    return item.length > 1 && isKeyword(item.at(-1), 'end') && isOneCase(item)
      ? caseName(item, cases)
      : unnamed;
  const cast = castsOf(item);
  if (cast === 'operation') return unnamed;
  if (cast !== null) {
    const inner = nameOf(item.slice(0, cast.at));
    return inner.strength === 2 ? inner : { name: cast.type, strength: 1 };
  }
  return primaryName(item, first);
}

/** One CASE from its first word to its last. */
function isOneCase(item: readonly SqlNode[]): boolean {
  let depth = 0;
  for (const [index, node] of item.entries()) {
    if (isKeyword(node, 'case')) depth += 1;
    else if (isKeyword(node, 'end')) depth -= 1;
    if (depth === 0) return index === item.length - 1;
  }
  return false;
}

function caseName(item: readonly SqlNode[], cases: number): Named {
  let depth = 0;
  let otherwise = -1;
  for (const [index, node] of item.entries()) {
    if (isKeyword(node, 'case')) depth += 1;
    else if (isKeyword(node, 'end')) depth -= 1;
    else if (isKeyword(node, 'else') && depth === 1) otherwise = index;
  }
  const named = otherwise === -1 ? unnamed : nameOf(item.slice(otherwise + 1, -1), cases + 1);
  return named.strength === 2 ? named : { name: 'case', strength: 1 };
}

const operations = [
  'and',
  'or',
  'not',
  'is',
  'in',
  'like',
  'ilike',
  'between',
  'isnull',
  'notnull',
  'similar',
];

/** Where the first `::` is that is not in brackets, and the type of the last; `operation` if an operator combines several values. */
function castsOf(
  item: readonly SqlNode[],
): { readonly at: number; readonly type: string } | 'operation' | null {
  let first: number | undefined;
  let found: { at: number; type: string } | null = null;
  let depth = 0;
  for (let at = 0; at < item.length; at++) {
    const node = item[at];
    if (isKeyword(node, 'case')) depth += 1;
    if (isKeyword(node, 'end')) depth -= 1;
    if (depth > 0) continue;
    if (isMark(node, '::')) {
      const type = readType(item, at + 1);
      if (type === null) return 'operation';
      first ??= at;
      found = { at: first, type: type.name };
      at = type.end - 1;
    } else if (isKeyword(node, 'collate')) at += 1;
    else if (node?.kind === 'operator' && node.text !== '.') return 'operation';
    else if (isKeyword(node, ...operations) && !isMark(item[at - 1], '.')) return 'operation';
  }
  return found;
}

function primaryName(item: readonly SqlNode[], first: SqlNode): Named {
  if (isGroup(first, '(')) {
    // `(x).field` has the name of the field.
    const last = item.at(-1);
    if (isName(last) && isMark(item.at(-2), '.')) return { name: last.name, strength: 2 };
    const inner = first.inside;
    return isKeyword(inner[0], 'select') ? subqueryName(inner) : nameOf(inner);
  }
  if (!isName(first)) return unnamed;
  if (isKeyword(first, 'true', 'false')) return { name: 'bool', strength: 1 };
  if (isKeyword(first, 'null')) return unnamed;
  const next = item[1];
  if (isKeyword(first, 'cast') && isGroup(next, '(')) return castName(next.inside);
  if (isKeyword(first, 'array') && next !== undefined) return { name: 'array', strength: 2 };
  if (next?.kind === 'string') return { name: readType(item, 0)?.name ?? noName, strength: 1 };
  let last = first;
  for (let at = 1; isMark(item[at], '.') && isName(item[at + 1]); at += 2)
    last = item[at + 1] as typeof first;
  if (isKeyword(last, 'trim')) return { name: 'btrim', strength: 2 };
  return { name: last.name, strength: 2 };
}

function castName(inside: readonly SqlNode[]): Named {
  const as = inside.findLastIndex((node) => isKeyword(node, 'as'));
  const inner = nameOf(inside.slice(0, as));
  if (inner.strength === 2) return inner;
  return { name: readType(inside, as + 1)?.name ?? noName, strength: 1 };
}

/** Of a query that gives one value: that of its column. */
function subqueryName(inside: readonly SqlNode[]): Named {
  const [first] = selectItems(inside);
  if (first === undefined) return unnamed;
  const item = inside.slice(first.start, first.end);
  const last = item.at(-1);
  const name = first.name ?? (isName(last) ? last.name : noName);
  return { name, strength: 2 };
}

function isConstant(node: SqlNode): boolean {
  return isKeyword(node, 'null', 'true', 'false');
}

function isSession(node: SqlNode | undefined): boolean {
  return node?.kind === 'word' && sessionWords.has(node.name);
}
