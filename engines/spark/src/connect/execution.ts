import { create, fromBinary } from '@bufbuild/protobuf';
import { status } from '@grpc/grpc-js';
import { type ConnectCall, GrpcFailure } from './connect-call.ts';
import type { ConnectChannel } from './connect-channel.ts';
import { ConnectError } from './connect-error.ts';
import { conditionOf, errorInfoOf } from './error-details.ts';
import {
  ExecutePlanRequestSchema,
  type ExecutePlanResponse,
  ExecutePlanResponseSchema,
  type Plan,
  ReattachExecuteRequestSchema,
  SparkConnectService,
} from './gen/spark/connect/base_pb.js';
import { pause } from './pause.ts';
import { progressOf } from './progress.ts';
import { ReleasedResponses } from './released-responses.ts';
import type { SessionIdentity } from './session-identity.ts';

/** Something of an execution that its reader wants to know. */
export type ExecutionEvent =
  /** A whole IPC stream: `arrow-result.ts` reads it. `firstRow` is its place in the result, if Spark says so. */
  | {
      readonly kind: 'batch';
      readonly data: Uint8Array;
      readonly rows: number;
      readonly firstRow: number | null;
    }
  /** From 0 to 1, as far as Spark has planned. */
  | { readonly kind: 'progress'; readonly fraction: number /** That run now. */; readonly tasks: number };

/** How long an execution that ends early waits for its tasks to begin. A cold driver on a busy machine was seen to plan for more than 15 s. */
const beginMs = 60_000;
/** One attachment of it: Spark reports every two seconds. */
const beginTryMs = 5_000;

/** How long an execution waits before it attaches again. */
export interface ConnectWaits {
  /** A reader that pauses: Spark gives up an execution that nobody is attached to. */
  readonly pausedMs: number;
  /** A connection without a word, which is then taken for dead: Spark reports progress every two seconds. */
  readonly silenceMs: number;
}

/** What an execution needs of its session. */
export interface ExecutionSession {
  readonly channel: ConnectChannel;
  readonly waits: ConnectWaits;
  identity(): SessionIdentity;
  observe(serverSideSessionId: string): void;
  interrupt(operationId: string): Promise<boolean>;
  /** Called with what ends an execution early: the session is not released before. */
  ending(work: Promise<void>): void;
  describe(failure: GrpcFailure): Promise<ConnectError>;
}

/** How long a broken stream is made again, since the last answer. A driver that restarts has lost the statement anyway. */
const reattachMs = 20_000;

/**
 * A plan that Spark executes, read once. If the stream breaks or Spark ends it early, it is attached again behind the last answer received: each answer is
 * given out once. It ends normally only after Spark has said that the result is complete.
 */
export class Execution implements AsyncIterable<ExecutionEvent> {
  readonly operationId: string;
  readonly #plan: Plan;
  readonly #signal: AbortSignal;
  readonly #session: ExecutionSession;
  readonly #released: ReleasedResponses;
  #call: ConnectCall | null = null;
  #wasSent = false;
  #attachedAt = 0;
  #isPaused = false;
  #isEnding = false;
  /** As Spark last reported. */
  #hasTasks = false;
  /** Received for a reader that pauses. */
  #held: ExecutePlanResponse | null = null;
  #lastResponseId: string | null = null;
  #reattached = 0;

  constructor(plan: Plan, operationId: string, signal: AbortSignal, session: ExecutionSession) {
    this.#plan = plan;
    this.operationId = operationId;
    this.#signal = signal;
    this.#session = session;
    this.#released = new ReleasedResponses(session.channel, session.identity, operationId);
  }

  /** How often the stream was attached again, for tests and the log. */
  get reattached(): number {
    return this.#reattached;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ExecutionEvent, void, void> {
    this.#signal.throwIfAborted();
    let isOver = false;
    // At once, not when the reader comes back: nobody may be reading any more.
    const onAbort = () => {
      clearInterval(timer);
      this.#endEarly();
    };
    const timer = setInterval(() => this.#attachPaused(), this.#session.waits.pausedMs / 4).unref();
    this.#signal.addEventListener('abort', onAbort, { once: true });
    try {
      for (;;) {
        const response = await this.#next();
        if (response.responseType.case === 'resultComplete') break;
        const event = this.#eventOf(response);
        if (event === null) continue;
        this.#isPaused = true;
        yield event;
        this.#isPaused = false;
      }
      isOver = true;
    } catch (thrown) {
      this.#signal.throwIfAborted();
      isOver =
        thrown instanceof ConnectError && thrown.reason !== 'protocol' && thrown.reason !== 'unreachable';
      throw thrown;
    } finally {
      clearInterval(timer);
      this.#signal.removeEventListener('abort', onAbort);
      if (!isOver) this.#endEarly();
      else {
        this.#call?.cancel();
        this.#released.all();
      }
    }
  }

  /** Behind the reader's back: it has its error already. */
  #endEarly(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#call?.cancel();
    this.#call = null;
    if (this.#wasSent) this.#session.ending(this.#interrupt());
  }

  async #interrupt(): Promise<void> {
    await this.#untilTasksRun();
    await this.#session.interrupt(this.operationId);
    this.#released.all();
  }

  /**
   * Spark 4.2 submits a stage from a thread of its own. If the execution is interrupted while that prepares, the stage begins later and
   * runs to its end, and nothing can stop it any more. So Spark is interrupted when it has reported tasks.
   */
  async #untilTasksRun(): Promise<void> {
    for (const giveUpAt = Date.now() + beginMs; !this.#hasTasks && Date.now() < giveUpAt; await pause(100))
      if (await this.#hasEnded()) return;
  }

  /** Reads until tasks are reported, over a new connection if the old one fails; true if there is nothing to wait for. */
  async #hasEnded(): Promise<boolean> {
    let call: ConnectCall | null = null;
    const timer = setTimeout(() => call?.cancel(), beginTryMs);
    try {
      call = this.#attach();
      // The reader may be about to clear away its own.
      this.#call = null;
      for (;;) {
        const bytes = await call.next();
        if (bytes === null) return false;
        const response = this.#receive(bytes);
        if (response.responseType.case === 'resultComplete') return true;
        this.#eventOf(response);
        if (this.#hasTasks) return true;
      }
    } catch (thrown) {
      if (!(thrown instanceof GrpcFailure) || errorInfoOf(thrown) !== null) return true;
      if (call !== null) this.#session.channel.replaceConnectionOf(call);
      return false;
    } finally {
      clearTimeout(timer);
      call?.cancel();
    }
  }

  /** Spark forgets an execution that nobody is attached to. */
  #attachPaused(): void {
    if (!this.#isPaused || this.#isEnding || Date.now() - this.#attachedAt < this.#session.waits.pausedMs)
      return;
    const received = this.#call?.detach() ?? null;
    this.#call = null;
    try {
      // The first is kept, so that Spark has less to send again. Of later ones Spark has the copies that it keeps for this: its last 10 MB.
      if (received !== null && this.#held === null) this.#held = this.#receive(received);
      this.#attach();
    } catch {
      // Whoever reads on attaches it, and gets the error.
    }
  }

  /** The next answer of Spark. */
  async #next(): Promise<ExecutePlanResponse> {
    const held = this.#held;
    this.#held = null;
    if (held !== null) return held;
    for (let giveUpAt = Date.now() + reattachMs, waitMs = 50, endings = 0; ; ) {
      this.#signal.throwIfAborted();
      try {
        const call = this.#call ?? this.#attach();
        const bytes = await this.#messageOf(call);
        if (bytes !== null) return this.#receive(bytes);
        // Spark ends a stream after a time and a size of its own: there is more.
        this.#call = null;
        giveUpAt = Date.now() + reattachMs;
        // Twice without a word is not Spark's way; it must not keep a processor busy.
        if (++endings > 1) await pause(100, this.#signal);
      } catch (thrown) {
        this.#call?.cancel();
        this.#call = null;
        if (!(thrown instanceof GrpcFailure)) throw thrown;
        this.#signal.throwIfAborted();
        if (!this.#canAttachAgain(thrown) || Date.now() >= giveUpAt)
          throw await this.#session.describe(thrown);
        await pause(waitMs, this.#signal);
        waitMs = Math.min(1000, waitMs * 2);
      }
    }
  }

  async #messageOf(call: ConnectCall): Promise<Buffer | null> {
    const timer = setTimeout(() => {
      this.#session.channel.replaceConnectionOf(call);
      call.cancel();
    }, this.#session.waits.silenceMs);
    try {
      return await call.next();
    } finally {
      clearTimeout(timer);
    }
  }

  #receive(bytes: Uint8Array): ExecutePlanResponse {
    const response = fromBinary(ExecutePlanResponseSchema, bytes);
    this.#session.observe(response.serverSideSessionId);
    if (response.responseId !== '') this.#lastResponseId = response.responseId;
    return response;
  }

  /** The first time by ExecutePlan; Spark knows the operation by its id, and does not execute it twice. */
  #attach(): ConnectCall {
    const { channel } = this.#session;
    const identity = this.#session.identity();
    const { operationId } = this;
    this.#attachedAt = Date.now();
    if (!this.#wasSent) {
      this.#wasSent = true;
      const request = create(ExecutePlanRequestSchema, {
        ...identity,
        operationId,
        plan: this.#plan,
        requestOptions: [{ requestOption: { case: 'reattachOptions', value: { reattachable: true } } }],
      });
      this.#call = channel.stream(SparkConnectService.method.executePlan, request);
    } else {
      this.#reattached++;
      const lastResponseId = this.#lastResponseId;
      const request = create(ReattachExecuteRequestSchema, {
        ...identity,
        operationId,
        ...(lastResponseId === null ? {} : { lastResponseId }),
      });
      this.#call = channel.stream(SparkConnectService.method.reattachExecute, request);
    }
    return this.#call;
  }

  #canAttachAgain(failure: GrpcFailure): boolean {
    const condition = conditionOf(failure);
    // It never arrived. Only if nothing has been received: otherwise Spark has forgotten it.
    if (condition === 'INVALID_HANDLE.OPERATION_NOT_FOUND' && this.#lastResponseId === null) {
      this.#wasSent = false;
      return true;
    }
    if (condition === 'INVALID_CURSOR.DISCONNECTED') return true;
    if (errorInfoOf(failure) !== null) return false;
    // INTERNAL without details is a stream that a proxy or a socket has reset.
    const { UNAVAILABLE, INTERNAL, CANCELLED, DEADLINE_EXCEEDED } = status;
    return [UNAVAILABLE, INTERNAL, CANCELLED, DEADLINE_EXCEEDED].includes(failure.code);
  }

  #eventOf({ responseId, responseType }: ExecutePlanResponse): ExecutionEvent | null {
    // It is in our memory: Spark need not keep it for another attachment.
    if (responseId !== '') this.#released.until(responseId);
    switch (responseType.case) {
      case 'arrowBatch': {
        const { data, rowCount, startOffset } = responseType.value;
        this.#hasTasks = true;
        const firstRow = startOffset === undefined ? null : Number(startOffset);
        return { kind: 'batch', data, rows: Number(rowCount), firstRow };
      }
      case 'executionProgress':
        this.#hasTasks = responseType.value.numInflightTasks > 0n;
        return {
          kind: 'progress',
          fraction: progressOf(responseType.value),
          tasks: Number(responseType.value.numInflightTasks),
        };
      default:
        // Schemas, metrics and results of commands: the schema is known from AnalyzePlan, and compared with the first batch.
        return null;
    }
  }
}
