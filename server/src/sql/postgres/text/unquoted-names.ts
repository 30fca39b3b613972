import { isReserved } from './keywords.ts';
import { isGroup, isKeyword, isMark, isName, type SqlNode, type WordNode } from './nodes.ts';

/**
 * Words that DuckDB takes for no name unless they are quoted, and PostgreSQL 15 does. Clients quote by PostgreSQL's list: `DATE_TRUNC('DAY', at)`. A test asks both for their
 * keywords.
 */
export const duckdbKeywords: ReadonlySet<string> = new Set([
  ...['anti', 'asof', 'at', 'by', 'describe', 'glob', 'lambda', 'pivot', 'pivot_longer', 'pivot_wider'],
  ...['positional', 'qualify', 'semi', 'show', 'summarize', 'unpack', 'unpivot'],
]);

/** With these a query in brackets can begin: `FROM (SUMMARIZE trades)`. */
const queryStarts: ReadonlySet<string> = new Set([
  ...['describe', 'pivot', 'pivot_longer', 'pivot_wider', 'show', 'summarize', 'unpivot'],
]);

/** A name, or a term of an expression, can come next. */
const beforeNames: ReadonlySet<string> = new Set([
  ...['and', 'as', 'between', 'by', 'case', 'distinct', 'else', 'from', 'glob', 'having', 'ilike', 'in'],
  ...['join', 'like', 'not', 'on', 'or', 'qualify', 'select', 'then', 'when', 'where', 'with'],
]);

const infixes: ReadonlySet<string> = new Set(['and', 'between', 'ilike', 'in', 'is', 'like', 'not', 'or']);

/** What can follow a name. */
const afterNames: ReadonlySet<string> = new Set([
  ...infixes,
  ...['anti', 'as', 'asc', 'asof', 'at', 'collate', 'cross', 'desc', 'else', 'end', 'except'],
  ...['fetch', 'for', 'from', 'full', 'glob', 'group', 'having', 'inner', 'intersect', 'isnull'],
  ...['join', 'left', 'limit', 'natural', 'notnull', 'offset', 'on', 'order', 'placing'],
  ...['positional', 'qualify', 'right', 'select', 'semi', 'similar', 'tablesample', 'then', 'union'],
  ...['using', 'when', 'where', 'window'],
]);

/** These follow a name, `ORDER BY at ROWS …`, and can be one themselves: `lambda rows: rows + 1`. */
const unreserved: ReadonlySet<string> = new Set(['escape', 'groups', 'if', 'nulls', 'range', 'rows']);

/** No functions, and a query can follow: `WITH t AS MATERIALIZED (…)`, `PIVOT (…)`. */
const beforeQueries: ReadonlySet<string> = new Set([...queryStarts, 'materialized', 'qualify']);

/** What the first word in brackets can be. At its beginning a statement says what it is. */
type Start = 'statement' | 'query or name' | 'name';

/** The words of a statement that are names, though DuckDB reserves them. What has a meaning in DuckDB's own syntax is left out. */
export function unquotedNames(nodes: readonly SqlNode[]): readonly WordNode[] {
  const found: WordNode[] = [];
  collect(nodes, 'statement', found);
  return found;
}

function collect(nodes: readonly SqlNode[], start: Start, found: WordNode[]): void {
  let isNameNext = start !== 'statement';
  for (const [at, node] of nodes.entries()) {
    const before = nodes[at - 1];
    if (node.kind === 'group') {
      const isDistinctOn = isKeyword(before, 'on') && isKeyword(nodes[at - 2], 'distinct');
      const isList = isGroup(node, '[') || isDistinctOn || isFunction(before);
      collect(node.inside, isList ? 'name' : 'query or name', found);
      isNameNext = isDistinctOn;
    } else if (node.kind === 'word') {
      const mayBeQuery = at === 0 && start === 'query or name' && queryStarts.has(node.name);
      const isFree = isNameNext && duckdbKeywords.has(node.name) && canEnd(nodes, at, mayBeQuery);
      if (isFree) found.push(node);
      isNameNext = !isFree && beforeNames.has(node.name);
    } else if (node.kind === 'operator') {
      const isOfName = node.text === '.' || node.text === '::' || isMark(before, '.');
      // `SELECT * QUALIFY …`
      const isStar = node.text === '*' && isNameNext;
      isNameNext = !isOfName && !isStar;
    } else isNameNext = false;
  }
}

function isFunction(node: SqlNode | undefined): boolean {
  if (!isName(node)) return false;
  return node.kind === 'quoted' || !(isReserved(node.name) || beforeQueries.has(node.name));
}

/** Whether a name can end with this word. What may begin a query is a name only if an operator follows. */
function canEnd(nodes: readonly SqlNode[], at: number, mayBeQuery: boolean): boolean {
  const next = nodes[at + 1];
  if (mayBeQuery) return next?.kind === 'operator' || (next?.kind === 'word' && infixes.has(next.name));
  if (next === undefined || next.kind === 'operator' || isGroup(next, '[')) return true;
  if (next.kind !== 'word') return false;
  const isOfLambda = isMark(nodes[at + 2], ':') || isMark(nodes[at + 2], ',');
  return afterNames.has(next.name) || (unreserved.has(next.name) && !isOfLambda);
}
