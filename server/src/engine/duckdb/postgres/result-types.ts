import { catalogFunctions } from '../../../model/postgres/catalog-functions.ts';
import { systemRelation } from '../../../model/postgres/relations.ts';

type Tree = Readonly<Record<string, unknown>>;

/** As pg_type calls it; `unknown`: a literal that takes the type of what it meets; null: what the engine says. */
type TypeName = string | null;

interface Column {
  readonly name: string;
  readonly type: TypeName;
}

/** null: its columns are not known. */
type Columns = readonly Column[] | null;

interface Source {
  readonly alias: string;
  readonly columns: Columns;
}

interface Scope {
  readonly sources: readonly Source[];
  readonly common: ReadonlyMap<string, Columns>;
  readonly outer: Scope | null;
}

/**
 * The types of the columns of a statement that PostgreSQL has and the engine has not, such as `name`: they follow from the columns of its relations, its casts and its functions.
 * `tree` is what the engine's parser gives for it. null: the engine's type of that column says all; `unknown`: it has nothing but literals.
 */
export function resultTypes(tree: Tree): readonly TypeName[] | null {
  const columns = queryColumns(tree, { sources: [], common: new Map(), outer: null });
  return columns?.map(({ type }) => type) ?? null;
}

function queryColumns(value: unknown, outer: Scope): Columns {
  const node = asTree(asTree(value).node ?? value);
  const common = new Map(outer.common);
  for (const entry of list(asTree(node.cte_map).map)) {
    const { key, value: cte } = entry;
    const { query, aliases } = asTree(cte);
    const name = text(key).toLowerCase();
    // Its own name, if it is recursive.
    common.set(name, null);
    common.set(name, renamed(queryColumns(query, { sources: [], common, outer }), aliases));
  }
  switch (node.type) {
    case 'SELECT_NODE':
      return selectColumns(node, { sources: [], common, outer });
    case 'SET_OPERATION_NODE': {
      const sides = [node.left, node.right, ...list(node.children)].filter((side) => side !== undefined);
      const all = sides.map((side) => queryColumns(side, { sources: [], common, outer }));
      return all.reduce((one, other) => united(one, other));
    }
    case 'RECURSIVE_CTE_NODE':
      return queryColumns(node.left, { sources: [], common, outer });
    default:
      return null;
  }
}

function united(one: Columns, other: Columns): Columns {
  if (one === null || other === null) return null;
  return one.map(({ name, type }, index) => ({ name, type: merged([type, other[index]?.type ?? null]) }));
}

function selectColumns(node: Tree, scope: Scope): Columns {
  const sources: Source[] = [];
  const inside: Scope = { ...scope, sources };
  const isPlain = readSources(asTree(node.from_table), sources, inside);
  const columns: Column[] = [];
  for (const item of list(node.select_list)) {
    if (item.class !== 'STAR') {
      columns.push({
        name: text(item.alias) || text(list(item.column_names as unknown).at(-1) ?? lastName(item)),
        type: typeOf(item, inside),
      });
      continue;
    }
    const of = text(item.relation_name).toLowerCase();
    const wanted = sources.filter(({ alias }) => of === '' || alias === of);
    // USING gives a column of two tables once.
    if (!isPlain || list(item.exclude_list).length > 0) return null;
    for (const source of wanted) {
      if (source.columns === null) return null;
      columns.push(...source.columns);
    }
  }
  return columns;
}

function lastName(item: Tree): string {
  const names = item.column_names;
  return Array.isArray(names) ? text(names.at(-1)) : '';
}

/** False if columns of the sources are not all columns of `*`. */
function readSources(table: Tree, sources: Source[], scope: Scope): boolean {
  const aliases = table.column_name_alias;
  const add = (columns: Columns, name = ''): boolean => {
    sources.push({ alias: (text(table.alias) || name).toLowerCase(), columns: renamed(columns, aliases) });
    return true;
  };
  switch (table.type) {
    case 'BASE_TABLE': {
      const name = text(table.table_name);
      const common = scope.common.get(name.toLowerCase());
      return add(common === undefined ? columnsOfRelation(name) : common, name);
    }
    case 'SUBQUERY':
      return add(queryColumns(table.subquery, { sources: [], common: scope.common, outer: scope }));
    case 'TABLE_FUNCTION': {
      const call = asTree(table.function);
      const [argument] = list(call.children);
      const type =
        argument === undefined || call.function_name !== 'unnest' ? null : elementOf(typeOf(argument, scope));
      return add([{ name: text(call.function_name), type }], text(call.function_name));
    }
    case 'JOIN': {
      const isLeftPlain = readSources(asTree(table.left), sources, scope);
      const isRightPlain = readSources(asTree(table.right), sources, scope);
      return (
        isLeftPlain &&
        isRightPlain &&
        strings(table.using_columns).length === 0 &&
        table.ref_type !== 'NATURAL'
      );
    }
    case 'EMPTY':
      return true;
    case 'EXPRESSION_LIST':
      return add(null);
    default:
      add(null);
      return false;
  }
}

/** Domains have the type that they stand for, as in PostgreSQL's answers. */
const domains: Readonly<Record<string, string>> = {
  sql_identifier: 'name',
  character_data: 'varchar',
  yes_or_no: 'varchar',
  cardinal_number: 'int4',
  time_stamp: 'timestamptz',
};

function columnsOfRelation(table: string): Columns {
  const [schema, name] = table.startsWith('information_schema.')
    ? ['information_schema', table.slice(19)]
    : [null, table];
  return (
    systemRelation(schema, name)?.columns.map((column) => ({
      name: column.name,
      type: domains[column.type] ?? column.type,
    })) ?? null
  );
}

function renamed(columns: Columns, aliases: unknown): Columns {
  const names = strings(aliases);
  return columns?.map((column, index) => ({ ...column, name: names[index] ?? column.name })) ?? null;
}

/** Of the functions that give one of their arguments, or a list of them. */
const sameAsArgument = [
  'min',
  'max',
  'any_value',
  'first',
  'last',
  'arg_min',
  'arg_max',
  'nullif',
  'lag',
  'lead',
  'first_value',
  'last_value',
];

function typeOf(expression: Tree, scope: Scope): TypeName {
  const children = list(expression.children);
  switch (expression.class) {
    case 'COLUMN_REF':
      return columnType(strings(expression.column_names), scope);
    case 'CAST':
      return castType(asTree(expression.cast_type));
    case 'CONSTANT': {
      const { id } = asTree(asTree(expression.value).type);
      return id === 'VARCHAR' || id === 'NULL' || asTree(expression.value).is_null === true
        ? 'unknown'
        : null;
    }
    case 'POSITIONAL_REFERENCE':
      return (
        scope.sources.flatMap(({ columns }) => columns ?? [])[Number(expression.index) - 1]?.type ?? null
      );
    case 'CASE': {
      const branches = list(expression.case_checks).map((check) => asTree(check.then_expr));
      return merged([...branches, asTree(expression.else_expr)].map((each) => typeOf(each, scope)));
    }
    case 'SUBQUERY':
      if (expression.subquery_type !== 'SCALAR') return null;
      return (
        queryColumns(expression.subquery, { sources: [], common: scope.common, outer: scope })?.[0]?.type ??
        null
      );
    case 'OPERATOR':
      if (expression.type === 'OPERATOR_COALESCE')
        return merged(children.map((child) => typeOf(child, scope)));
      if (expression.type === 'ARRAY_EXTRACT' && children[0] !== undefined)
        return elementOf(typeOf(children[0], scope));
      return null;
    case 'FUNCTION':
    case 'WINDOW':
      return functionType(text(expression.function_name), children, scope);
    default:
      return null;
  }
}

function functionType(name: string, children: readonly Tree[], scope: Scope): TypeName {
  const own = name.startsWith('pg__') ? catalogFunctions.get(name.slice(4)) : undefined;
  if (own !== undefined && own !== null) return own;
  const [first] = children;
  if (first === undefined) return name === 'list_value' ? 'unknown' : null;
  if (sameAsArgument.includes(name)) return typeOf(first, scope);
  if (name === 'array_agg' || name === 'list' || name === 'list_value') return listOf(typeOf(first, scope));
  if (name === 'unnest') return elementOf(typeOf(first, scope));
  if (name === 'pg__array_remove') return typeOf(first, scope);
  return null;
}

function columnType(names: readonly string[], scope: Scope): TypeName {
  const column = names.at(-1)?.toLowerCase();
  const table = names.at(-2)?.toLowerCase();
  for (let each: Scope | null = scope; each !== null; each = each.outer) {
    const sources = each.sources.filter(({ alias }) => table === undefined || alias === table);
    for (const { columns } of sources) {
      const found = columns?.find(({ name }) => name.toLowerCase() === column);
      if (found !== undefined) return found.type;
    }
  }
  return null;
}

function castType(type: Tree): TypeName {
  const name = text(asTree(type.type_info).name);
  if (name.startsWith('pg__')) return name.slice(4);
  if (type.id === 'VARCHAR' || name.toUpperCase() === 'VARCHAR') return 'text';
  return null;
}

function merged(types: readonly TypeName[]): TypeName {
  const [first, ...others] = types.filter((type) => type !== 'unknown');
  if (first === undefined) return 'unknown';
  return others.every((type) => type === first) ? first : null;
}

function listOf(type: TypeName): TypeName {
  return type === null || type === 'unknown' ? null : `_${type}`;
}

function elementOf(type: TypeName): TypeName {
  if (type === 'int2vector') return 'int2';
  if (type === 'oidvector') return 'oid';
  return type?.startsWith('_') === true ? type.slice(1) : null;
}

function asTree(value: unknown): Tree {
  return typeof value === 'object' && value !== null ? (value as Tree) : {};
}

function list(value: unknown): readonly Tree[] {
  return Array.isArray(value) ? value : [];
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(text) : [];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
