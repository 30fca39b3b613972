import { RequestTime } from '../../base/request-time.ts';
import { type Caller, callerLine } from '../../model/caller.ts';
import { asFrameholdError, FrameholdError } from '../../model/errors.ts';
import { randomId } from '../../model/handle.ts';
import { Used } from '../../model/used.ts';
import type { Observe } from '../../ports/observation.ts';
import type { ClientMessage } from '../protocol/client-messages.ts';
import { errorReport, sqlStateOf } from '../protocol/error-report.ts';
import type { MessageReader } from '../protocol/message-reader.ts';
import { readyForQuery } from '../protocol/server-messages.ts';
import { type ExtendedMessage, runExtended, textOfMessage } from './extended-query.ts';
import { defaultIsolation, type SessionState } from './session-state.ts';
import { runSimpleQuery } from './simple-query.ts';

export interface SessionTimes {
  /** Between two messages, outside of a transaction. */
  readonly idleMs: number;
  readonly idleTransactionMs: number;
}

export interface SessionOptions {
  readonly state: SessionState;
  readonly reader: MessageReader;
  /** Who it is now: a credential may have ended since the last time. */
  readonly identify: () => Caller | Promise<Caller>;
  readonly times: SessionTimes;
  readonly remote: string;
  readonly observe: Observe;
}

/** For how long it is known who the client is: a pipeline of a thousand statements is one request. */
const identifiedMs = 1_000;

/** One client from its log-in to its end: a message at a time, in order. */
export class Session {
  readonly #options: SessionOptions;
  readonly #state: SessionState;
  /** null: nothing runs. */
  #running: AbortController | null = null;
  /** After an error everything up to Sync is ignored. */
  #isSkipping = false;
  /** Why it ends as soon as nothing runs. */
  #ending: FrameholdError | null = null;
  #caller: { readonly caller: Caller; readonly until: number } | null = null;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#state = options.state;
  }

  get isRunning(): boolean {
    return this.#running !== null;
  }

  /** Ends with the client, or with a fatal error. */
  async run(): Promise<void> {
    try {
      await this.#serve();
    } catch (thrown) {
      const error = asFrameholdError(thrown);
      if (error.kind !== 'cancelled') this.#state.outbox.end(errorReport(error, 'FATAL', null, null));
    } finally {
      this.#running?.abort(new FrameholdError('cancelled', 'The connection has ended.'));
      await this.#state.portals.closeAll();
    }
  }

  /** What runs for the client now; nothing happens if nothing does. */
  cancel(): void {
    this.#running?.abort(
      new FrameholdError('query_cancelled', 'The statement was cancelled, as the client has asked.'),
    );
  }

  /** Ends it at once if nothing runs, else after what runs. */
  endSoon(reason: FrameholdError): void {
    this.#ending ??= reason;
    if (!this.isRunning) this.#options.reader.stop(reason);
  }

  /** Ends it, and what runs. */
  endNow(reason: FrameholdError): void {
    this.endSoon(reason);
    this.#running?.abort(reason);
  }

  /** The client has gone. */
  left(): void {
    this.#running?.abort(new FrameholdError('cancelled', 'The client has closed the connection.'));
  }

  async #serve(): Promise<void> {
    this.#ready();
    for (;;) {
      if (this.#ending !== null) throw this.#ending;
      const { outbox } = this.#state;
      if (outbox.isFull || !this.#options.reader.hasMore) await outbox.flush();
      const message = await this.#next();
      if (message === null || message.kind === 'terminate') return;
      await this.#handle(message);
      this.#options.reader.handled();
    }
  }

  async #next(): Promise<ClientMessage | null> {
    const { transaction, settings } = this.#state;
    const { idleMs, idleTransactionMs } = this.#options.times;
    const chosen = settings.ms(
      transaction.isOpen ? 'idle_in_transaction_session_timeout' : 'idle_session_timeout',
    );
    const most = transaction.isOpen ? idleTransactionMs : idleMs;
    const waitMs = chosen === 0 ? most : Math.min(chosen, most);
    return await this.#options.reader.next(waitMs, () =>
      idle(transaction.isOpen ? 'postgres.idle_transaction_ms' : 'postgres.idle_ms', waitMs),
    );
  }

  async #handle(message: ClientMessage): Promise<void> {
    if (message.kind === 'sync') return await this.#sync();
    if (this.#isSkipping || message.kind === 'copy-data' || message.kind === 'terminate') return;
    if (message.kind === 'flush') return await this.#state.outbox.flush();
    if (message.kind === 'query') {
      await this.#step(message.text, message.kind, (operation) =>
        runSimpleQuery(this.#state, message.text, operation),
      );
      this.#isSkipping = false;
      return await this.#endOfUnit();
    }
    if (message.kind === 'malformed') {
      await this.#step(null, message.isQuery ? 'query' : 'parse', () => Promise.reject(message.error));
      this.#isSkipping = !message.isQuery;
      if (message.isQuery) await this.#endOfUnit();
      return;
    }
    await this.#extended(message);
  }

  async #extended(message: ExtendedMessage): Promise<void> {
    const text = textOfMessage(this.#state, message);
    const isDone = await this.#step(text, message.kind, (operation) =>
      runExtended(this.#state, message, operation),
    );
    this.#isSkipping = !isDone;
  }

  async #sync(): Promise<void> {
    this.#isSkipping = false;
    await this.#endOfUnit();
  }

  /** What a client has sent outside of a transaction block was one of its own. */
  async #endOfUnit(): Promise<void> {
    const { transaction, portals } = this.#state;
    if (!transaction.isOpen) {
      transaction.end();
      await portals.endTransaction(true);
    }
    this.#ready();
  }

  #ready(): void {
    this.#state.outbox.add(readyForQuery(this.#state.transaction.status));
  }

  /** Runs one step, and reports its failure to the client. Answers whether it succeeded. Throws what ends the connection. */
  async #step(
    text: string | null,
    kind: 'query' | ExtendedMessage['kind'],
    work: (operation: { caller: Caller; signal: AbortSignal }) => Promise<void>,
  ): Promise<boolean> {
    const { state, observe, remote } = this.#options;
    const { settings, transaction, outbox } = state;
    const running = new AbortController();
    this.#running = running;
    const time = new RequestTime();
    const timeoutMs = settings.ms('statement_timeout');
    const timer = timeoutMs === 0 ? null : setTimeout(() => running.abort(timedOut(timeoutMs)), timeoutMs);
    const sentBefore = outbox.sentBytes;
    let caller: Caller | null = null;
    let failure: FrameholdError | null = null;
    try {
      if (!transaction.isOpen) transaction.use(defaultIsolation(state));
      caller = await time.run(() => this.#identified());
      time.tenant = caller.tenant;
      // Of this message: the log and the list of statements tell them apart.
      caller = { ...caller, requestId: randomId(), used: new Used() };
      const operation = { caller, signal: running.signal };
      await time.run(() => work(operation));
    } catch (thrown) {
      failure = asFrameholdError(running.signal.aborted ? running.signal.reason : thrown);
      transaction.fail();
    } finally {
      if (timer !== null) clearTimeout(timer);
      this.#running = null;
    }
    const requestId = caller?.requestId ?? '';
    if (failure !== null)
      observe({
        event: 'request-failed',
        requestId,
        kind: failure.kind,
        detail: failure.message,
        cause: failure.cause,
      });
    if (caller !== null && (kind === 'query' || kind === 'execute' || failure !== null))
      observe({
        event: 'postgres-message',
        requestId,
        message: kind,
        sqlState: failure === null ? '00000' : sqlStateOf(failure),
        durationMs: time.durationMs,
        ...time.line,
        bytes: outbox.sentBytes - sentBefore,
        ...callerLine(caller),
        remote,
      });
    if (failure === null) return true;
    if (endsSession(failure)) throw failure;
    outbox.add(errorReport(failure, 'ERROR', text, requestId));
    return false;
  }

  async #identified(): Promise<Caller> {
    const now = performance.now();
    const known = this.#caller;
    if (known !== null && now < known.until && known.caller.isCurrent()) return known.caller;
    const caller = await this.#options.identify();
    this.#caller = { caller, until: now + identifiedMs };
    return caller;
  }
}

function endsSession({ kind }: FrameholdError): boolean {
  return kind === 'unauthenticated' || kind === 'draining' || kind === 'cancelled';
}

function timedOut(ms: number): FrameholdError {
  return new FrameholdError('sql_timeout', `The statement took longer than statement_timeout (${ms} ms).`, {
    hint: 'Ask for less, or SET statement_timeout to more.',
  });
}

function idle(setting: string, ms: number): FrameholdError {
  const isTransaction = setting.endsWith('transaction_ms');
  return new FrameholdError(
    'request_timeout',
    isTransaction
      ? `The transaction was idle for longer than ${ms} ms.`
      : `The connection was idle for longer than ${ms} ms.`,
    {
      sqlState: isTransaction ? '25P03' : '57P05',
      hint: `Connect again. The limit is ${setting}, or what the session has set.`,
    },
  );
}
