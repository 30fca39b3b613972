import { catalogFunctions, renamedFunctions } from '../../../model/postgres/catalog-functions.ts';
import { listOfArray } from './array-literal.ts';
import { selectItems } from './column-names.ts';
import { isReserved, sessionWords } from './keywords.ts';
import {
  type GroupNode,
  isGroup,
  isKeyword,
  isMark,
  isName,
  type SqlNode,
  stringValue,
  type WordNode,
} from './nodes.ts';
import type { RelationName } from './relation-names.ts';
import { type RewrittenText, TextWriter } from './rewritten-text.ts';
import { duckdbType, isObjectType, readType, type WrittenType } from './type-names.ts';

/** Columns with the OID of a function, which PostgreSQL writes as its name. */
const functionColumns: ReadonlySet<string> = new Set([
  ...[
    'typinput',
    'typoutput',
    'typreceive',
    'typsend',
    'typmodin',
    'typmodout',
    'typanalyze',
    'typsubscript',
  ],
  ...['amhandler', 'rngcanonical', 'rngsubdiff', 'oprcode', 'oprrest', 'oprjoin'],
]);
const textTypes = ['text', 'varchar', 'name'];
/** Functions that give rows of one column: that has the name of the alias. */
const rowFunctions = ['generate_series', 'generate_subscripts', 'unnest'];
const comparisons = ['=', '<>', '!='];

/**
 * A statement over PostgreSQL's catalogs as the engine's instance with those catalogs takes it. Each node is looked at once. `relations`: those of the
 * statement.
 */
export function rewriteCatalogStatement(
  nodes: readonly SqlNode[],
  relations: readonly RelationName[],
): RewrittenText {
  const writer = new CatalogWriter(relations);
  writer.sequence(nodes, true);
  return writer.out.done();
}

/** Where an expression begins that an operator behind it may need as its argument. */
interface Primary {
  /** Its first piece. */
  readonly at: number;
  readonly first: SqlNode;
  last: SqlNode;
  readonly before: SqlNode | undefined;
  /** It is `first` alone. */
  isOne: boolean;
  /** It was cast to a text at last. */
  isText?: boolean;
}

class CatalogWriter {
  readonly out = new TextWriter();
  readonly #relations: ReadonlyMap<number, RelationName>;

  constructor(relations: readonly RelationName[]) {
    this.#relations = new Map(relations.map((relation) => [relation.start, relation]));
  }

  /** Nodes beside each other. `isOutside`: the statement itself, whose columns the client sees. */
  sequence(nodes: readonly SqlNode[], isOutside: boolean): void {
    const names = new Map<number, string>();
    for (const { end, name } of selectItems(nodes))
      if (name !== null && (isOutside || name !== '?column?')) names.set(end, name);
    const cases: Primary[] = [];
    let primary: Primary | null = null;
    for (let at = 0; at <= nodes.length; ) {
      const name = names.get(at);
      const node = nodes[at];
      if (name !== undefined) {
        this.out.add(`AS "${name.replaceAll('"', '""')}"`, (nodes[at - 1] as SqlNode).start);
        names.delete(at);
      }
      if (node === undefined) return;
      const before = nodes[at - 1];
      const begun: Primary = { at: this.out.length, first: node, last: node, before, isOne: true };
      if (isMark(node, '::') && primary !== null) {
        at = this.#cast(nodes, at, primary);
        continue;
      }
      if (
        comparisons.includes(node.name) &&
        isKeyword(nodes[at + 1], 'any', 'all', 'some') &&
        primary !== null
      ) {
        const after = this.#anyOf(nodes, at, primary);
        if (after !== null) {
          primary = null;
          at = after;
          continue;
        }
      }
      if (primary !== null && continuesPrimary(node, before)) {
        primary.last = node;
        primary.isOne = false;
      } else if (isKeyword(node, 'case')) {
        primary = begun;
        cases.push(begun);
      } else if (isKeyword(node, 'end')) primary = cases.pop() ?? null;
      else primary = node.kind === 'operator' || (isName(node) && isReservedWord(node)) ? null : begun;
      at = this.#node(nodes, at, isOutside, begun);
    }
  }

  /** One node, or what begins with it. Returns the number of the one behind it. */
  #node(nodes: readonly SqlNode[], at: number, isOutside: boolean, begun: Primary): number {
    const node = nodes[at] as SqlNode;
    const next = nodes[at + 1];
    const { start } = node;
    const relation = this.#relations.get(start);
    if (relation !== undefined) return this.#relation(nodes, at, relation);
    if (node.kind === 'group') {
      this.#group(node, nodes[at - 1], isOutside);
      return at + 1;
    }
    if (isKeyword(node, 'operator') && isGroup(next, '(')) {
      this.out.add(next.inside.at(-1)?.text ?? '', start);
      return at + 2;
    }
    if (isKeyword(node, 'collate')) return isMark(nodes[at + 2], '.') ? at + 4 : at + 2;
    if (isSystemSchema(node) && isMark(next, '.') && !isMark(nodes[at - 1], '.')) return at + 2;
    if (isKeyword(node, 'cast') && isGroup(next, '(')) return this.#writtenCast(nodes, at, begun);
    if (isSessionWord(nodes, at)) {
      this.out.add(`pg__${node.name}()`, start);
      return at + 1;
    }
    const isCall = isName(node) && isGroup(next, '(') && !isReservedWord(node);
    if (isCall) {
      begun.isOne = false;
      return this.#call(nodes, at);
    }
    const isJoined = node.text === '.' || node.text === ',' || isBehindDot(nodes, at);
    this.out.add(node.kind === 'word' ? node.name : node.text, start, isJoined);
    return at + 1;
  }

  #group(node: GroupNode, before: SqlNode | undefined, isOutside: boolean): void {
    this.out.add(node.text, node.start, isName(before) || node.text === '[');
    // `(SELECT 1) UNION (SELECT 2)` has the columns of its first part.
    this.sequence(node.inside, isOutside && before === undefined);
    this.out.add(node.text === '(' ? ')' : ']', node.end - 1, true);
  }

  #relation(
    nodes: readonly SqlNode[],
    at: number,
    { schema, name, start, end, hasAlias }: RelationName,
  ): number {
    const isViews = schema === 'information_schema';
    const table = isViews ? `"information_schema.${name}"` : `"${name}"`;
    this.out.add(isViews && !hasAlias ? `${table} AS "${name}"` : table, start);
    let after = at;
    while ((nodes[after]?.start ?? Number.POSITIVE_INFINITY) < end) after += 1;
    return after;
  }

  #call(nodes: readonly SqlNode[], at: number): number {
    const node = nodes[at] as WordNode;
    const group = nodes[at + 1] as GroupNode;
    const { name, start } = node;
    const isTable = isBehindFrom(nodes, at);
    const isRows = name === 'generate_series' && !isTable;
    const own = catalogFunctions.has(name) || isRows ? `pg__${name}` : (renamedFunctions[name] ?? null);
    const isSeries =
      name === 'generate_series' && isTable && group.inside.filter((each) => isMark(each, ',')).length === 1;
    const isList = isTable && (name === 'generate_subscripts' || isSeries);
    const written = own ?? (node.kind === 'word' ? name : node.text);
    this.out.add(
      isList ? `unnest(pg__${isSeries ? 'series' : 'subscripts'}` : written,
      start,
      isBehindDot(nodes, at),
    );
    this.#group(group, node, false);
    if (isList) this.out.add(')', group.end - 1, true);
    if (!isTable || !rowFunctions.includes(name)) return at + 2;
    const alias = isKeyword(nodes[at + 2], 'as') ? at + 3 : at + 2;
    const named = nodes[alias];
    if (!isName(named) || isReservedWord(named) || isGroup(nodes[alias + 1], '(')) return at + 2;
    const quoted = `"${named.name.replaceAll('"', '""')}"`;
    this.out.add(`AS ${quoted}(${quoted})`, named.start);
    return alias + 1;
  }

  /** `CAST(x AS type)`, as `(x)::type`. */
  #writtenCast(nodes: readonly SqlNode[], at: number, begun: Primary): number {
    const { start } = nodes[at] as SqlNode;
    const group = nodes[at + 1] as GroupNode;
    const as = group.inside.findLastIndex((node) => isKeyword(node, 'as'));
    const type = as === -1 ? null : readType(group.inside, as + 1);
    const value = group.inside.slice(0, Math.max(as, 0));
    const [only] = value;
    if (type === null || only === undefined) {
      this.out.add('CAST', start);
      return at + 1;
    }
    const last = value.at(-1) as SqlNode;
    const isOne = value.length === 1;
    const primary: Primary = { at: this.out.length, first: only, last, before: nodes[at - 1], isOne };
    begun.isOne = false;
    if (value.length > 1) this.out.add('(', start);
    this.sequence(value, false);
    if (value.length > 1) this.out.add(')', group.end - 1, true);
    const isText = isMark(nodes[at + 2], '::') && textTypes.includes(readType(nodes, at + 3)?.name ?? '');
    this.#convert(primary, type, isText, group.end - 1);
    return at + 2;
  }

  #cast(nodes: readonly SqlNode[], at: number, primary: Primary): number {
    const type = readType(nodes, at + 1);
    if (type === null) {
      this.out.add('::', (nodes[at] as SqlNode).start, true);
      return at + 1;
    }
    const further = isMark(nodes[type.end], '::') ? readType(nodes, type.end + 1) : null;
    const isText = further !== null && !further.isArray && textTypes.includes(further.name);
    this.#convert(primary, type, isText, (nodes[at] as SqlNode).start);
    primary.isOne = false;
    primary.isText = !type.isArray && textTypes.includes(type.name);
    return type.end;
  }

  /** What was written from `primary` on becomes a value of the type. `isText`: which is wanted as text next. */
  #convert(primary: Primary, type: WrittenType, isText: boolean, origin: number): void {
    const { first, at, isOne } = primary;
    const around = (name: string) => {
      this.out.prepend(at, `${name}(`);
      this.out.add(')', origin, true);
    };
    const literal = isOne ? stringValue(first) : null;
    const { name } = type;
    if (isObjectType(name) && type.isArray) {
      this.out.prepend(at, `(SELECT list(pg__${name}_text(one)) FROM unnest(`);
      this.out.add(') objects(one))', origin, true);
      return;
    }
    if (isObjectType(name)) {
      const isWritten = isOne && (first.kind === 'string' || first.kind === 'parameter');
      if (isWritten || primary.isText === true) around(`pg__to_${name}_oid`);
      if (isText) around(`pg__${name}_text`);
      else this.out.add(`::${duckdbType(name)}`, origin, true);
      return;
    }
    if (!type.isArray && textTypes.includes(name) && functionColumns.has(primary.last.name))
      around('pg__regproc_text');
    const list = type.isArray && literal !== null ? listOfArray(literal) : null;
    if (list !== null) this.out.replace(at, list);
    this.out.add(`::${duckdbType(name)}${modifierText(type)}${type.isArray ? '[]' : ''}`, origin, true);
  }

  /** `x = ANY (list)` as a function, which the engine takes in every place. null: it is left as it is. */
  #anyOf(nodes: readonly SqlNode[], at: number, primary: Primary): number | null {
    const operator = nodes[at] as SqlNode;
    const isEqual = operator.name === '=';
    const group = nodes[at + 2];
    if (isKeyword(nodes[at + 1], 'all') === isEqual || !isGroup(group, '(')) return null;
    if (isQuery(group.inside)) return null;
    // Part of a longer expression: `a || b = ANY (…)`.
    if (primary.before?.kind === 'operator' && ![',', '.', ...comparisons].includes(primary.before.text))
      return null;
    this.out.prepend(primary.at, isEqual ? 'pg__is_any(' : '(NOT pg__is_any(');
    this.out.add(',', operator.start, true);
    const [only] = group.inside;
    const literal = group.inside.length === 1 && only !== undefined ? stringValue(only) : null;
    const list = literal === null ? null : listOfArray(literal);
    if (list === null) this.sequence(group.inside, false);
    else this.out.add(list, group.start);
    this.out.add(isEqual ? ')' : '))', group.end - 1, true);
    return at + 3;
  }
}

function modifierText({ modifier, name }: WrittenType): string {
  // The length of a text is not kept: the engine has it as another name of its own type.
  return modifier === null || name === 'varchar'
    ? ''
    : `(${modifier.inside.map(({ text }) => text).join('')})`;
}

/** Whether a node goes on with the expression that is there: `a.b`, `f(x)`, `a[1]`. */
function continuesPrimary(node: SqlNode, before: SqlNode | undefined): boolean {
  if (before === undefined) return false;
  if (isMark(node, '.') || isMark(before, '.')) return true;
  const isNameBefore = isName(before) && !isReservedWord(before);
  if (isGroup(node, '(')) return isNameBefore;
  return isGroup(node, '[') && (isNameBefore || before.kind === 'group' || before.kind === 'parameter');
}

function isReservedWord({ kind, name }: WordNode): boolean {
  return kind === 'word' && isReserved(name);
}

/** And what is before the dot was written. */
function isBehindDot(nodes: readonly SqlNode[], at: number): boolean {
  const schema = nodes[at - 2];
  return (
    isMark(nodes[at - 1], '.') &&
    !(schema !== undefined && isSystemSchema(schema) && !isMark(nodes[at - 3], '.'))
  );
}

function isSystemSchema(node: SqlNode): boolean {
  return isName(node) && (node.name === 'pg_catalog' || node.name === 'information_schema');
}

function isSessionWord(nodes: readonly SqlNode[], at: number): boolean {
  const node = nodes[at] as SqlNode;
  const before = nodes[at - 1];
  if (node.kind !== 'word' || !sessionWords.has(node.name)) return false;
  return (
    !isGroup(nodes[at + 1], '(') &&
    !isMark(nodes[at + 1], '.') &&
    !isMark(before, '.') &&
    !isKeyword(before, 'as')
  );
}

function isBehindFrom(nodes: readonly SqlNode[], at: number): boolean {
  let before = at - 1;
  while (isMark(nodes[before], '.')) before -= 2;
  if (isKeyword(nodes[before], 'lateral')) before -= 1;
  if (isKeyword(nodes[before], 'from', 'join')) return true;
  return isMark(nodes[before], ',') && isInFrom(nodes, before);
}

const fromWords = ['select', 'from', 'where', 'group', 'order', 'having', 'limit', 'union'];

/** How far back a list of tables is followed: each table is a few nodes. */
const lookBackMax = 200;

function isInFrom(nodes: readonly SqlNode[], from: number): boolean {
  for (let at = from; at >= Math.max(0, from - lookBackMax); at--)
    if (isKeyword(nodes[at], ...fromWords)) return isKeyword(nodes[at], 'from');
  return false;
}

function isQuery(inside: readonly SqlNode[]): boolean {
  const [first] = inside;
  return (
    isKeyword(first, 'select', 'values', 'with') ||
    (inside.length === 1 && isGroup(first, '(') && isQuery(first.inside))
  );
}
