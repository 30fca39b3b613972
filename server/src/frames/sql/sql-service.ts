import type { Schema } from '../../arrow/field.ts';
import { parseMessage } from '../../arrow/ipc/message.ts';
import { encodeSchema } from '../../arrow/ipc/schema-encoder.ts';
import { describeColumn } from '../../arrow/schema/column-types.ts';
import { hasWideIntegers, withoutMarks, withWideIntegers } from '../../arrow/schema/wide-integers.ts';
import { type AccessGuard, ownName } from '../access/access-guard.ts';
import type { Audit } from '../access/audit.ts';
import type { Caller } from '../access/caller.ts';
import { FrameholdError } from '../errors.ts';
import type { PutTarget } from '../frames.ts';
import { parseHandle, parseNewName } from '../handle.ts';
import type { TenantPlaces } from '../limits/tenant-places.ts';
import type { ObjectGuard } from '../objects/object-guard.ts';
import type { Observe } from '../observation.ts';
import type {
  BindRequest,
  BoundStatement,
  Engine,
  EngineName,
  EngineStatement,
  EngineVocabulary,
  StatementShape,
  StatementTarget,
} from '../ports/engine.ts';
import type { QueryId, RunningQueries } from '../ports/running-queries.ts';
import type { Sharing } from '../sharing/sharing.ts';
import type { VersionRecord } from '../version.ts';
import { callerOn, defaultEngine, type SqlEngine, type SqlEngines } from './engines.ts';
import { findFrame, findFrameOrNull } from './find-frame.ts';
import { listCatalog } from './frame-catalog.ts';
import type { HistoryRecorder } from './history.ts';
import { putStatement } from './put-statement.ts';
import { RunningStatement } from './running-statement.ts';
import type {
  FailedState,
  QueryState,
  Sql,
  SqlChange,
  SqlDescription,
  SqlOutcome,
  SqlRequest,
} from './sql.ts';
import { openTables, type StatementTablesDependencies } from './statement-tables.ts';

export interface SqlServiceDependencies extends Omit<StatementTablesDependencies, 'versions'> {
  readonly engines: SqlEngines;
  readonly queries: RunningQueries;
  readonly guard: ObjectGuard;
  readonly access: AccessGuard;
  readonly audit: Audit;
  /** Shared with the proxy. The limit of the server is the engine's own queue. */
  readonly places: TenantPlaces;
  readonly sharing: Pick<Sharing, 'sharedWithMe'>;
  readonly history: HistoryRecorder;
  readonly observe: Observe;
}

export interface SqlServiceOptions {
  /** The longest text of a statement. */
  readonly textBytesMax: number;
}

/** How much of a statement's text is kept with the versions it makes, so that a manifest stays small. */
const keptTextMax = 64 * 1024;

/** SQL over held frames: names become versions, versions become Parquet files, and what a statement changes is put like an upload. */
export class SqlService implements Sql {
  readonly #dependencies: SqlServiceDependencies;
  readonly #options: SqlServiceOptions;
  readonly #vocabularies = new WeakMap<Engine, Promise<EngineVocabulary>>();

  constructor(dependencies: SqlServiceDependencies, options: SqlServiceOptions) {
    this.#dependencies = dependencies;
    this.#options = options;
  }

  async describe(
    caller: Caller,
    sql: string,
    signal: AbortSignal,
    engineName: EngineName = defaultEngine,
  ): Promise<SqlDescription> {
    this.#checkReader(caller);
    const leave = this.#admit(caller);
    let shape: StatementShape | null = null;
    try {
      this.#checkText(sql);
      const engine = this.#dependencies.engines.of(engineName, caller.tenant);
      await using held = new AsyncDisposableStack();
      const statement = held.adopt(await engine.engine.begin(sql, signal), (open) => open.close());
      shape = statement.shape;
      checkSources(statement, engine);
      return await this.#described(caller, engine, statement, signal);
    } catch (error) {
      this.#dependencies.audit.statementRefused(callerOn(engineName, caller), shape, error);
      throw error;
    } finally {
      leave();
    }
  }

  async execute(caller: Caller, request: SqlRequest, signal: AbortSignal): Promise<SqlOutcome> {
    this.#checkReader(caller);
    const leave = this.#admit(caller);
    try {
      this.#checkText(request.sql);
      const engine = this.#dependencies.engines.of(request.engine ?? defaultEngine, caller.tenant);
      const outcome = await this.#run(caller, engine, request, signal);
      if (outcome.kind === 'rows') return { ...outcome, release: () => outcome.release().finally(leave) };
      leave();
      return outcome;
    } catch (error) {
      leave();
      throw error;
    }
  }

  async #run(
    caller: Caller,
    engine: SqlEngine,
    request: SqlRequest,
    signal: AbortSignal,
  ): Promise<SqlOutcome> {
    const { queries, access } = this.#dependencies;
    const query = queries.begin(caller, request.sql, queryIdOf(request), engine.name);
    const own = this.#dependencies;
    const dependencies = request.inHistory === false ? { ...own, history: null } : own;
    const running = new RunningStatement(dependencies, caller, request.sql, engine, query, signal);
    try {
      const statement = await running.begin();
      checkAllowed(statement, request);
      checkSources(statement, engine);
      this.#checkAccess(caller, statement.shape);
      if (request.into !== undefined) {
        const { mode, name } = request.into;
        access.check(caller, mode === 'append' ? 'frame.append' : 'frame.put', ownName(caller, name));
      }
      const outcome =
        statement.shape.kind === 'query' || statement.shape.kind === 'explain'
          ? await this.#query(running, statement, request)
          : await this.#change(running, statement, request);
      if (outcome.kind === 'changed') await running.end('ok');
      return outcome;
    } catch (thrown) {
      throw await running.fail(thrown);
    }
  }

  async vocabulary(caller: Caller, engineName: EngineName = defaultEngine): Promise<EngineVocabulary> {
    const { access, engines } = this.#dependencies;
    access.check(caller, 'function.list');
    const { engine } = engines.of(engineName, caller.tenant);
    const known = this.#vocabularies.get(engine);
    if (known !== undefined) return known;
    // Not the caller's signal: others may wait for the same answer.
    const asked = engine.vocabulary(new AbortController().signal).catch((error: unknown) => {
      this.#vocabularies.delete(engine);
      throw error;
    });
    this.#vocabularies.set(engine, asked);
    return asked;
  }

  async queries(caller: Caller): Promise<readonly QueryState[]> {
    this.#dependencies.access.check(caller, 'query.list');
    return this.#dependencies.queries.list(caller);
  }

  async query(caller: Caller, id: string, tenant?: string): Promise<QueryState | FailedState> {
    this.#dependencies.access.check(caller, 'query.list');
    return this.#dependencies.queries.state(caller, id, tenant);
  }

  async cancel(caller: Caller, id: string, tenant?: string): Promise<void> {
    const { access, audit, queries } = this.#dependencies;
    access.check(caller, 'query.cancel');
    const stopped = await queries.cancel(caller, id, tenant);
    audit.done(caller, 'query.cancel', null, { tenant: stopped.tenant, statement: stopped.id });
  }

  async #described(
    caller: Caller,
    engine: SqlEngine,
    statement: EngineStatement,
    signal: AbortSignal,
  ): Promise<SqlDescription> {
    await using held = new AsyncDisposableStack();
    const { shape } = statement;
    this.#checkAccess(caller, shape);
    const isQuery = shape.kind === 'query' || shape.kind === 'explain';
    if (shape.kind === 'drop') return { isQuery, schemaMessage: null, parameterSchemaMessage: noColumns };
    const insertInto = shape.kind === 'insert' ? await this.#insertTarget(caller, statement, signal) : null;
    const { tables } = held.adopt(
      await openTables(this.#opening(engine), caller, shape, false, signal),
      (open) => open.release(),
    );
    this.#checkCurrent(caller, shape);
    const bound = await statement.bind({ tables, insertInto: insertInto?.schema.message ?? null });
    return {
      isQuery,
      schemaMessage: isQuery ? plainSchema(bound.schemaMessage) : null,
      parameterSchemaMessage: bound.parameterSchemaMessage,
    };
  }

  async #query(
    running: RunningStatement,
    statement: EngineStatement,
    { parameters, into }: SqlRequest,
  ): Promise<SqlOutcome> {
    const bound = await this.#bind(running, statement, { insertInto: null, parameters });
    if (into === undefined)
      return {
        kind: 'rows',
        id: running.id,
        schemaMessage: plainSchema(bound.schemaMessage),
        markedSchemaMessage: bound.schemaMessage,
        columns: withWideIntegers(schemaOf(bound.schemaMessage)).fields.map(describeColumn),
        messages: running.rows(statement.run(parameters)),
        sources: running.sources,
        timings: running.timings,
        release: () => running.end('cancelled'),
      };
    const target = { name: into.name, mode: into.mode, ttlMs: into.ttlMs };
    return this.#hold(running, statement, bound, parameters, target);
  }

  async #change(
    running: RunningStatement,
    statement: EngineStatement,
    { parameters }: SqlRequest,
  ): Promise<SqlChange> {
    const { kind } = statement.shape;
    const target = targetOf(statement);
    const { caller, signal } = running;
    if (kind === 'drop') return this.#drop(running, target);
    if (kind === 'insert') {
      const base = await this.#insertTarget(caller, statement, signal);
      const bound = await this.#bind(running, statement, { insertInto: base.schema.message, parameters });
      return this.#hold(running, statement, bound, parameters, { name: base.name, mode: 'append' });
    }
    const existing = await findFrameOrNull(
      this.#dependencies.frames,
      caller,
      parseNewName(target.name),
      signal,
    );
    if (existing !== null && !target.orReplace) {
      if (target.conditional) return unchanged(running);
      throw frameExists(existing);
    }
    const bound = await this.#bind(running, statement, { insertInto: null, parameters });
    try {
      return await this.#hold(running, statement, bound, parameters, {
        name: existing?.name ?? target.name,
        mode: target.orReplace ? 'replace' : 'create',
      });
    } catch (error) {
      // Another caller created it meanwhile.
      if (target.conditional && error instanceof FrameholdError && error.kind === 'frame_exists')
        return unchanged(running);
      throw error;
    }
  }

  async #drop(running: RunningStatement, target: StatementTarget): Promise<SqlChange> {
    const { frames } = this.#dependencies;
    const { caller, signal } = running;
    const found = target.conditional
      ? await findFrameOrNull(frames, caller, target.name, signal)
      : await findFrame(frames, caller, target.name, signal);
    if (found === null) return unchanged(running);
    running.prepared();
    // With the tenant that was written: without it the caller's own frame of the same name would be dropped.
    const handle = { ...parseHandle(target.name), name: found.name };
    await frames.drop(caller, handle, { ifVersion: null, purge: false }, signal);
    return unchanged(running);
  }

  async #bind(
    running: RunningStatement,
    statement: EngineStatement,
    request: Omit<BindRequest, 'tables'>,
  ): Promise<BoundStatement> {
    const { caller, signal } = running;
    const tables = await openTables(this.#opening(running.engine), caller, statement.shape, true, signal);
    running.reads(tables);
    this.#checkCurrent(caller, statement.shape);
    const catalog = await listCatalog(this.#dependencies, caller, statement.shape.catalog, signal);
    const bound = await statement.bind({ tables: tables.tables, catalog, ...request });
    running.prepared();
    return bound;
  }

  async #hold(
    running: RunningStatement,
    statement: EngineStatement,
    { schemaMessage }: BoundStatement,
    parameters: SqlRequest['parameters'],
    target: { name: string | null; mode: PutTarget['mode']; ttlMs?: number | null | undefined },
  ): Promise<SqlChange> {
    const { name, mode, ttlMs } = target;
    const put: PutTarget = {
      name,
      mode,
      ...(ttlMs === undefined ? {} : { ttlMs }),
      format: 'arrow',
      originFormat: 'sql',
      query: { text: running.sql.slice(0, keptTextMax), sources: running.sources },
    };
    const rows = { statement, parameters, schemaMessage: plainSchema(schemaMessage) };
    const record = await putStatement(this.#dependencies, running, rows, put);
    return { kind: 'changed', id: running.id, rows: running.rowCount, record, timings: running.timings };
  }

  async #insertTarget(
    caller: Caller,
    statement: EngineStatement,
    signal: AbortSignal,
  ): Promise<VersionRecord> {
    const { name } = targetOf(statement);
    // A version never changes: only a name can be inserted into.
    parseNewName(name);
    return findFrame(this.#dependencies.frames, caller, name, signal);
  }

  /** Every kind of statement needs this at least. Without it, a statement is not even parsed, because that takes a place in the engine. */
  #checkReader(caller: Caller): void {
    this.#dependencies.access.check(caller, 'sql.query');
  }

  #opening({ versions }: SqlEngine): StatementTablesDependencies {
    const { frames, upstream } = this.#dependencies;
    return { frames, upstream, versions };
  }

  #admit(caller: Caller): () => void {
    const { audit, places } = this.#dependencies;
    return audit.attemptNow(caller, 'sql.query', null, () => places.enter(caller.tenant));
  }

  /** Before anything is read: what is needed depends on the kind of statement. */
  #checkAccess(caller: Caller, { kind, target, upstreamQueries }: StatementShape): void {
    const { access } = this.#dependencies;
    // As it was written: the method that changes it checks whether it belongs to another tenant.
    access.check(caller, `sql.${kind}`, ownName(caller, target?.name ?? null));
    if (upstreamQueries.length > 0) access.check(caller, 'tsdb.query');
  }

  /** Settling the tables and fetching rows of the external database may have taken long. */
  #checkCurrent(caller: Caller, { kind, target }: StatementShape): void {
    this.#dependencies.access.checkCurrent(caller, `sql.${kind}`, target?.name ?? null);
  }

  #checkText(sql: string): void {
    const bytes = Buffer.byteLength(sql);
    const { textBytesMax } = this.#options;
    if (bytes > textBytesMax)
      throw new FrameholdError(
        'body_too_large',
        `The statement has ${bytes} bytes; at most ${textBytesMax} are allowed.`,
        { hint: 'Put long lists of values as a frame and join it. The limit is sql.text_bytes_max.' },
      );
  }
}

const noColumns = encodeSchema({ fields: [], metadata: [] });

function targetOf({ shape }: EngineStatement): StatementTarget {
  if (shape.target === null) throw new Error(`a statement of kind ${shape.kind} without target`);
  return shape.target;
}

function checkAllowed({ shape }: EngineStatement, { readOnly, into }: SqlRequest): void {
  const changes = shape.kind !== 'query' && shape.kind !== 'explain';
  if (readOnly === true && (changes || into !== undefined))
    throw new FrameholdError(
      'sql_refused',
      'The statement would change something, and only reading is allowed here.',
      {
        hint: 'Send statements that change something with POST /v1/sql, or as a Flight SQL update.',
      },
    );
  if (into !== undefined && shape.kind !== 'query')
    throw new FrameholdError('bad_request', 'Only the rows of a query can be held as a frame.', {
      hint: 'Leave out into, or give a SELECT.',
    });
}

/** Rows of the external database come as files on this machine. */
function checkSources({ shape }: EngineStatement, { name }: SqlEngine): void {
  if (name === defaultEngine || shape.upstreamQueries.length === 0) return;
  throw new FrameholdError('sql_refused', `tsdb() is not available with the engine ${name}.`, {
    hint: `Hold the rows as a frame first, with ${defaultEngine} and into, then read that frame.`,
  });
}

function schemaOf(schemaMessage: Uint8Array): Schema {
  const message = parseMessage(schemaMessage);
  if (message.kind !== 'schema') throw new Error('the engine gave another message than a schema');
  return message.schema;
}

function plainSchema(schemaMessage: Uint8Array): Uint8Array {
  const schema = schemaOf(schemaMessage);
  return hasWideIntegers(schema) ? encodeSchema(withoutMarks(schema)) : schemaMessage;
}

function unchanged(running: RunningStatement): SqlChange {
  return { kind: 'changed', id: running.id, rows: 0, record: null, timings: running.timings };
}

function frameExists({ name, version }: VersionRecord): FrameholdError {
  return new FrameholdError('frame_exists', `The frame ${name} exists, at version ${version}.`, {
    hint: 'Use CREATE OR REPLACE TABLE, INSERT INTO, or another name.',
  });
}

function queryIdOf({ id, isIdOptional = false }: SqlRequest): QueryId | null {
  return id === undefined ? null : { text: id, isOptional: isIdOptional };
}
