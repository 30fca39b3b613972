import { parseMessage } from '../arrow/ipc/message.ts';
import type { Audit } from '../frames/access/audit.ts';
import type { ObjectGuard } from '../frames/objects/object-guard.ts';
import { type Caller, callerLine } from '../model/caller.ts';
import type { ErrorKind } from '../model/errors.ts';
import { asFrameholdError, FrameholdError } from '../model/errors.ts';
import { Used } from '../model/used.ts';
import type { VersionRecord } from '../model/version.ts';
import type { NewHistoryEntry } from '../ports/catalog/queries.ts';
import type { BindRequest, BoundStatement, EngineStatement, StatementShape } from '../ports/engine.ts';
import type { Observe } from '../ports/observation.ts';
import type { IpcMessage } from '../ports/renderer.ts';
import type { OpenQuery, QueryId, RunningQueries, StatementOutcome } from '../ports/running-queries.ts';
import { callerOn, type SqlEngine, type SqlEngines } from './engines.ts';
import { namingLargerEngine } from './larger-engine.ts';
import type { HistoryRecorder } from './saved/history.ts';
import type { SqlRows, SqlTimings, StatementOptions } from './sql.ts';
import type { StatementEnd, StatementResources } from './statement-resources.ts';
import { sourceOf } from './tables/find-frame.ts';
import {
  rowsWaitMsMax,
  rowsWaitMsMin,
  type WaitingRows,
  waitedTooLong,
  wantedElsewhere,
} from './waiting-rows.ts';

export interface RunningStatementDependencies {
  readonly queries: RunningQueries;
  readonly guard: ObjectGuard;
  readonly audit: Audit;
  /** null: it is not a caller's own statement. */
  readonly history: HistoryRecorder | null;
  /** Among which the caller could choose; null: it could not. */
  readonly engines: SqlEngines | null;
  readonly observe: Observe;
}

type DescribedRows = Pick<SqlRows, 'schemaMessage' | 'markedSchemaMessage' | 'columns'>;

interface BeginOptions {
  readonly sql?: string;
  /** Its shape, if that is cached. */
  readonly known?: StatementShape | null;
  /** In earlier runs. */
  readonly workedMs?: number;
  /** It reads PostgreSQL's catalogs. */
  readonly isPostgres?: boolean;
}

/** Files that are compared again if a statement fails. More would take seconds, and most failures are the statement's own; `internal` never is. */
const examinedBytesMax = 256 * 1024 * 1024;
/** Characters of a text that the history keeps: longer ones are made by programs, and a thousand of these are 16 MB. */
const historyTextMax = 16 * 1024;
/** A database may quote any amount of a statement. */
const historyDetailMax = 4_000;
/** What may come of files whose bytes have changed. */
const suspicious: ReadonlySet<ErrorKind> = new Set(['sql_failed', 'engine_failed', 'internal']);

/** A run of a statement, as its caller and operators see it: listed, timed, counted, logged, and ended once, with the error that explains it. */
export class RunningStatement {
  readonly caller: Caller;
  readonly sql: string;
  readonly engine: SqlEngine;
  /** What it holds. */
  readonly resources: StatementResources;
  /** Aborts when the caller leaves, and when the statement is cancelled. */
  readonly signal: AbortSignal;
  readonly #dependencies: RunningStatementDependencies;
  readonly #query: OpenQuery;
  readonly #callerSignal: AbortSignal;
  readonly #startedAt = performance.now();
  #preparedAt: number | null = null;
  #waitedMs: number | null = null;
  /** What was read for its answer, if that is cached: it needs no engine. */
  #answered: readonly VersionRecord[] | null = null;
  /** Why it was closed while its rows waited. */
  #givenUp: FrameholdError | null = null;
  #endWait: () => void = () => {};
  #unfollow: () => void = () => {};
  #ended: Promise<void> | null = null;

  constructor(
    dependencies: RunningStatementDependencies,
    caller: Caller,
    sql: string,
    engine: SqlEngine,
    resources: StatementResources,
    query: OpenQuery,
    callerSignal: AbortSignal,
  ) {
    this.#dependencies = dependencies;
    // Whatever is done for the statement is logged with its id.
    const used = new Used(caller.used);
    used.statement(query.id);
    this.caller = callerOn(engine.name, { ...caller, statement: query.id, used });
    this.sql = sql;
    this.engine = engine;
    this.#query = query;
    this.resources = resources;
    this.#callerSignal = callerSignal;
    this.signal = AbortSignal.any([callerSignal, query.cancelled]);
  }

  get id(): string {
    return this.#query.id;
  }

  get rowCount(): number {
    return this.#query.rows;
  }

  /** The versions that it reads, in the order in which its shape names the frames. */
  get records(): readonly VersionRecord[] {
    return this.#answered ?? this.resources.records;
  }

  /** `name@version` of the frames that it reads. */
  get sources(): readonly string[] {
    return [...new Set(this.records.map(sourceOf))];
  }

  get timings(): SqlTimings {
    const now = performance.now();
    // One that never had a place has waited all the time, unless it needed none.
    const queue = this.#waitedMs ?? (this.#isKept ? 0 : now - this.#startedAt);
    const prepare = (this.#preparedAt ?? now) - this.#startedAt - queue;
    return { queue, prepare, isKept: this.#isKept };
  }

  /** `sql`: what runs, if it is not the text that is shown. */
  async begin(options: BeginOptions = {}): Promise<EngineStatement> {
    const { sql = this.sql, known = null, workedMs = 0, isPostgres = false } = options;
    this.#follow();
    const statement = await this.resources.begin(this.engine, sql, known, workedMs, isPostgres);
    this.#use(statement, statement.waitedMs);
    return statement;
  }

  /** Instead of `begin` and `bind`, if it was bound for an earlier call; else null. */
  adopt(): EngineStatement | null {
    const { statement } = this.resources;
    if (statement === null) return null;
    this.#follow();
    this.#use(statement, 0);
    this.prepared();
    return statement;
  }

  async bind(request: Omit<BindRequest, 'tables'>): Promise<BoundStatement> {
    const bound = await this.resources.bind(request);
    this.prepared();
    return bound;
  }

  /** Once more from the beginning, over what is there now. The time that it has worked counts. */
  async restart(): Promise<EngineStatement> {
    const known = this.#shape;
    const workedMs = this.resources.statement?.workedMs ?? 0;
    await this.reset();
    return this.begin({ known, workedMs });
  }

  /** Gives back what was begun or adopted. */
  async reset(): Promise<void> {
    this.#waitedMs = null;
    this.#preparedAt = null;
    this.#query.state = 'waiting';
    this.#query.rows = 0;
    await this.resources.reset();
  }

  /** It is a query over these versions whose answer is known. */
  answered(records: readonly VersionRecord[]): void {
    this.#answered = records;
    this.#query.state = 'running';
    this.prepared();
  }

  prepared(): void {
    this.#preparedAt = performance.now();
  }

  /** As a listener gets them. */
  outcome(described: DescribedRows, made: AsyncIterable<IpcMessage>, waiting: WaitingRows): SqlRows {
    const { id, sources, timings } = this;
    return {
      kind: 'rows',
      id,
      ...described,
      messages: this.rows(made),
      sources,
      timings,
      wait: () => this.#wait(waiting),
      release: () => this.release(),
    };
  }

  /** The rows as a caller takes them. When they are all taken, or one fails, the statement has ended. */
  rows(messages: AsyncIterable<IpcMessage>): AsyncIterable<IpcMessage> {
    // A caller that leaves may never ask for another row.
    this.signal.addEventListener('abort', this.#onAbort, { once: true });
    if (this.signal.aborted) this.#onAbort();
    return this.#taken(messages);
  }

  /** Counts as they pass. */
  async *counted(messages: AsyncIterable<IpcMessage>): AsyncGenerator<IpcMessage, void, void> {
    for await (const message of this.#advised(messages)) {
      if (this.#givenUp !== null) throw this.#givenUp;
      const parsed = parseMessage(message.header);
      if (parsed.kind === 'record-batch') this.#query.rows += parsed.batch.length;
      yield message;
    }
  }

  /** So many rows were made, or had been kept, that did not pass here. */
  wrote(rows: number): void {
    this.#query.rows += rows;
  }

  /** Ends it. Answers the error for the caller. */
  async fail(thrown: unknown): Promise<FrameholdError> {
    const error = await this.#reason(thrown);
    if (this.#ended === null) this.#dependencies.audit.statementRefused(this.caller, this.#shape, error);
    await this.end(error);
    return error;
  }

  /** Gives back its entry among the running queries, its process and its files. Safe at any time; the first one counts. */
  end(outcome: StatementOutcome): Promise<void> {
    this.#ended ??= this.#end(outcome);
    return this.#ended;
  }

  /** Gives its slot back, too: nobody needs its rows any more. */
  async release(outcome: StatementOutcome = 'cancelled'): Promise<void> {
    try {
      await this.end(outcome);
    } finally {
      await this.resources.close();
    }
  }

  /** As `SqlRows.wait`. */
  #wait(waiting: WaitingRows): () => void {
    const { resources } = this;
    this.#endWait();
    if (this.#ended === null) {
      const giveUp = (why: FrameholdError) => {
        this.#givenUp = why;
        resources.giveUp();
        this.#endWait();
        this.fail(why).catch(() => {});
      };
      const leave = waiting.begin(this.caller.tenant, giveUp);
      const rest = { ms: rowsWaitMsMax, keepMs: rowsWaitMsMin };
      resources.rest(rest, (isWanted) => giveUp(isWanted ? wantedElsewhere() : waitedTooLong()));
      this.#endWait = () => {
        leave();
        resources.resume();
      };
    }
    return () => {
      this.#endWait();
      if (this.#givenUp !== null) throw this.#givenUp;
    };
  }

  /** Until it ends: the runtime keeps signals that are listened to. An answer that is cached needs no listener. */
  #follow(): void {
    this.#unfollow();
    this.#unfollow = this.resources.follow(this.signal);
  }

  get #isKept(): boolean {
    return this.#answered !== null;
  }

  get #shape(): StatementShape | null {
    return this.resources.statement?.shape ?? null;
  }

  #use(statement: EngineStatement, waitedMs: number): void {
    this.#waitedMs = waitedMs;
    this.#query.state = 'running';
    this.#query.progress = () => statement.progress;
  }

  async *#taken(messages: AsyncIterable<IpcMessage>): AsyncGenerator<IpcMessage, void, void> {
    let isWhole = false;
    try {
      this.signal.throwIfAborted();
      yield* this.counted(messages);
      isWhole = true;
      // The last row does not wait until everything is put away.
      this.end('ok').catch(() => {});
    } catch (thrown) {
      throw await this.fail(thrown);
    } finally {
      // A reader that stops before the end has left.
      if (!isWhole) await this.end('cancelled');
    }
  }

  /** Only what the engine fails with while it runs: storing the rows may fail for want of room, too. */
  async *#advised(messages: AsyncIterable<IpcMessage>): AsyncGenerator<IpcMessage, void, void> {
    try {
      yield* messages;
    } catch (thrown) {
      const { engines } = this.#dependencies;
      throw engines === null
        ? thrown
        : namingLargerEngine(thrown, this.engine.name, engines, this.caller.tenant);
    }
  }

  readonly #onAbort = () => {
    this.fail(this.signal.reason).catch(() => {});
  };

  async #end(outcome: StatementOutcome): Promise<void> {
    this.signal.removeEventListener('abort', this.#onAbort);
    this.#endWait();
    this.#unfollow();
    this.#dependencies.queries.end(this.#query, outcome);
    if (!this.#isRefused(outcome)) this.#dependencies.history?.add(this.#historyEntry(outcome));
    await this.resources.end(endOf(outcome));
    const { queue, prepare } = this.timings;
    this.#dependencies.observe({
      event: 'sql',
      ...callerLine(this.caller),
      requestId: this.caller.requestId,
      kind: this.#shape?.kind ?? (this.#isKept ? 'query' : null),
      engine: this.engine.name,
      ...(this.#isKept ? { kept: true } : {}),
      outcome: typeof outcome === 'string' ? outcome : outcome.kind,
      rows: this.rowCount,
      queueMs: queue,
      prepareMs: prepare,
      durationMs: performance.now() - this.#startedAt,
      text: this.sql,
    });
  }

  /** It has not begun, because too many others wait. */
  #isRefused(outcome: StatementOutcome): boolean {
    return typeof outcome !== 'string' && outcome.kind === 'overloaded' && this.resources.statement === null;
  }

  /** Parameters are not part of it: they may be secrets, and a text without them can be run again. */
  #historyEntry(outcome: StatementOutcome): NewHistoryEntry {
    const { tenant, name: caller } = this.caller;
    return {
      tenant,
      caller,
      queryId: this.id,
      sql: this.sql.length > historyTextMax ? `${this.sql.slice(0, historyTextMax)}…` : this.sql,
      engine: this.engine.name,
      ...this.#ending(outcome),
      rows: this.rowCount,
      startedAt: this.#query.startedAt,
      durationMs: Math.round(performance.now() - this.#startedAt),
    };
  }

  #ending(outcome: StatementOutcome): Pick<NewHistoryEntry, 'state' | 'error'> {
    if (outcome === 'ok') return { state: 'done', error: null };
    // A reader with a limit stops when it has enough rows. One that leaves, or cancels, aborts the signal.
    if (outcome === 'cancelled') return { state: this.signal.aborted ? 'cancelled' : 'done', error: null };
    const { kind: code, message } = outcome;
    if (code === 'cancelled' || code === 'query_cancelled') return { state: 'cancelled', error: null };
    return { state: 'failed', error: { code, detail: message.slice(0, historyDetailMax) } };
  }

  /** A cancelled statement fails in many ways; what counts is that it was cancelled. */
  async #reason(thrown: unknown): Promise<FrameholdError> {
    if (this.#givenUp !== null) return this.#givenUp;
    if (this.#query.cancelled.aborted) return asFrameholdError(this.#query.cancelled.reason);
    if (this.#callerSignal.aborted) {
      const { reason } = this.#callerSignal;
      return reason instanceof FrameholdError
        ? reason
        : new FrameholdError('cancelled', 'The caller disconnected.', { cause: reason });
    }
    const error = asFrameholdError(thrown);
    if (!suspicious.has(error.kind) || !(await this.#damaged(error.kind))) return error;
    return new FrameholdError(
      'frame_damaged',
      `The stored bytes of a frame that the statement reads (${this.sources.join(', ')}) are not those that were put; they are not read.`,
      {
        hint: 'Try again: another form may hold the same rows. Else put the frame again, or restore a backup; framehold verify names the files.',
        cause: error,
      },
    );
  }

  async #damaged(kind: ErrorKind): Promise<boolean> {
    const objects = this.resources.tables?.objects ?? [];
    const bytes = objects.reduce((sum, object) => sum + object.bytes, 0);
    if (bytes > examinedBytesMax && kind !== 'internal') return false;
    return await this.#dependencies.guard.examine(objects).catch(() => false);
  }
}

/** By which its caller can ask for it, and cancel it; null: it was given none. */
export function queryIdOf({ id, isIdOptional = false }: StatementOptions): QueryId | null {
  return id === undefined ? null : { text: id, isOptional: isIdOptional };
}

function endOf(outcome: StatementOutcome): StatementEnd {
  if (outcome === 'ok') return 'done';
  return outcome === 'cancelled' ? 'cancelled' : 'failed';
}
