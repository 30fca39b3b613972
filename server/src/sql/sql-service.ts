import { encodeSchema } from '../arrow/ipc/schema-encoder.ts';
import { describeColumn } from '../arrow/schema/column-types.ts';
import { withWideIntegers } from '../arrow/schema/wide-integers.ts';
import { waitingFor, waitingForEach } from '../base/request-time.ts';
import { type AccessGuard, ownName } from '../frames/access/access-guard.ts';
import type { Audit } from '../frames/access/audit.ts';
import type { ObjectGuard } from '../frames/objects/object-guard.ts';
import type { Sharing } from '../frames/sharing/sharing.ts';
import type { Caller } from '../model/caller.ts';
import { defaultEngine, type EngineName } from '../model/engine-name.ts';
import type { TenantPlaces } from '../model/limits/tenant-places.ts';
import type {
  BoundStatement,
  Engine,
  EngineStatement,
  EngineVocabulary,
  StatementShape,
} from '../ports/engine.ts';
import type { Observe } from '../ports/observation.ts';
import type { SqlDescription } from '../ports/prepared-statements.ts';
import type { FailedState, QueryId, QueryState, RunningQueries } from '../ports/running-queries.ts';
import { bindStatement, openingOf } from './bind-statement.ts';
import { plainSchema, schemaOf } from './changes/result-schema.ts';
import { type BegunStatement, StatementChanges } from './changes/statement-changes.ts';
import { checkConditions } from './changes/statement-conditions.ts';
import { callerOn, type SqlEngine, type SqlEngines } from './engines.ts';
import { BoundStatements, type ReadyStatement, reads } from './repeated/bound-statements.ts';
import type { KeptStatements } from './repeated/kept-statements.ts';
import { keeping, RepeatedStatements } from './repeated/repeated-statements.ts';
import { RunningStatement } from './running-statement.ts';
import type { HistoryRecorder } from './saved/history.ts';
import type { Sql, SqlOutcome, SqlRequest, SqlRows } from './sql.ts';
import { checkAllowed, checkSources, StatementChecks } from './statement-checks.ts';
import { openTables, type StatementTablesDependencies } from './tables/statement-tables.ts';

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
  readonly kept: KeptStatements;
  readonly observe: Observe;
}

export interface SqlServiceOptions {
  /** The longest text of a statement. */
  readonly textBytesMax: number;
  /** How long a statement that was described waits for a call that runs it. */
  readonly boundMs?: number;
}

/** SQL over held frames: names become versions, versions become Parquet files, and what a statement changes is put like an upload. */
export class SqlService implements Sql {
  readonly #dependencies: SqlServiceDependencies;
  readonly #checks: StatementChecks;
  readonly #changes: StatementChanges;
  readonly #repeated: RepeatedStatements;
  readonly #ready: BoundStatements;
  readonly #vocabularies = new WeakMap<Engine, Promise<EngineVocabulary>>();

  constructor(dependencies: SqlServiceDependencies, options: SqlServiceOptions) {
    this.#dependencies = dependencies;
    this.#repeated = new RepeatedStatements(dependencies);
    this.#ready = new BoundStatements(dependencies.places, options.boundMs);
    this.#checks = new StatementChecks(dependencies.access, options.textBytesMax);
    this.#changes = new StatementChanges(dependencies, this.#checks);
  }

  async describe(
    caller: Caller,
    sql: string,
    signal: AbortSignal,
    engineName: EngineName = defaultEngine,
  ): Promise<SqlDescription> {
    this.#checks.reader(caller);
    const leave = this.#admit(caller);
    let shape: StatementShape | null = null;
    let isHeld = false;
    try {
      this.#checks.text(sql);
      const engine = this.#dependencies.engines.of(engineName, caller.tenant);
      shape = this.#repeated.shape(caller, engine, sql);
      const known = shape === null ? null : await this.#knownDescription(caller, engine, sql, shape, signal);
      if (known !== null) return known;
      using call = followed(signal);
      const { stop } = call;
      await using held = new AsyncDisposableStack();
      const begun = waitingFor('engine', engine.engine.begin(sql, caller.tenant, stop.signal));
      const statement = held.adopt(await begun, (open) => open.close());
      shape = statement.shape;
      this.#repeated.learnShape(caller, engine, sql, shape);
      checkSources(statement, engine);
      const { description, ready } = await this.#described(
        caller,
        engine,
        sql,
        { statement, stop, held },
        signal,
      );
      if (ready !== null) {
        held.move();
        isHeld = true;
        this.#ready.hold({ tenant: caller.tenant, engine: engine.name, sql }, ready, leave);
      }
      return description;
    } catch (error) {
      this.#dependencies.audit.statementRefused(callerOn(engineName, caller), shape, error);
      throw error;
    } finally {
      if (!isHeld) leave();
    }
  }

  async execute(caller: Caller, request: SqlRequest, signal: AbortSignal): Promise<SqlOutcome> {
    this.#checks.reader(caller);
    const { sql, parameters, engine: engineName = defaultEngine } = request;
    const ready = { tenant: caller.tenant, engine: engineName, sql };
    const leave = (parameters === null ? this.#ready.handOver(ready) : null) ?? this.#admit(caller);
    try {
      this.#checks.text(sql);
      const engine = this.#dependencies.engines.of(engineName, caller.tenant);
      const outcome = await this.#run(caller, engine, request, signal);
      if (outcome.kind !== 'changed') return { ...outcome, release: () => outcome.release().finally(leave) };
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
      const known = await this.#knownAnswer(caller, running, request);
      if (known !== null) return known;
      const { statement, bound } = await this.#begun(caller, running, request);
      checkAllowed(statement, request);
      checkConditions(statement, request);
      checkSources(statement, engine);
      this.#checks.access(caller, statement.shape);
      if (request.into !== undefined) {
        const { mode, name } = request.into;
        access.check(caller, mode === 'append' ? 'frame.append' : 'frame.put', ownName(caller, name));
      }
      const { kind } = statement.shape;
      const outcome =
        request.into === undefined && (kind === 'query' || kind === 'explain')
          ? await this.#query(running, statement, bound, request)
          : await this.#changes.change(running, { statement, bound }, request);
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

  /** With the checks of a fresh run, in the same order. */
  async #knownAnswer(
    caller: Caller,
    running: RunningStatement,
    request: SqlRequest,
  ): Promise<SqlOutcome | null> {
    const shape = this.#repeated.shape(caller, running.engine, request.sql);
    if (shape === null || request.into !== undefined || request.conditions !== undefined) return null;
    this.#checks.access(caller, shape);
    const found = await this.#repeated.answer(running, shape, request);
    if (found === null) return null;
    this.#checks.current(caller, shape);
    return this.#repeated.give(running, found, request);
  }

  async #knownDescription(
    caller: Caller,
    engine: SqlEngine,
    sql: string,
    shape: StatementShape,
    signal: AbortSignal,
  ): Promise<SqlDescription | null> {
    this.#checks.access(caller, shape);
    const known = await this.#repeated.description(caller, engine, sql, shape, signal);
    if (known !== null) this.#checks.current(caller, shape);
    return known;
  }

  async #described(
    caller: Caller,
    engine: SqlEngine,
    sql: string,
    { statement, stop, held }: DescribedStatement,
    signal: AbortSignal,
  ): Promise<Described> {
    const { shape } = statement;
    this.#checks.access(caller, shape);
    const isQuery = shape.kind === 'query' || shape.kind === 'explain';
    if (shape.kind === 'drop')
      return {
        description: { isQuery, schemaMessage: null, parameterSchemaMessage: noColumns },
        ready: null,
      };
    const insertInto =
      shape.kind === 'insert' ? await this.#changes.insertTarget(caller, statement, signal) : null;
    const tables = held.adopt(
      await openTables(openingOf(this.#dependencies, engine), caller, shape, false, signal),
      (open) => open.release(),
    );
    this.#checks.current(caller, shape);
    const request = { tables: tables.tables, insertInto: insertInto?.schema.message ?? null };
    const bound = await waitingFor('engine', statement.bind(request));
    const description = {
      isQuery,
      schemaMessage: isQuery ? plainSchema(bound.schemaMessage) : null,
      parameterSchemaMessage: bound.parameterSchemaMessage,
    };
    this.#repeated.learnDescription(caller, engine, sql, shape, tables.records, description);
    return { description, ready: canStayBound(shape) ? { statement, tables, bound, stop } : null };
  }

  /** The statement that was bound to be described a moment ago, if it reads what it would read now; else a new one. */
  async #begun(
    caller: Caller,
    running: RunningStatement,
    { sql, parameters }: SqlRequest,
  ): Promise<BegunStatement> {
    const text = { tenant: caller.tenant, engine: running.engine.name, sql };
    const ready = parameters === null ? this.#ready.take(text) : null;
    if (ready !== null) {
      // Whatever happens from here on, the running statement closes it.
      running.adopt(ready);
      const { statement, bound } = ready;
      this.#checks.access(caller, statement.shape);
      const records = await this.#repeated.versions(running.caller, statement.shape, running.signal);
      this.#checks.current(caller, statement.shape);
      if (reads(ready, text, records)) return { statement, bound };
      await running.discard();
    }
    const statement = await running.begin();
    this.#repeated.learnShape(caller, running.engine, sql, statement.shape);
    return { statement, bound: null };
  }

  async #query(
    running: RunningStatement,
    statement: EngineStatement,
    ready: BoundStatement | null,
    request: SqlRequest,
  ): Promise<SqlOutcome> {
    const { parameters } = request;
    const bound =
      ready ??
      (await bindStatement(this.#dependencies, this.#checks, running, statement, {
        insertInto: null,
        parameters,
        runs: true,
      }));
    return this.#rows(running, statement, bound, request);
  }

  #rows(
    running: RunningStatement,
    statement: EngineStatement,
    bound: BoundStatement,
    request: SqlRequest,
  ): SqlRows {
    const { shape } = statement;
    const { caller, engine, records } = running;
    const described = {
      schemaMessage: plainSchema(bound.schemaMessage),
      markedSchemaMessage: bound.schemaMessage,
      columns: withWideIntegers(schemaOf(bound.schemaMessage)).fields.map(describeColumn),
    };
    // Without values, as it would be described.
    if (shape.parameterCount === 0) {
      const { schemaMessage } = described;
      const { parameterSchemaMessage } = bound;
      const description = { isQuery: true, schemaMessage, parameterSchemaMessage };
      this.#repeated.learnDescription(caller, engine, request.sql, shape, records, description);
    }
    const place = this.#repeated.place(running, shape, request);
    const made = waitingForEach('engine', statement.run(request.parameters));
    const isKeptHere = place !== null && request.form === undefined;
    return {
      kind: 'rows',
      id: running.id,
      ...described,
      messages: running.rows(isKeptHere ? place.keepRows(described, made) : made),
      sources: running.sources,
      timings: running.timings,
      ...(isKeptHere ? {} : keeping(running, place)),
      release: () => running.end('cancelled'),
    };
  }

  #admit(caller: Caller): () => void {
    const { audit, places } = this.#dependencies;
    return audit.attemptNow(caller, 'sql.query', null, () => places.enter(caller.tenant));
  }
}

/** A statement that was begun to be described. */
interface DescribedStatement {
  readonly statement: EngineStatement;
  readonly stop: AbortController;
  /** Closes everything that was opened for it. */
  readonly held: AsyncDisposableStack;
}

interface Described {
  readonly description: SqlDescription;
  /** null: it does not stay bound. */
  readonly ready: ReadyStatement | null;
}

/** Not the caller's own signal, because the statement may outlast the call: it aborts with that until it is disposed. */
function followed(signal: AbortSignal): Disposable & { readonly stop: AbortController } {
  const stop = new AbortController();
  const onAbort = () => stop.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  return { stop, [Symbol.dispose]: () => signal.removeEventListener('abort', onAbort) };
}

/** What it reads are versions, and what it gives does not depend on values that come later. */
function canStayBound({ kind, repeats, parameterCount }: StatementShape): boolean {
  return kind === 'query' && repeats !== undefined && parameterCount === 0;
}

const noColumns = encodeSchema({ fields: [], metadata: [] });

function queryIdOf({ id, isIdOptional = false }: SqlRequest): QueryId | null {
  return id === undefined ? null : { text: id, isOptional: isIdOptional };
}
