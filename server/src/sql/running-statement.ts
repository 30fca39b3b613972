import { parseMessage } from '../arrow/ipc/message.ts';
import { waitingFor } from '../base/request-time.ts';
import type { Audit } from '../frames/access/audit.ts';
import type { ObjectGuard } from '../frames/objects/object-guard.ts';
import { type Caller, callerLine } from '../model/caller.ts';
import type { ErrorKind } from '../model/errors.ts';
import { asFrameholdError, FrameholdError } from '../model/errors.ts';
import { Used } from '../model/used.ts';
import type { VersionRecord } from '../model/version.ts';
import type { NewHistoryEntry } from '../ports/catalog/queries.ts';
import type { EngineStatement } from '../ports/engine.ts';
import type { Observe } from '../ports/observation.ts';
import type { IpcMessage } from '../ports/renderer.ts';
import type { OpenQuery, RunningQueries, StatementOutcome } from '../ports/running-queries.ts';
import { callerOn, type SqlEngine, type SqlEngines } from './engines.ts';
import { namingLargerEngine } from './larger-engine.ts';
import type { ReadyStatement } from './repeated/bound-statements.ts';
import type { HistoryRecorder } from './saved/history.ts';
import type { SqlTimings } from './sql.ts';
import { sourceOf } from './tables/find-frame.ts';
import type { StatementTables } from './tables/statement-tables.ts';

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

/** Files that are compared again if a statement fails. More would take seconds, and most failures are the statement's own; `internal` never is. */
const examinedBytesMax = 256 * 1024 * 1024;
/** Characters of a text that the history keeps: longer ones are made by programs, and a thousand of these are 16 MB. */
const historyTextMax = 16 * 1024;
/** A database may quote any amount of a statement. */
const historyDetailMax = 4_000;
/** What may come of files whose bytes have changed. */
const suspicious: ReadonlySet<ErrorKind> = new Set(['sql_failed', 'engine_failed', 'internal']);

/** One statement from its arrival to its end: what it holds is let go exactly once, however it ends. */
export class RunningStatement {
  readonly caller: Caller;
  readonly sql: string;
  readonly engine: SqlEngine;
  /** Aborts when the caller leaves, and when the statement is cancelled. */
  readonly signal: AbortSignal;
  readonly #dependencies: RunningStatementDependencies;
  readonly #query: OpenQuery;
  readonly #callerSignal: AbortSignal;
  readonly #startedAt = performance.now();
  #preparedAt: number | null = null;
  #waitedMs: number | null = null;
  #statement: EngineStatement | null = null;
  #tables: StatementTables | null = null;
  #records: readonly VersionRecord[] = [];
  /** Its answer needs no engine. */
  #isKept = false;
  #ended: Promise<void> | null = null;

  constructor(
    dependencies: RunningStatementDependencies,
    caller: Caller,
    sql: string,
    engine: SqlEngine,
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
    return this.#records;
  }

  /** `name@version` of the frames that it reads. */
  get sources(): readonly string[] {
    return [...new Set(this.#records.map(sourceOf))];
  }

  get timings(): SqlTimings {
    const now = performance.now();
    // One that never had a place has waited all the time, unless it needed none.
    const queue = this.#waitedMs ?? (this.#isKept ? 0 : now - this.#startedAt);
    const prepare = (this.#preparedAt ?? now) - this.#startedAt - queue;
    return { queue, prepare, isKept: this.#isKept };
  }

  /** `sql`: what runs, if it is not the text that is shown. */
  async begin(sql: string = this.sql, workedMs = 0): Promise<EngineStatement> {
    const begun = this.engine.engine.begin(sql, this.caller.tenant, this.signal, workedMs);
    const statement = await waitingFor('engine', begun);
    this.#use(statement, statement.waitedMs);
    return statement;
  }

  /** Instead of `begin`: one that has been bound for an earlier call. */
  adopt({ statement, tables, stop }: ReadyStatement): void {
    this.#use(statement, 0);
    this.reads(tables);
    this.signal.addEventListener('abort', () => stop.abort(this.signal.reason), { once: true });
    if (this.signal.aborted) stop.abort(this.signal.reason);
    this.prepared();
  }

  /** What was begun or adopted cannot be used after all. */
  async discard(): Promise<void> {
    const statement = this.#statement;
    const tables = this.#tables;
    this.#statement = null;
    this.#tables = null;
    this.#records = [];
    this.#waitedMs = null;
    this.#preparedAt = null;
    this.#query.state = 'waiting';
    try {
      await statement?.close();
    } finally {
      await tables?.release();
    }
  }

  /** Once more from the beginning, over what is there now. The time that it has worked counts. */
  async restart(): Promise<EngineStatement> {
    const workedMs = this.#statement?.workedMs ?? 0;
    await this.discard();
    this.#query.rows = 0;
    return this.begin(this.sql, workedMs);
  }

  /** From now on it holds these, to its end. */
  reads(tables: StatementTables): void {
    this.#tables = tables;
    this.#records = tables.records;
  }

  /** It is a query over these versions whose answer is known. */
  answered(records: readonly VersionRecord[]): void {
    this.#isKept = true;
    this.#records = records;
    this.#query.state = 'running';
    this.prepared();
  }

  prepared(): void {
    this.#preparedAt = performance.now();
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
      const parsed = parseMessage(message.header);
      if (parsed.kind === 'record-batch') this.#query.rows += parsed.batch.length;
      yield message;
    }
  }

  /** So many rows were made, or had been kept, that did not pass here. */
  wrote(rows: number): void {
    this.#query.rows += rows;
  }

  /** Lets everything go. Answers the error for the caller. */
  async fail(thrown: unknown): Promise<FrameholdError> {
    const error = await this.#reason(thrown);
    if (this.#ended === null)
      this.#dependencies.audit.statementRefused(this.caller, this.#statement?.shape ?? null, error);
    await this.end(error);
    return error;
  }

  /** Safe at any time; the first one counts. */
  end(outcome: StatementOutcome): Promise<void> {
    this.#ended ??= this.#end(outcome);
    return this.#ended;
  }

  #use(statement: EngineStatement, waitedMs: number): void {
    this.#statement = statement;
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
    this.#dependencies.queries.end(this.#query, outcome);
    this.#dependencies.history?.add(this.#historyEntry(outcome));
    try {
      await this.#statement?.close();
    } finally {
      await this.#tables?.release();
    }
    const { queue, prepare } = this.timings;
    this.#dependencies.observe({
      event: 'sql',
      ...callerLine(this.caller),
      requestId: this.caller.requestId,
      kind: this.#statement?.shape.kind ?? (this.#isKept ? 'query' : null),
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
    if (this.#query.cancelled.aborted) return asFrameholdError(this.#query.cancelled.reason);
    if (this.#callerSignal.aborted) {
      const { reason } = this.#callerSignal;
      return reason instanceof FrameholdError
        ? reason
        : new FrameholdError('cancelled', 'The caller went away.', { cause: reason });
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
    const objects = this.#tables?.objects ?? [];
    const bytes = objects.reduce((sum, object) => sum + object.bytes, 0);
    if (bytes > examinedBytesMax && kind !== 'internal') return false;
    return await this.#dependencies.guard.examine(objects).catch(() => false);
  }
}
