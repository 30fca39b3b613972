import { FrameholdError } from '../../../model/errors.ts';
import { catalogViews, type StatementShape, upstreamTable } from '../../../ports/engine.ts';
import { lowerCase, nextToken, quoteName, statementEnd } from '../sql-tokens.ts';
import { type CatalogReference, catalogTable, queryOfShow } from '../tables/catalog-views.ts';
import { queryOfDefinitions } from './column-definitions.ts';
import { type ParameterCasts, parameterCasts } from './parameter-casts.ts';
import { refusalOf } from './refused-statements.ts';
import { parsePrefix, type StatementPrefix } from './statement-prefix.ts';
import { type AnalyticsName, TreeWalk, type UpstreamCall } from './statement-tree.ts';
import { whatRepeats } from './what-repeats.ts';
import { placeOf, type Replacement, replaced, WrittenPlaces } from './written-places.ts';

/** A statement that may run, once its tables are there. */
export interface ParsedStatement {
  readonly shape: StatementShape;
  readonly prefix: StatementPrefix;
  /** One query without a semicolon: what is run, or whose rows are put; empty for DROP TABLE and COMMENT ON. */
  readonly query: string;
  /** Its text is the caller's own: places in messages fit. */
  readonly isAsWritten: boolean;
  /** Where something in the query is in the caller's text; null if the caller did not write the query. */
  readonly places: WrittenPlaces | null;
  /** INSERT … VALUES: all of its rows are in the text. */
  readonly isValuesList: boolean;
  readonly parameterCasts: ParameterCasts;
  readonly analytics: readonly AnalyticsName[];
  /** By the reviewed list of functions it neither reads nor sets anything of its connection. */
  readonly leavesConnection: boolean;
}

/** The engine's own parser: the tree of a text, as JSON. */
export type Serialize = (sql: string) => Promise<string>;

/** Accepts exactly one statement of an allowed kind, and finds the tables it reads. The engine only parses; it runs nothing. */
export async function parseStatement(serialize: Serialize, written: string): Promise<ParsedStatement> {
  // The engine takes texts that end at a zero, and its parser would see another statement than its executor.
  if (written.includes('\0') || !written.isWellFormed())
    throw new FrameholdError('sql_invalid', 'The text of the statement is not valid Unicode.');
  const sql = queryOfShow(written) ?? queryOfDefinitions(written) ?? written;
  const prefix = parsePrefix(sql);
  if (prefix.queryStart === null) return withoutQuery(prefix);
  const { queryStart } = prefix;
  const behind = sql.slice(queryStart);
  const isWritten = sql === written;
  const placesBehind = isWritten ? new WrittenPlaces(written, queryStart, behind) : null;
  const parsed = await parse(serialize, behind, placesBehind).catch((error: unknown) => {
    throw prefix.kind === 'insert' ? withInsertHint(error) : error;
  });
  const text = behind.slice(0, statementEnd(behind));
  // Semicolons and comments behind the statement are taken away, because it is put into another one; that must change nothing.
  if (text.length < behind.length && !sameTree(parsed, await parse(serialize, text)))
    throw new FrameholdError('sql_refused', 'The end of the statement is not clear.', {
      hint: 'Give one statement, without a semicolon.',
    });
  const walk = new TreeWalk(0);
  walk.walk(parsed);
  const upstreamQueries = [...new Set(walk.upstreamCalls.map((call) => call.query))];
  const catalog = catalogViews.filter((view) => walk.catalog.some((reference) => reference.view === view));
  const given = [...upstreamQueries.map((_, index) => upstreamTable(index)), ...catalog.map(catalogTable)];
  const withAliases = (areNamed: boolean): readonly Replacement[] => [
    ...walk.upstreamCalls.map((call) => upstreamReplacement(text, call, upstreamQueries)),
    ...walk.catalog.map((reference) => catalogReplacement(text, reference, areNamed)),
  ];
  let replacements = withAliases(true);
  let query = replaced(text, replacements);
  if (query !== text)
    await verifyReplaced(serialize, query, walk, given).catch(async (error: unknown) => {
      // DESCRIBE and TABLE take a name without an alias.
      replacements = withAliases(false);
      query = replaced(text, replacements);
      if (catalog.length === 0) throw error;
      await verifyReplaced(serialize, query, walk, given);
    });
  const isOfFrames = upstreamQueries.length === 0 && catalog.length === 0 && walk.analytics.length === 0;
  const repeats = prefix.kind === 'query' ? whatRepeats(parsed) : 'columns';
  const readsFramesOnly = prefix.kind === 'query' && isWritten && isOfFrames && walk.tables.length > 0;
  return {
    shape: {
      kind: prefix.kind,
      target: prefix.target,
      tables: walk.tables,
      upstreamQueries,
      catalog,
      parameterCount: parameterCountOf(parsed),
      ...(readsFramesOnly ? { repeats } : {}),
    },
    prefix,
    query,
    isAsWritten: isWritten && queryStart === 0 && query === text,
    places: isWritten ? new WrittenPlaces(written, queryStart, query, replacements) : null,
    isValuesList: isValuesList(parsed),
    parameterCasts: parameterCasts(parsed),
    analytics: walk.analytics,
    leavesConnection: isOfFrames && repeats === 'rows' && prefix.explain === null,
  };
}

function withoutQuery(prefix: StatementPrefix): ParsedStatement {
  return {
    shape: {
      kind: prefix.kind,
      target: prefix.target,
      tables: [],
      upstreamQueries: [],
      catalog: [],
      parameterCount: 0,
    },
    prefix,
    query: '',
    isAsWritten: true,
    places: null,
    isValuesList: false,
    parameterCasts: new Map(),
    analytics: [],
    leavesConnection: false,
  };
}

type Tree = Readonly<Record<string, unknown>>;

interface ParseAnswer {
  readonly error: boolean;
  readonly error_type?: string;
  readonly error_message?: string;
  readonly position?: string;
  readonly statements?: readonly Tree[];
}

/** The tree of the one query in a text. */
async function parse(serialize: Serialize, sql: string, places: WrittenPlaces | null = null): Promise<Tree> {
  const answer = parseAnswer(await serialize(sql));
  if (answer.error) throw notParsed(answer, sql, places);
  const statements = answer.statements ?? [];
  const statement = statements[0];
  if (statement === undefined) throw new FrameholdError('sql_invalid', 'There is no statement.');
  if (statements.length > 1)
    throw new FrameholdError('sql_refused', 'Only one statement at a time is run.', {
      hint: 'Send them one after another.',
    });
  return statement;
}

/** The engine takes 1e400 for infinity, and writes that into the tree, which is not JSON then. Nobody means it. */
function parseAnswer(text: string): ParseAnswer {
  try {
    return JSON.parse(text) as ParseAnswer;
  } catch (thrown) {
    if (!text.includes(':Infinity') && !text.includes(':-Infinity')) throw thrown;
    throw new FrameholdError('sql_invalid', 'A number of the statement is larger than a DOUBLE can be.', {
      hint: "Write 'infinity'::DOUBLE if that is meant.",
    });
  }
}

function notParsed(answer: ParseAnswer, sql: string, places: WrittenPlaces | null): FrameholdError {
  const message = answer.error_message ?? 'It cannot be parsed.';
  const isNoQuery = message.startsWith('Only SELECT statements');
  const refusal = refusalOf(sql, isNoQuery);
  if (refusal !== null) return refusal;
  if (isNoQuery)
    return new FrameholdError(
      'sql_refused',
      'Only queries, CREATE TABLE, INSERT INTO, DROP TABLE, COMMENT ON and EXPLAIN are run.',
      { hint: 'One statement at a time. A PIVOT needs its values: PIVOT t ON a IN (1, 2) USING sum(b).' },
    );
  if (answer.position === undefined) return new FrameholdError('sql_invalid', message);
  const place = places?.at(Number(answer.position)) ?? null;
  return new FrameholdError(
    'sql_invalid',
    `${message} (at byte ${answer.position})`,
    place === null ? {} : { place },
  );
}

/** What people write behind the rows of an INSERT, where the parser has only the query. */
function withInsertHint(error: unknown): unknown {
  if (!(error instanceof FrameholdError) || error.kind !== 'sql_invalid') return error;
  return new FrameholdError(error.kind, error.message, {
    hint: 'Write INSERT INTO name [(columns)] query, without ON CONFLICT, RETURNING or DEFAULT VALUES.',
    ...(error.place === undefined ? {} : { place: error.place }),
    cause: error,
  });
}

function sameTree(one: Tree, other: Tree): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function parameterCountOf(statement: Tree): number {
  const parameters = statement.named_param_map;
  return Array.isArray(parameters) ? parameters.length : 0;
}

function isValuesList(statement: Tree): boolean {
  const node = statement.node as Tree;
  const from = node.from_table as Tree | undefined;
  return node.type === 'SELECT_NODE' && from?.type === 'EXPRESSION_LIST' && from.alias === 'valueslist';
}

/** A table in the place of a `tsdb('…')`. */
function upstreamReplacement(sql: string, call: UpstreamCall, queries: readonly string[]): Replacement {
  const start = placeOf(sql, call.location);
  const name = nextToken(sql, start);
  const open = nextToken(sql, name.end);
  const literal = nextToken(sql, open.end);
  const close = nextToken(sql, literal.end);
  const isCall =
    name.start === start &&
    /^tsdb$/i.test(name.text) &&
    open.text === '(' &&
    literal.kind === 'string' &&
    close.text === ')';
  if (!isCall)
    throw new FrameholdError('sql_refused', 'tsdb() is not where the parser says.', {
      hint: "Write FROM tsdb('SELECT …') with plain spaces.",
    });
  const table = quoteName(upstreamTable(queries.indexOf(call.query)));
  return { start, end: close.end, text: `${table}${call.hasAlias ? '' : ' AS tsdb'}` };
}

/** A table in the place of `information_schema.tables`, with or without the catalog before it. */
function catalogReplacement(
  sql: string,
  { view, location, hasAlias }: CatalogReference,
  isNamed: boolean,
): Replacement {
  const start = placeOf(sql, location);
  const names: string[] = [];
  let end = start;
  for (let mark = '.'; mark === '.'; ) {
    const name = nextToken(sql, end);
    if (name.kind !== 'word' && name.kind !== 'quoted') break;
    names.push(lowerCase(name.text));
    end = name.end;
    const next = nextToken(sql, end);
    mark = next.kind === 'mark' ? next.text : '';
    if (mark === '.') end = next.end;
  }
  const wanted = `information_schema.${view}`;
  if (![wanted, `framehold.${wanted}`].includes(names.join('.')))
    throw new FrameholdError('sql_refused', `${wanted} cannot be used there.`, {
      hint: `Write FROM ${wanted}.`,
    });
  const table = `framehold.main.${quoteName(catalogTable(view))}`;
  return { start, end, text: hasAlias || !isNamed ? table : `${table} AS ${quoteName(view)}` };
}

/** The replaced text must read the same tables and, instead of what was replaced, the given ones. */
async function verifyReplaced(
  serialize: Serialize,
  sql: string,
  before: TreeWalk,
  given: readonly string[],
): Promise<void> {
  const after = new TreeWalk(given.length);
  after.walk(await parse(serialize, sql));
  const same = [...before.tables, ...given].sort().join('\0') === [...after.tables].sort().join('\0');
  if (!same || after.upstreamCalls.length > 0 || after.catalog.length > 0)
    throw new FrameholdError('sql_refused', 'tsdb() or information_schema cannot be used there.');
}
