import { FrameholdError } from '../../../model/errors.ts';
import { lowerCase } from '../sql-tokens.ts';
import { type CatalogReference, catalogViewOf } from '../tables/catalog-views.ts';
import { allowedTableFunctions, deniedFunctions } from './allowed-functions.ts';

/** What a query reaches for, out of the tree that the engine's own parser gives for it. */
interface TreeFindings {
  /** Names of frames as written, the first spelling of each. */
  readonly tables: readonly string[];
  readonly analytics: readonly AnalyticsName[];
  readonly upstreamCalls: readonly UpstreamCall[];
  readonly catalog: readonly CatalogReference[];
}

/** A table of the attached database. */
export interface AnalyticsName {
  readonly schema: string;
  readonly name: string;
}

/** One `tsdb('…')`. */
export interface UpstreamCall {
  readonly query: string;
  /** In bytes of the text as UTF-8. */
  readonly location: number;
  readonly hasAlias: boolean;
}

type Tree = Readonly<Record<string, unknown>>;
/** Names of common table expressions that can be seen at some place, in lower case. */
type Scope = ReadonlySet<string>;

const queryNodes = new Set(['SELECT_NODE', 'SET_OPERATION_NODE', 'RECURSIVE_CTE_NODE']);
const tableNodes = new Set([
  'BASE_TABLE',
  'EMPTY',
  'EXPRESSION_LIST',
  'JOIN',
  'PIVOT',
  'SHOW_REF',
  'SUBQUERY',
  'TABLE_FUNCTION',
]);
const expressionClasses = new Set([
  'BETWEEN',
  'CASE',
  'CAST',
  'COLLATE',
  'COLUMN_REF',
  'COMPARISON',
  'CONJUNCTION',
  'CONSTANT',
  'DEFAULT',
  'FUNCTION',
  'LAMBDA',
  'LAMBDA_REF',
  'OPERATOR',
  'PARAMETER',
  'POSITIONAL_REFERENCE',
  'STAR',
  'SUBQUERY',
  'TYPE',
  'WINDOW',
]);
const noSchema = new Set(['', 'main', 'pg_catalog']);
const noCatalog = new Set(['', 'system']);
const systemSchemas = new Set(['information_schema', 'pg_catalog']);
/** The table that replaces an upstream query; a statement must not name it. */
const upstreamPrefix = 'tsdb:';

/**
 * Walks the whole tree, whatever is in it. Three kinds of nodes are known by their members: queries, table references and expressions; of each only the
 * types listed above pass, so that what a later version of the engine adds is refused until somebody has looked at it.
 */
export class TreeWalk implements TreeFindings {
  readonly #tables = new Map<string, string>();
  readonly #analytics = new Map<string, AnalyticsName>();
  readonly upstreamCalls: UpstreamCall[] = [];
  readonly catalog: CatalogReference[] = [];
  readonly #upstreamTables: number;
  readonly #tableFunctions: ReadonlySet<string>;

  /** How many upstream tables may be named: none in a caller's own text. `tableFunctions`: those that may be read from. */
  constructor(upstreamTables: number, tableFunctions: ReadonlySet<string> = allowedTableFunctions) {
    this.#upstreamTables = upstreamTables;
    this.#tableFunctions = tableFunctions;
  }

  get tables(): readonly string[] {
    return [...this.#tables.values()];
  }

  get analytics(): readonly AnalyticsName[] {
    return [...this.#analytics.values()];
  }

  walk(statement: unknown): void {
    try {
      this.#visit(statement, new Set());
    } catch (thrown) {
      if (thrown instanceof RangeError)
        throw new FrameholdError('sql_refused', 'The statement is nested too deeply.');
      throw thrown;
    }
  }

  #visit(value: unknown, scope: Scope): void {
    if (Array.isArray(value)) {
      for (const item of value) this.#visit(item, scope);
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    const tree = value as Tree;
    if ('cte_map' in tree) this.#visitQuery(tree, scope);
    else if ('class' in tree) this.#visitExpression(tree, scope);
    else if ('alias' in tree && 'sample' in tree && 'query_location' in tree) this.#visitTable(tree, scope);
    else if ('table_name' in tree || 'function_name' in tree) throw unknownPart('node');
    else this.#visitMembers(tree, scope);
  }

  #visitMembers(tree: Tree, scope: Scope, without: readonly string[] = []): void {
    for (const [key, member] of Object.entries(tree)) if (!without.includes(key)) this.#visit(member, scope);
  }

  #visitQuery(tree: Tree, outer: Scope): void {
    const type = textOf(tree.type);
    if (!queryNodes.has(type)) throw unknownPart(type);
    const scope = new Set(outer);
    for (const { key, value } of expressionsOf(tree.cte_map)) {
      refuseName(key);
      // It sees only those before it in the list; its own name only if it is recursive (below).
      this.#visit(value, new Set(scope));
      scope.add(lowerCase(key));
    }
    if (type !== 'RECURSIVE_CTE_NODE') {
      this.#visitMembers(tree, scope, ['cte_map']);
      return;
    }
    this.#visitMembers(tree, scope, ['cte_map', 'right']);
    const name = textOf(tree.cte_name);
    refuseName(name);
    this.#visit(tree.right, new Set([...scope, lowerCase(name)]));
  }

  #visitExpression(tree: Tree, scope: Scope): void {
    const kind = textOf(tree.class);
    if (!expressionClasses.has(kind)) throw unknownPart(kind);
    if ('function_name' in tree) this.#checkFunction(tree);
    this.#visitMembers(tree, scope);
  }

  #checkFunction(tree: Tree): void {
    const name = textOf(tree.function_name);
    requireOwnFunction(tree, name);
    if (deniedFunctions.has(lowerCase(name)))
      throw new FrameholdError('sql_refused', `The function ${name} is not allowed.`);
  }

  #visitTable(tree: Tree, scope: Scope): void {
    const type = textOf(tree.type);
    if (!tableNodes.has(type)) throw unknownPart(type);
    if (type === 'BASE_TABLE') this.#visitBaseTable(tree, scope);
    else if (type === 'TABLE_FUNCTION') this.#visitTableFunction(tree, scope);
    else if (type === 'SHOW_REF') this.#visitShow(tree, scope);
    else {
      if (type === 'PIVOT') requirePlainPivot(tree);
      this.#visitMembers(tree, scope);
    }
  }

  #visitBaseTable(tree: Tree, scope: Scope): void {
    const name = textOf(tree.table_name);
    const schema = lowerCase(textOf(tree.schema_name));
    const catalog = lowerCase(textOf(tree.catalog_name));
    if (tree.at_clause !== null)
      throw new FrameholdError('sql_refused', 'AT is not offered.', {
        hint: 'An earlier version of a frame is the table "name@3".',
      });
    this.#visitMembers(tree, scope);
    if (catalog === 'analytics' || (catalog === '' && schema === 'analytics')) {
      const inSchema = catalog === 'analytics' ? schema : 'main';
      if (systemSchemas.has(inSchema)) throw refusedSchema(inSchema);
      this.#analytics.set(`${inSchema}.${lowerCase(name)}`, { schema: inSchema, name });
      return;
    }
    const view = schema === 'information_schema' && (catalog === '' || catalog === 'framehold');
    if (view) {
      this.catalog.push(catalogReference(tree, name));
      return;
    }
    const isFrames =
      (catalog === '' && (schema === '' || schema === 'main' || schema === 'framehold')) ||
      (catalog === 'framehold' && schema === 'main');
    if (!isFrames) throw refusedSchema([catalog, schema].filter(Boolean).join('.'));
    if (catalog === '' && schema === '' && scope.has(lowerCase(name))) return;
    if (name.startsWith(upstreamPrefix)) {
      const index = Number(name.slice(upstreamPrefix.length));
      if (!(index < this.#upstreamTables))
        throw new FrameholdError('sql_refused', `No frame can have the name "${name}".`);
    }
    if (!this.#tables.has(lowerCase(name))) this.#tables.set(lowerCase(name), name);
  }

  #visitTableFunction(tree: Tree, scope: Scope): void {
    const call = tree.function as Tree | null;
    if (call === null || typeof call !== 'object' || call.class !== 'FUNCTION')
      throw unknownPart('table function');
    const name = textOf(call.function_name);
    requireOwnFunction(call, name);
    if (lowerCase(name) === 'tsdb') {
      this.#upstreamCall(tree, call);
      return;
    }
    if (!this.#tableFunctions.has(lowerCase(name)))
      throw new FrameholdError('sql_refused', `The table function ${name} is not allowed.`, {
        hint: 'Frames are tables by their names. Functions that read files, settings or the catalog are not offered; information_schema.tables and information_schema.columns list frames.',
      });
    this.#visitMembers(tree, scope);
  }

  #upstreamCall(tree: Tree, call: Tree): void {
    const children = call.children as readonly Tree[];
    const value = children.length === 1 ? (children[0]?.value as Tree | undefined) : undefined;
    const type = value?.type as Tree | undefined;
    const isLiteral = children[0]?.class === 'CONSTANT' && type?.id === 'VARCHAR';
    const text = value?.value;
    const plain = tree.with_ordinality === 'WITHOUT_ORDINALITY' && call.distinct === false;
    if (!isLiteral || typeof text !== 'string' || !plain || children[0]?.alias !== '')
      throw new FrameholdError('sql_refused', 'tsdb() takes one literal: the text of a query.', {
        hint: "Write FROM tsdb('SELECT …').",
      });
    this.upstreamCalls.push({
      query: text,
      location: Number(tree.query_location),
      hasAlias: tree.alias !== '',
    });
  }

  #visitShow(tree: Tree, scope: Scope): void {
    const kind = textOf(tree.show_type);
    if (tree.query === null || tree.query === undefined || !['DESCRIBE', 'SUMMARY'].includes(kind))
      throw new FrameholdError('sql_refused', 'This form of SHOW is not offered.', {
        hint: 'Write SHOW TABLES, SHOW ALL TABLES, SHOW SCHEMAS or SHOW DATABASES alone; within a query read information_schema.tables. DESCRIBE name shows the columns of a frame.',
      });
    this.#visit(tree.query, scope);
  }
}

function catalogReference(tree: Tree, name: string): CatalogReference {
  const view = catalogViewOf(lowerCase(name));
  if (view === null)
    throw new FrameholdError('sql_refused', `information_schema.${name} is not offered.`, {
      hint: 'Its views are tables, columns and schemata.',
    });
  return { view, location: Number(tree.query_location), hasAlias: tree.alias !== '' };
}

function expressionsOf(map: unknown): readonly { readonly key: string; readonly value: unknown }[] {
  const entries = (map as { map?: unknown } | null)?.map;
  if (!Array.isArray(entries)) throw unknownPart('WITH');
  return entries.map((entry: Tree) => {
    if (typeof entry.key !== 'string') throw unknownPart('WITH');
    return { key: entry.key, value: entry.value };
  });
}

/** A name in WITH that the engine could take for a file, an address, a catalog or one of its own views, were it ever not found. */
function refuseName(name: string): void {
  if (name === '' || /[./\\:*?[\]'"]|^(duckdb|sqlite|pragma|pg)_/i.test(name))
    throw new FrameholdError('sql_refused', `A name in WITH cannot be "${name}".`, {
      hint: 'Use letters, digits and underscores.',
    });
}

function requireOwnFunction(call: Tree, name: string): void {
  const schema = lowerCase(textOf(call.schema));
  const catalog = lowerCase(textOf(call.catalog));
  if (!noSchema.has(schema) || !noCatalog.has(catalog))
    throw new FrameholdError('sql_refused', `The function ${name} cannot be called with a schema before it.`);
}

/** PIVOT … ON column IN type: the type is looked up by name, and would be a way to the catalog. */
function requirePlainPivot(tree: Tree): void {
  for (const pivot of tree.pivots as readonly Tree[])
    if (pivot.pivot_enum !== '') throw new FrameholdError('sql_refused', 'PIVOT over a type is not offered.');
}

function refusedSchema(where: string): FrameholdError {
  return new FrameholdError('sql_refused', `Tables in ${where} cannot be read.`, {
    hint: 'Frames are in framehold.main, tables of the attached database in analytics. information_schema.tables and information_schema.columns list frames.',
  });
}

function unknownPart(what: string): FrameholdError {
  return new FrameholdError('sql_refused', `The statement has a part that is not allowed (${what}).`);
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw unknownPart('node');
  return value;
}
