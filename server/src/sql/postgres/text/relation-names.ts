import { isReserved } from './keywords.ts';
import { isGroup, isKeyword, isMark, isName, type SqlNode } from './nodes.ts';

/** A name behind FROM or JOIN, or in a list of those. */
export interface RelationName {
  /** Absent if the name stands alone. */
  readonly schema: string | null;
  readonly name: string;
  /** In the text. */
  readonly start: number;
  readonly end: number;
  readonly hasAlias: boolean;
}

/** What a statement names. */
export interface NamesInStatement {
  readonly relations: readonly RelationName[];
  /** In lower case, without schemas. */
  readonly functions: ReadonlySet<string>;
  /** Every word that is not quoted. */
  readonly words: ReadonlySet<string>;
}

/** Behind these the list of tables is over. */
const fromEnds = [
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
  'select',
  'with',
  'values',
];
/** Functions with a FROM of their own between their arguments. */
const withFrom = ['extract', 'overlay', 'position', 'substring', 'trim'];

/** The relations and functions that a statement names. Names of WITH are no relations. */
export function namesIn(nodes: readonly SqlNode[]): NamesInStatement {
  const finder = new NameFinder();
  finder.statement(nodes);
  const relations = finder.relations.filter(
    ({ schema, name }) => schema !== null || !finder.common.has(name),
  );
  return { relations, functions: finder.functions, words: finder.words };
}

class NameFinder {
  readonly relations: RelationName[] = [];
  readonly functions = new Set<string>();
  readonly words = new Set<string>();
  /** Names of WITH, wherever they can be seen: a statement that uses one of them for a relation as well is rare. */
  readonly common = new Set<string>();

  /** `isTables`: a list in brackets behind FROM. */
  statement(nodes: readonly SqlNode[], isTables = false): void {
    let inFrom = isTables;
    let isTableNext = isTables;
    for (let at = 0; at < nodes.length; at++) {
      const node = nodes[at] as SqlNode;
      const next = nodes[at + 1];
      if (node.kind === 'word') this.words.add(node.name);
      if (isTableNext && isKeyword(node, 'lateral', 'only')) continue;
      if (isTableNext) {
        isTableNext = false;
        at = this.#table(nodes, at);
        continue;
      }
      if (isName(node) && isKeyword(next, 'as') && isBodyOf(nodes, at + 2)) this.common.add(node.name);
      if (isName(node) && isGroup(next, '(') && isKeyword(nodes[at + 2], 'as') && isBodyOf(nodes, at + 3))
        this.common.add(node.name);
      if (isKeyword(node, 'from', 'join') && !isKeyword(nodes[at - 1], 'distinct')) {
        inFrom = true;
        isTableNext = true;
      } else if (
        isKeyword(node, 'table') &&
        isName(next) &&
        (at === 0 || isKeyword(nodes[at - 1], 'all', 'union'))
      )
        isTableNext = true;
      else if (inFrom && isMark(node, ',')) isTableNext = true;
      else if (isKeyword(node, ...fromEnds)) inFrom = false;
      else if (node.kind === 'group') this.#group(nodes, at);
    }
  }

  #group(nodes: readonly SqlNode[], at: number): void {
    const node = nodes[at];
    const before = nodes[at - 1];
    if (node?.kind !== 'group') return;
    const isCall =
      isGroup(node, '(') && isName(before) && !(before.kind === 'word' && isReserved(before.name));
    if (isCall) this.functions.add(before.name);
    if (isCall && isKeyword(before, ...withFrom)) {
      // Its FROM is no list of tables.
      for (const [index, inner] of node.inside.entries())
        if (inner.kind === 'group') this.#group(node.inside, index);
    } else this.statement(node.inside);
  }

  /** A table, a function or a query, from its first node to its last. */
  #table(nodes: readonly SqlNode[], start: number): number {
    const first = nodes[start];
    if (isGroup(first, '(')) {
      const isQuery =
        isKeyword(first.inside[0], 'select', 'with', 'values', 'table') || isOpenQuery(first.inside[0]);
      this.statement(first.inside, !isQuery);
      return start;
    }
    if (!isName(first)) return start;
    let at = start;
    const parts = [first.name];
    while (isMark(nodes[at + 1], '.') && isName(nodes[at + 2])) {
      at += 2;
      parts.push((nodes[at] as typeof first).name);
    }
    const name = parts.at(-1) as string;
    if (isGroup(nodes[at + 1], '(')) {
      this.functions.add(name);
      this.#group(nodes, at + 1);
      return at + 1;
    }
    const { end } = nodes[at] as typeof first;
    this.relations.push({
      schema: parts.at(-2) ?? null,
      name,
      start: first.start,
      end,
      hasAlias: isAlias(nodes[at + 1]),
    });
    return at;
  }
}

/** `((SELECT …) UNION …)`. */
function isOpenQuery(node: SqlNode | undefined): boolean {
  return (
    isGroup(node, '(') &&
    (isKeyword(node.inside[0], 'select', 'with', 'values') || isOpenQuery(node.inside[0]))
  );
}

/** The query behind `name AS`. */
function isBodyOf(nodes: readonly SqlNode[], at: number): boolean {
  let body = at;
  if (isKeyword(nodes[body], 'not')) body += 1;
  if (isKeyword(nodes[body], 'materialized')) body += 1;
  const node = nodes[body];
  return (
    isGroup(node, '(') &&
    (isKeyword(node.inside[0], 'select', 'with', 'values') || isOpenQuery(node.inside[0]))
  );
}

const joins = ['cross', 'tablesample', 'set'];

function isAlias(node: SqlNode | undefined): boolean {
  if (isKeyword(node, 'as')) return true;
  return isName(node) && !(node.kind === 'word' && (isReserved(node.name) || joins.includes(node.name)));
}
