import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  type DuckDBPreparedStatement,
  type DuckDBResult,
  type DuckDBType,
  DuckDBTypeId,
  VARCHAR,
} from '@duckdb/node-api';
import type { Schema } from '../../arrow/field.ts';
import { encodeSchema } from '../../arrow/ipc/schema-encoder.ts';
import { FrameholdError } from '../../frames/errors.ts';
import type {
  BindRequest,
  BoundStatement,
  EngineTable,
  EngineVocabulary,
  StatementParameters,
  StatementShape,
} from '../../frames/ports/engine.ts';
import { BufferPool } from '../../frames/reading/buffer-pool.ts';
import type { IpcPiece } from '../statement-runner.ts';
import { failureLocation, fromDuckdb } from './duckdb-errors.ts';
import { type BindValues, parameterRows, parameterSchemaOf } from './parameters/parameters.ts';
import { durationColumns } from './plan/duration-columns.ts';
import { profileJson, profileText } from './plan/explain-text.ts';
import { arrowSchemaOf, encodeResult, requireEncodable } from './result/encode-result.ts';
import { Sandbox, type SandboxOptions } from './sandbox.ts';
import { lowerCase } from './sql-tokens.ts';
import { typesOfCasts } from './statement/parameter-casts.ts';
import { type ParsedStatement, parseStatement } from './statement/parse-statement.ts';
import { attachAnalytics, createAnalyticsFile } from './tables/analytics.ts';
import { createCatalogTables } from './tables/catalog-views.ts';
import { type InsertPlan, planInsert } from './tables/insert-rows.ts';
import { createTableView, schemaOf } from './tables/table-view.ts';
import { readVocabulary } from './vocabulary.ts';

/** An instance made ahead, for the next statement with the same options. */
let spare: { readonly key: string; readonly sandbox: Sandbox } | null = null;

async function takeSandbox(options: SandboxOptions): Promise<Sandbox> {
  const ready = spare?.key === JSON.stringify(options) ? spare.sandbox : null;
  if (ready !== null) spare = null;
  return ready ?? (await Sandbox.open(options));
}

/** An instance that has only parsed serves the next statement as well. */
function putBack(sandbox: Sandbox, options: SandboxOptions): void {
  if (spare === null) spare = { key: JSON.stringify(options), sandbox };
  else sandbox.close();
}

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

/**
 * One SQL statement in an instance of DuckDB of its own. `begin` parses it and refuses what is not allowed; `bind` gives it its tables, and from
 * there the instance is locked; `run` gives its rows. One after another; `interrupt` and `close` at any time.
 */
export class DuckdbStatement {
  readonly #sandbox: Sandbox;
  readonly #parsed: ParsedStatement;
  readonly #options: SandboxOptions;
  /** Never shown to a caller. */
  readonly #paths: string[];
  #bound: Bound | null = null;
  /** The instance has only parsed. */
  #isFresh = true;
  #isInterrupted = false;
  #isClosed = false;

  private constructor(sandbox: Sandbox, parsed: ParsedStatement, options: SandboxOptions) {
    this.#sandbox = sandbox;
    this.#parsed = parsed;
    this.#options = options;
    this.#paths = [options.tempDirectory, ...(options.analyticsPath === null ? [] : [options.analyticsPath])];
  }

  /** Makes an instance for the next statement while nobody waits. */
  static async warm(options: SandboxOptions): Promise<void> {
    const key = JSON.stringify(options);
    if (spare?.key === key) return;
    spare?.sandbox.close();
    spare = null;
    spare = { key, sandbox: await Sandbox.open(options) };
  }

  static async vocabulary(options: SandboxOptions): Promise<EngineVocabulary> {
    const sandbox = await takeSandbox(options);
    try {
      return await readVocabulary(sandbox.connection);
    } finally {
      putBack(sandbox, options);
    }
  }

  static async begin(sql: string, options: SandboxOptions): Promise<DuckdbStatement> {
    const sandbox = await takeSandbox(options);
    try {
      return new DuckdbStatement(sandbox, await parseStatement(sandbox.connection, sql), options);
    } catch (thrown) {
      putBack(sandbox, options);
      throw fromDuckdb(thrown, { phase: 'bind', showsLine: true, paths: [options.tempDirectory] });
    }
  }

  get shape(): StatementShape {
    return this.#parsed.shape;
  }

  async bind(request: BindRequest, tempBytesMax?: number): Promise<BoundStatement> {
    return this.#mapped('bind', async () => {
      const { analytics, shape } = this.#parsed;
      requireTables(shape, request.tables);
      const files = request.tables.flatMap((table) => table.files);
      this.#paths.push(...files, ...files.map((file) => dirname(file)));
      this.#isFresh = false;
      if (analytics.length > 0) await this.#attachAnalytics();
      await this.#sandbox.lock(files, tempBytesMax);
      for (const table of request.tables) await this.#createView(table);
      const hasAnalytics = this.#options.analyticsPath !== null;
      await createCatalogTables(this.#sandbox.connection, shape.catalog, request.catalog ?? [], hasAnalytics);
      this.#bound = await this.#prepare(request);
      return {
        schemaMessage: encodeSchema(this.#bound.schema),
        parameterSchemaMessage: encodeSchema(this.#bound.parameterSchema),
      };
    });
  }

  async #createView(table: EngineTable): Promise<void> {
    try {
      await createTableView(this.#sandbox.connection, table);
    } catch (thrown) {
      const error = this.#error(thrown, 'bind');
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
    await attachAnalytics(this.#sandbox.connection, analyticsPath, this.#parsed.analytics);
  }

  async #prepare(request: BindRequest): Promise<Bound> {
    const { connection } = this.#sandbox;
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
    const text = shape.kind === 'drop' ? 'SELECT 0 AS rows WHERE false' : query;
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
    } catch (thrown) {
      throw this.#error(thrown, 'run');
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
    if (check !== null) await this.#sandbox.connection.run(check);
    yield* this.#encoded(await bound.statement.stream(), bound, null, pool);
  }

  /** Profiles name files: they are taken whole, cleaned, and given as rows again. */
  async *#runProfile(
    bound: Bound,
    parameters: StatementParameters | null,
    pool: BufferPool,
  ): AsyncGenerator<IpcPiece, void, void> {
    const show = this.#parsed.prefix.explain?.json ? profileJson : profileText;
    const rows = await this.#sandbox.connection.prepare(
      'SELECT $1::VARCHAR AS explain_key, $2::VARCHAR AS explain_value',
    );
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
    if (this.#isInterrupted) return null;
    const again = await this.#sandbox.connection.prepare(`EXPLAIN ANALYZE ${text}`);
    bind(again);
    let gaveUp = false;
    const timer = setTimeout(() => {
      gaveUp = true;
      this.#sandbox.interrupt();
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

  progress(): number | null {
    return this.#sandbox.progress();
  }

  interrupt(): void {
    this.#isInterrupted = true;
    this.#sandbox.interrupt();
  }

  async close(): Promise<void> {
    if (!this.#isFresh) this.#sandbox.close();
    else if (!this.#isClosed) putBack(this.#sandbox, this.#options);
    this.#isClosed = true;
  }

  async #mapped<Result>(phase: 'bind' | 'run', work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (thrown) {
      throw await this.#placed(thrown, this.#error(thrown, phase));
    }
  }

  /** With its place: the engine's text has at most a line of the statement as it was run. */
  async #placed(thrown: unknown, error: FrameholdError): Promise<FrameholdError> {
    const { query, places } = this.#parsed;
    if (error.kind !== 'sql_invalid' || error === thrown || places === null || this.#isInterrupted)
      return error;
    const location = await failureLocation(this.#sandbox.connection, query, (thrown as Error).message);
    const place = location === null ? null : places.at(location);
    if (place === null) return error;
    const { kind, message, hint, cause } = error;
    return new FrameholdError(kind, message, { ...(hint === undefined ? {} : { hint }), place, cause });
  }

  #error(thrown: unknown, phase: 'bind' | 'run'): FrameholdError {
    return fromDuckdb(thrown, { phase, showsLine: this.#parsed.isAsWritten, paths: this.#paths });
  }
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
