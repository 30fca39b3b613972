import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  type DuckDBConnection,
  type DuckDBPreparedStatement,
  type DuckDBResult,
  type DuckDBType,
  DuckDBTypeId,
  StatementType,
  VARCHAR,
} from '@duckdb/node-api';
import type { Schema } from '../../arrow/field.ts';
import { encodeSchema } from '../../arrow/ipc/schema-encoder.ts';
import { BufferPool } from '../../base/buffer-pool.ts';
import { StateMachine, type Transitions } from '../../base/state-machine.ts';
import { type ErrorKind, FrameholdError } from '../../model/errors.ts';
import type {
  BindRequest,
  BoundStatement,
  EngineTable,
  EngineVocabulary,
  StatementParameters,
  StatementShape,
} from '../../ports/engine.ts';
import type { IpcPiece } from '../statement-runner.ts';
import { failureLocation, fromDuckdb } from './duckdb-errors.ts';
import { type BindValues, parameterRows, parameterSchemaOf } from './parameters/parameters.ts';
import { durationColumns } from './plan/duration-columns.ts';
import { profileJson, profileText } from './plan/explain-text.ts';
import { arrowSchemaOf, encodeResult, requireEncodable } from './result/encode-result.ts';
import type { Sandbox, SandboxOptions } from './sandbox.ts';
import { SandboxKeeper } from './sandbox-keeper.ts';
import { lowerCase } from './sql-tokens.ts';
import { typesOfCasts } from './statement/parameter-casts.ts';
import type { ParsedStatement } from './statement/parse-statement.ts';
import { attachAnalytics, createAnalyticsFile } from './tables/analytics.ts';
import { createCatalogTables } from './tables/catalog-views.ts';
import { type InsertPlan, planInsert } from './tables/insert-rows.ts';
import { createTableView, schemaOf } from './tables/table-view.ts';
import { readVocabulary } from './vocabulary.ts';

/** Of this process. */
const keeper = new SandboxKeeper();

/** What is run: a statement whose parameters are bound, and the schema of its rows. */
interface Bound {
  readonly statement: DuckDBPreparedStatement;
  readonly text: string;
  readonly schema: Schema;
  readonly parameterSchema: Schema;
  readonly insert: InsertPlan | null;
  /** Its first run has begun, because only that shows the types of its rows. */
  readonly begun: BegunRun | null;
}

interface BegunRun {
  readonly result: DuckDBResult;
  readonly bind: BindValues;
  readonly further: Iterable<BindValues>;
}

/** A caller who has waited for the rows of a statement that failed does not wait much longer to hear why. */
const explainFailureMsMax = 30_000;

/** After these, what is in an instance is not known: it is not used again. */
const unsound: ReadonlySet<ErrorKind> = new Set([
  'cancelled',
  'disk_full',
  'engine_failed',
  'internal',
  'sql_memory',
]);

type State =
  /** Parsed. Nothing of it is in the instance. */
  | 'fresh'
  /** Its tables come into the instance, and it is prepared. */
  | 'binding'
  | 'bound'
  /** Between its first step and its last row. */
  | 'running'
  /** Its last row was made: the instance, and maybe its connection, may serve the next statement. */
  | 'reusable'
  /** With an error that the instance survives, but not the connection. */
  | 'failed'
  /** Interrupted while it worked, or failed in a way after which nobody knows what is in the instance. */
  | 'broken'
  | 'closed';

const transitions: Transitions<State> = {
  fresh: ['binding', 'closed'],
  binding: ['bound', 'failed', 'broken', 'closed'],
  bound: ['running', 'closed'],
  // Closed: a reader that left before the last row has left a query behind.
  running: ['reusable', 'failed', 'broken', 'closed'],
  reusable: ['closed'],
  failed: ['closed'],
  broken: ['closed'],
  closed: [],
};

/** Of the states before `closed`: the instance may serve the next statement, after what this one left in it was taken away. */
const sound: ReadonlySet<State> = new Set(['bound', 'reusable', 'failed']);
/** And so may the connection, if the statement is of a kind that changes nothing in it. */
const endedWell: ReadonlySet<State> = new Set(['bound', 'reusable']);

/**
 * One SQL statement in an instance of DuckDB that no other uses at the same time, and no other tenant ever. `begin` parses it and refuses what
 * is not allowed; `bind` gives it its tables, in a locked instance; `run` gives its rows. One after another; `interrupt` and `close` at any time.
 */
export class DuckdbStatement {
  #sandbox: Sandbox;
  readonly #tenant: string;
  readonly #parsed: ParsedStatement;
  readonly #options: SandboxOptions;
  readonly #life = new StateMachine<State>('fresh', transitions);
  /** Never shown to a caller. */
  readonly #paths: string[];
  /** From `bind` on. */
  #connection: DuckDBConnection | null = null;
  #bound: Bound | null = null;
  /** Views of them are in the instance. */
  #given: readonly EngineTable[] = [];

  private constructor(sandbox: Sandbox, tenant: string, parsed: ParsedStatement) {
    const { options } = sandbox;
    this.#sandbox = sandbox;
    this.#tenant = tenant;
    this.#parsed = parsed;
    this.#options = options;
    this.#paths = [options.tempDirectory, ...(options.analyticsPath === null ? [] : [options.analyticsPath])];
  }

  /** Makes an instance for the next statement while nobody waits, if that needs one. */
  static warm(options: SandboxOptions): Promise<void> {
    return keeper.warm(options);
  }

  static vocabulary(options: SandboxOptions): Promise<EngineVocabulary> {
    return keeper.withAny(options, (sandbox) => readVocabulary(sandbox.control));
  }

  static async begin(sql: string, options: SandboxOptions, tenant: string): Promise<DuckdbStatement> {
    const sandbox = await keeper.take(options, tenant);
    try {
      const parsed = await sandbox.statements.parse(sql);
      return new DuckdbStatement(sandbox, tenant, parsed);
    } catch (thrown) {
      const error = fromDuckdb(thrown, { phase: 'bind', showsLine: true, paths: [options.tempDirectory] });
      if (unsound.has(error.kind)) keeper.discard(sandbox);
      else keeper.giveBack(sandbox, tenant);
      throw error;
    }
  }

  get shape(): StatementShape {
    return this.#parsed.shape;
  }

  async bind(request: BindRequest, tempBytesMax = this.#options.tempBytesMax): Promise<BoundStatement> {
    const { shape } = this.#parsed;
    requireTables(shape, request.tables);
    this.#life.to('binding');
    try {
      const connection = await this.#enter(request.tables, tempBytesMax);
      const hasAnalytics = this.#options.analyticsPath !== null;
      await createCatalogTables(connection, shape.catalog, request.catalog ?? [], hasAnalytics);
      this.#bound = await this.#prepare(connection, request);
      const { schema, parameterSchema } = this.#bound;
      const answer = {
        schemaMessage: encodeSchema(schema),
        parameterSchemaMessage: encodeSchema(parameterSchema),
      };
      this.#finish('bound');
      return answer;
    } catch (thrown) {
      const error = this.#mapped(thrown, 'bind');
      try {
        // Still binding: the place is asked of the engine.
        throw await this.#placed(thrown, error);
      } finally {
        this.#finish(stateAfter(error));
      }
    }
  }

  /** A connection of a locked instance, in which the tables are. */
  async #enter(tables: readonly EngineTable[], tempBytesMax: number): Promise<DuckDBConnection> {
    const files = tables.flatMap((table) => table.files);
    const opened = await this.#allow(files, tempBytesMax);
    for (const path of [...files, ...opened]) this.#paths.push(path, dirname(path));
    let next = 0;
    const given = tables.map((table) => {
      const end = next + table.files.length;
      const files = opened.slice(next, end);
      next = end;
      return { ...table, files };
    });
    const { left } = this.#sandbox;
    const areThere = left.are(given);
    if (!areThere && !left.isEmpty) await this.#sandbox.dropTables();
    const connection = await this.#sandbox.connect();
    this.#connection = connection;
    if (!areThere) for (const table of given) await this.#createView(connection, table);
    this.#given = given;
    return connection;
  }

  /** Locks the instance, or takes another one. Gives the paths by which it opens the files. */
  async #allow(files: readonly string[], tempBytesMax: number): Promise<readonly string[]> {
    const { analytics } = this.#parsed;
    if (analytics.length === 0) {
      if (!this.#sandbox.takesLinks(tempBytesMax)) this.#sandbox = await keeper.exchange(this.#sandbox, null);
      await this.#sandbox.lockToLinks(tempBytesMax);
      const links = this.#sandbox.links.make(files);
      if (links !== null) return links;
    }
    // Only this statement has it: what is attached, or may be opened, stays so.
    if (this.#sandbox.isLocked) this.#sandbox = await keeper.exchange(this.#sandbox, this.#tenant);
    if (analytics.length > 0) await this.#attachAnalytics();
    await this.#sandbox.lockToFiles(files, tempBytesMax);
    return files;
  }

  async #createView(connection: DuckDBConnection, table: EngineTable): Promise<void> {
    try {
      await createTableView(connection, table, this.#sandbox.views);
    } catch (thrown) {
      const error = this.#mapped(thrown, 'bind');
      // Its own files are all that the statement may open: if that is denied or fails, something is wrong with them.
      if (error.kind !== 'sql_refused' && error.kind !== 'engine_failed') throw error;
      throw new FrameholdError('engine_failed', `The files of "${table.name}" cannot be read.`, {
        cause: thrown,
      });
    }
  }

  async #attachAnalytics(): Promise<void> {
    const { analyticsPath } = this.#options;
    if (analyticsPath !== null && !existsSync(analyticsPath)) await createAnalyticsFile(analyticsPath);
    await attachAnalytics(this.#sandbox.control, analyticsPath, this.#parsed.analytics);
  }

  async #prepare(connection: DuckDBConnection, request: BindRequest): Promise<Bound> {
    const { query, shape, prefix, isValuesList } = this.#parsed;
    const casts = await typesOfCasts(connection, this.#parsed.parameterCasts);
    const parametersOf = (statement: DuckDBPreparedStatement): Schema =>
      statement.parameterCount === 0 ? noColumns : parameterSchemaOf(statement, casts);
    if (shape.kind === 'insert') {
      if (request.insertInto === null || shape.target === null)
        throw new FrameholdError('engine_failed', 'The table to insert into was not given.');
      const schema = schemaOf(request.insertInto);
      const insert = await planInsert(connection, query, shape.target, schema, isValuesList);
      if (isTyped(insert.rows)) requireEncodable(typesOf(insert.rows), schema);
      const parameterSchema = parametersOf(insert.insert);
      return { statement: insert.rows, text: insert.text, schema, parameterSchema, insert, begun: null };
    }
    if (prefix.explain !== null) {
      const { analyze, json } = prefix.explain;
      const options = analyze ? '(ANALYZE, FORMAT JSON)' : json ? '(FORMAT JSON)' : '';
      const text = `EXPLAIN ${options} ${query}`;
      const statement = await connection.prepare(text);
      const schema = arrowSchemaOf(['explain_key', 'explain_value'], [VARCHAR, VARCHAR]);
      return { statement, text, schema, parameterSchema: parametersOf(statement), insert: null, begun: null };
    }
    const text = prefix.queryStart === null ? 'SELECT 0 AS rows WHERE false' : query;
    const statement = await connection.prepare(text);
    // Before values are bound: afterwards their types would be reported.
    const parameterSchema = parametersOf(statement);
    if (isTyped(statement)) {
      const names = Array.from({ length: statement.columnCount }, (_, index) => statement.columnName(index));
      const types = typesOf(statement);
      const schema = arrowSchemaOf(names, types, await durationColumns(connection, text, types));
      return { statement, text, schema, parameterSchema, insert: null, begun: null };
    }
    const begun = request.parameters ? await beginRun(statement, request.parameters) : null;
    const schema = begun && arrowSchemaOf(begun.result.columnNames(), begun.result.columnTypes());
    return { statement, text, schema: schema ?? noColumns, parameterSchema, insert: null, begun };
  }

  async *run(
    parameters: StatementParameters | null,
    pool: BufferPool = new BufferPool(0),
  ): AsyncGenerator<IpcPiece, void, void> {
    const bound = this.#bound;
    if (bound === null) throw new FrameholdError('engine_failed', 'The statement was not bound.');
    this.#life.to('running');
    try {
      if (this.#parsed.prefix.explain?.analyze) yield* this.#runProfile(bound, parameters, pool);
      else if (bound.insert?.throughTable)
        yield* this.#runThroughTable(bound, bound.insert.throughTable, parameters, pool);
      else {
        if (bound.begun !== null) yield* this.#encoded(bound.begun.result, bound, bound.begun.bind, pool);
        for (const bind of bound.begun?.further ?? runsOf(parameters, bound.statement)) {
          bind();
          yield* this.#encoded(await bound.statement.stream(), bound, bind, pool);
        }
      }
      this.#finish('reusable');
    } catch (thrown) {
      const error = this.#mapped(thrown, 'run');
      this.#finish(stateAfter(error));
      throw error;
    }
  }

  async *#runThroughTable(
    bound: Bound,
    { inserts, check }: NonNullable<InsertPlan['throughTable']>,
    parameters: StatementParameters | null,
    pool: BufferPool,
  ): AsyncGenerator<IpcPiece, void, void> {
    for (const bind of runsOf(parameters, inserts[0] as DuckDBPreparedStatement)) {
      for (const insert of inserts) {
        bind(insert);
        await insert.run();
      }
    }
    if (check !== null) await this.#open.run(check);
    yield* this.#encoded(await bound.statement.stream(), bound, null, pool);
  }

  /** Profiles name files: they are taken whole, cleaned, and given as rows again. */
  async *#runProfile(
    bound: Bound,
    parameters: StatementParameters | null,
    pool: BufferPool,
  ): AsyncGenerator<IpcPiece, void, void> {
    const show = this.#parsed.prefix.explain?.json ? profileJson : profileText;
    const rows = await this.#open.prepare('SELECT $1::VARCHAR AS explain_key, $2::VARCHAR AS explain_value');
    for (const bind of runsOf(parameters, bound.statement)) {
      bind();
      const profile = await bound.statement.runAndReadAll();
      rows.bind(['analyzed_plan', show(String(profile.value(1, 0)))]);
      yield* this.#encoded(await rows.stream(), bound, null, pool);
    }
  }

  /** Without `bind` the rows come out of memory, and reading them does not fail. */
  async *#encoded(
    result: DuckDBResult,
    { text, schema }: Bound,
    bind: BindValues | null,
    pool: BufferPool,
  ): AsyncGenerator<IpcPiece, void, void> {
    if (schema.fields.length === 0)
      throw new FrameholdError('sql_invalid', 'The types of the result depend on the parameters.', {
        hint: 'Say what a parameter is: $1::INTEGER.',
      });
    requireEncodable(result.columnTypes(), schema);
    yield* encodeResult(result, schema, {
      pool,
      ...(bind === null ? {} : { explainFailure: () => this.#failAgain(text, bind) }),
    });
  }

  /** Runs the statement once more, without its rows, to fail as it did: a stream keeps its reason to itself. */
  async #failAgain(text: string, bind: BindValues): Promise<null> {
    // It was interrupted: that is the reason.
    if (this.#life.is('broken')) return null;
    const again = await this.#open.prepare(`EXPLAIN ANALYZE ${text}`);
    bind(again);
    let gaveUp = false;
    const timer = setTimeout(() => {
      gaveUp = true;
      this.#open.interrupt();
    }, explainFailureMsMax);
    try {
      await again.run();
      return null;
    } catch (thrown) {
      if (gaveUp) return null;
      // The line that it shows is not quite the caller's.
      throw fromDuckdb(thrown, { phase: 'run', showsLine: false, paths: this.#paths });
    } finally {
      clearTimeout(timer);
      again.destroySync();
    }
  }

  /** From 0 to 1; null if nothing runs or the engine cannot estimate it: then it says 0 or -1. */
  progress(): number | null {
    if (this.#connection === null) return null;
    const { percentage } = this.#connection.progress;
    return percentage > 0 && percentage <= 100 ? percentage / 100 : null;
  }

  interrupt(): void {
    if (this.#life.is('binding', 'running')) this.#life.to('broken');
    this.#connection?.interrupt();
  }

  async close(): Promise<void> {
    if (this.#life.isFinal) return;
    const { state } = this.#life;
    this.#life.to('closed');
    // The engine itself says that it is of the kind that changes nothing.
    const isSelect = this.#bound?.statement.statementType === StatementType.SELECT;
    this.#leaveConnection(endedWell.has(state) && isSelect);
    if (state === 'fresh' || (sound.has(state) && (await this.#clean(isSelect))))
      keeper.giveBack(this.#sandbox, this.#tenant);
    else keeper.discard(this.#sandbox);
  }

  #leaveConnection(isUnchanged: boolean): void {
    const connection = this.#connection;
    this.#connection = null;
    if (connection !== null && isUnchanged && this.#parsed.leavesConnection) {
      this.#bound?.statement.destroySync();
      this.#sandbox.keepConnection(connection);
    } else connection?.disconnectSync();
  }

  /** Takes away what the statement left in the instance; false if something may still be there. */
  async #clean(isSelect: boolean): Promise<boolean> {
    if (!this.#sandbox.isLasting) return false;
    try {
      if (isSelect && this.#leavesViews()) this.#sandbox.links.remove();
      else if (this.#hasTables()) await this.#sandbox.wipe();
      return true;
    } catch {
      return false;
    }
  }

  /** It has only read views of frames: the next statement may read the same. */
  #leavesViews(): boolean {
    const { kind, upstreamQueries, catalog } = this.shape;
    if (kind === 'insert' || upstreamQueries.length + catalog.length > 0 || this.#given.length === 0)
      return false;
    return this.#sandbox.left.leave(this.#given);
  }

  #hasTables(): boolean {
    const { kind, tables, upstreamQueries, catalog } = this.shape;
    return kind === 'insert' || tables.length + upstreamQueries.length + catalog.length > 0;
  }

  get #open(): DuckDBConnection {
    if (this.#connection === null) throw new FrameholdError('engine_failed', 'The statement was not bound.');
    return this.#connection;
  }

  /** With its place: the engine's text has at most a line of the statement as it was run. */
  async #placed(thrown: unknown, error: FrameholdError): Promise<FrameholdError> {
    const { query, places } = this.#parsed;
    const connection = this.#connection;
    if (error.kind !== 'sql_invalid' || error === thrown || places === null) return error;
    // After an interrupt the engine is not asked for more.
    if (connection === null || this.#life.is('broken')) return error;
    const location = await failureLocation(connection, query, (thrown as Error).message);
    const place = location === null ? null : places.at(location);
    if (place === null) return error;
    const { kind, message, hint, sqlState, cause } = error;
    return new FrameholdError(kind, message, {
      ...(hint === undefined ? {} : { hint }),
      ...(sqlState === undefined ? {} : { sqlState }),
      place,
      cause,
    });
  }

  /** The end of its work, if nobody interrupted or closed it meanwhile. */
  #finish(state: 'bound' | 'reusable' | 'failed' | 'broken'): void {
    if (this.#life.is('binding', 'running')) this.#life.to(state);
  }

  #mapped(thrown: unknown, phase: 'bind' | 'run'): FrameholdError {
    return fromDuckdb(thrown, { phase, showsLine: this.#parsed.isAsWritten, paths: this.#paths });
  }
}

function stateAfter({ kind }: FrameholdError): 'failed' | 'broken' {
  return unsound.has(kind) ? 'broken' : 'failed';
}

/** Binds the values of each run; a statement without parameters has one run. */
function runsOf(
  parameters: StatementParameters | null,
  statement: DuckDBPreparedStatement,
): Iterable<BindValues> {
  if (parameters === null && statement.parameterCount === 0) return [() => {}];
  return parameterRows(parameters, statement);
}

const noColumns: Schema = { fields: [], metadata: [] };

/** Every table that the statement names, and no other. */
function requireTables(shape: StatementShape, tables: readonly EngineTable[]): void {
  const wanted = new Set(
    [...shape.tables, ...shape.upstreamQueries.map((_, index) => `tsdb:${index}`)].map(lowerCase),
  );
  const given = new Set(tables.map((table) => lowerCase(table.name)));
  const missing = [...wanted].find((name) => !given.has(name));
  if (missing !== undefined) throw new FrameholdError('sql_invalid', `There is no table "${missing}".`);
  if (given.size !== tables.length || given.size !== wanted.size)
    throw new FrameholdError('engine_failed', 'Tables were given that the statement does not name.');
}

function typesOf(statement: DuckDBPreparedStatement): readonly DuckDBType[] {
  return Array.from({ length: statement.columnCount }, (_, index) => statement.columnType(index));
}

/** Without values the engine cannot type every expression, and then types no column. */
function isTyped(statement: DuckDBPreparedStatement): boolean {
  return !(statement.columnCount === 1 && statement.columnTypeId(0) === DuckDBTypeId.INVALID);
}

async function beginRun(
  statement: DuckDBPreparedStatement,
  parameters: StatementParameters,
): Promise<BegunRun> {
  const runs = runsOf(parameters, statement)[Symbol.iterator]();
  const first = runs.next();
  // No rows of values: the statement never runs, and its rows have no types.
  if (first.done)
    throw new FrameholdError('sql_invalid', 'The types of the result depend on the parameters.', {
      hint: 'Say what a parameter is: $1::INTEGER.',
    });
  first.value();
  return { result: await statement.stream(), bind: first.value, further: { [Symbol.iterator]: () => runs } };
}
