import type { Caller } from '../../src/model/caller.ts';
import { FrameholdError } from '../../src/model/errors.ts';
import type { Reading } from '../../src/ports/reading.ts';
import type { IpcMessage, Renderer } from '../../src/ports/renderer.ts';
import type { FailedState, QueryState } from '../../src/ports/running-queries.ts';
import type { Sql, SqlOutcome, SqlRequest, Statement, StatementOptions } from '../../src/sql/sql.ts';
import { statementOf } from '../sql/ask.ts';

/** Replaces the engine: `rows` gives the messages of a real Arrow file, `fail N` breaks after N of them, `wait` gives nothing, `change` makes a version. */
export class SampleSql implements Sql {
  readonly requests: SqlRequest[] = [];
  readonly running = new Map<string, { readonly state: QueryState; readonly abort: AbortController }>();
  readonly failed = new Map<string, FailedState>();
  released = 0;
  readonly #reading: Reading;
  readonly #renderer: Renderer;

  constructor(reading: Reading, renderer: Renderer) {
    this.#reading = reading;
    this.#renderer = renderer;
  }

  prepare(caller: Caller, sql: string, options?: StatementOptions): Statement {
    return statementOf(this, caller, sql, options);
  }

  describe(): Promise<never> {
    return Promise.reject(new Error('nobody asks'));
  }

  async execute(_caller: unknown, request: SqlRequest, signal: AbortSignal): Promise<SqlOutcome> {
    this.requests.push(request);
    const id = request.id ?? 'minted';
    const { sql } = request;
    const timings = { queue: 1, prepare: 2.25 };
    if (sql === 'broken') throw new FrameholdError('sql_invalid', 'Parser Error', { hint: 'Mend it.' });
    if (sql === 'misplaced')
      throw new FrameholdError('sql_invalid', 'There', { place: { position: 7, line: 2, column: 3 } });
    if (sql === 'change' || request.into !== undefined) {
      if (request.readOnly === true) throw new FrameholdError('sql_refused', 'It changes something.');
      return { kind: 'changed', id, rows: 3, record: this.#reading.record, timings };
    }
    if (sql === 'drop') return { kind: 'changed', id, rows: 0, record: null, timings };
    const abort = new AbortController();
    const state: QueryState = {
      id,
      tenant: 'default',
      engine: 'duckdb',
      state: 'running',
      startedAt: 0,
      elapsedMs: 7,
      progress: 0.5,
      content: { sql, rows: 0 },
    };
    this.running.set(id, { state, abort });
    return {
      kind: 'rows',
      id,
      schemaMessage: this.#reading.record.schema.message,
      markedSchemaMessage: this.#reading.record.schema.message,
      columns: this.#reading.record.schema.columns,
      messages: this.#messages(sql, AbortSignal.any([signal, abort.signal])),
      sources: ['trades@3', 'other@1'],
      timings,
      release: async () => {
        this.released++;
        this.running.delete(id);
      },
    };
  }

  vocabulary(): Promise<never> {
    return Promise.reject(new Error('nobody asks'));
  }

  async queries(): Promise<readonly QueryState[]> {
    return [...this.running.values()].map(({ state }) => state);
  }

  async cancel(_caller: unknown, id: string): Promise<void> {
    const found = this.running.get(id);
    if (found === undefined) throw new FrameholdError('query_not_found', 'There is no such query.');
    const { tenant, startedAt } = found.state;
    const content = { rows: 0, detail: 'The query was cancelled.', hint: undefined, place: undefined };
    this.failed.set(id, {
      id,
      tenant,
      state: 'failed',
      startedAt,
      endedAt: 1,
      kind: 'query_cancelled',
      content,
    });
    found.abort.abort(new FrameholdError('query_cancelled', content.detail));
  }

  async query(_caller: unknown, id: string): Promise<QueryState | FailedState> {
    const state = this.running.get(id)?.state ?? this.failed.get(id);
    if (state === undefined) throw new FrameholdError('query_not_found', 'There is no such query.');
    return state;
  }

  async *#messages(sql: string, signal: AbortSignal): AsyncGenerator<IpcMessage, void, void> {
    const good = /^fail (\d+)$/.exec(sql)?.[1];
    let given = 0;
    // A cancellation may come before the first message is asked for.
    signal.throwIfAborted();
    if (sql === 'wait')
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    for await (const message of this.#renderer.messages(this.#reading, signal)) {
      if (good !== undefined && given++ === Number(good))
        throw new FrameholdError('sql_failed', 'Conversion Error: could not convert.');
      yield message;
    }
  }
}
