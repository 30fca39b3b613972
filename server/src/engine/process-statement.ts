import type { BufferPool } from '../base/buffer-pool.ts';
import { StateMachine, type Transitions } from '../base/state-machine.ts';
import { WorkClock } from '../base/work-clock.ts';
import { FrameholdError } from '../model/errors.ts';
import type {
  BindRequest,
  BoundStatement,
  EngineStatement,
  EngineVocabulary,
  StatementParameters,
  StatementShape,
} from '../ports/engine.ts';
import type { IpcMessage } from '../ports/renderer.ts';
import { describeEnding, type Ending, type EngineChild, type KillReason } from './engine-child.ts';
import {
  batchesAhead,
  bytesAhead,
  parseCount,
  parseFailure,
  parseProgress,
  parseShape,
  parseVocabulary,
  toEngine,
  toServer,
} from './protocol.ts';
import { ReceivedBatch } from './received-batch.ts';
import type { SpillBudget, Spilling } from './spill-budget.ts';
import type { LimitedBind, TenantStatement } from './statement-runner.ts';
import type { WireMessage } from './wire.ts';

export interface ProcessStatementOptions {
  readonly child: EngineChild;
  readonly timeoutMs: number;
  readonly prepareMsMax: number;
  readonly memoryBytes: number;
  readonly tempBytesMax: number;
  readonly room: SpillBudget;
  readonly waitedMs: number;
  /** By earlier runs of it. */
  readonly workedMs: number;
  /** Where batches go that have been read. */
  readonly pool: BufferPool;
  /** What `spare` was given. */
  readonly onSpare: (giveUp: () => boolean) => void;
  /** Called once, when the process is free again or given up. */
  readonly onRelease: () => void;
}

/** How long a process may take to stop before it is ended: with the ending itself less than a second. */
const stopGraceMs = 600;

/** The statement, as its caller sees it. */
type State =
  | 'waiting'
  | 'prepared'
  | 'bound'
  | 'running'
  /** The engine has made the last row. */
  | 'whole'
  /** The reader has all of it. */
  | 'done'
  | 'failed'
  /** By its caller, who has left, closed it, or stopped reading before the end. */
  | 'cancelled';

const transitions: Transitions<State> = {
  // done: it asked for the vocabulary.
  waiting: ['prepared', 'done', 'failed', 'cancelled'],
  prepared: ['bound', 'running', 'failed', 'cancelled'],
  bound: ['running', 'failed', 'cancelled'],
  running: ['whole', 'failed', 'cancelled'],
  whole: ['done', 'failed', 'cancelled'],
  done: [],
  failed: [],
  cancelled: [],
};

/** What the process does for it. A process can still be busy with a statement that has failed, and be free although rows of it are unread. */
type Hold =
  /** It has not heard of the statement. */
  | 'unaware'
  | 'busy'
  /** It has given the last row, and closes the statement by itself. */
  | 'finishing'
  /** The statement needs it no longer: it has a moment to close it, and what it says until then is ignored. */
  | 'closing'
  /** It is free again; the slot is not, as long as rows are unread. */
  | 'free'
  /** The slot was given back. */
  | 'released';

const holdTransitions: Transitions<Hold> = {
  unaware: ['busy', 'released'],
  busy: ['finishing', 'closing', 'released'],
  finishing: ['closing', 'free', 'released'],
  closing: ['released'],
  free: ['released'],
  released: [],
};

interface Pending {
  readonly type: number;
  /** What the statement is with the answer. */
  readonly next: State | null;
  readonly resolve: (message: WireMessage) => void;
  readonly reject: (error: unknown) => void;
}

/** A statement that runs in an engine process. It fails as a whole, once, and then gives its slot back by itself. */
export class ProcessStatement implements EngineStatement, Spilling {
  readonly waitedMs: number;
  readonly #child: EngineChild;
  readonly #number: number;
  readonly #options: ProcessStatementOptions;
  readonly #clock: WorkClock;
  /** Runs while the statement is parsed, bound and planned. */
  readonly #prepareClock: WorkClock;
  readonly #released = Promise.withResolvers<void>();
  readonly #life = new StateMachine<State>('waiting', transitions);
  readonly #hold = new StateMachine<Hold>('unaware', holdTransitions);
  /** Ends a process that does not stop. */
  #graceTimer: NodeJS.Timeout | undefined;
  /** Why it has failed or was cancelled. */
  #failure: unknown;
  #pending: Pending | null = null;
  #shape: StatementShape | null = null;
  /** It is told to the process when it is bound. */
  #begins: TenantStatement | null = null;
  #hasReader = false;
  #tempBytesMax = 0;
  readonly #unread: ReceivedBatch[] = [];
  #unreadBytes = 0;
  #received = 0;
  #progress: number | null = null;
  #wake: () => void = () => {};
  #leaveSignal: () => void = () => {};

  constructor(options: ProcessStatementOptions) {
    const { child, timeoutMs, prepareMsMax, workedMs } = options;
    this.#options = options;
    this.#child = child;
    this.waitedMs = options.waitedMs;
    child.statements += 1;
    this.#number = child.statements;
    this.#clock = new WorkClock(timeoutMs, workedMs, () => this.fail(tooLong(timeoutMs)));
    this.#prepareClock = new WorkClock(prepareMsMax, 0, () => this.fail(tooComplex(prepareMsMax)));
    child.onEnd = (ending) => this.#onEnd(ending);
  }

  /** The reader has all of it. */
  get isOver(): boolean {
    return this.#life.is('done');
  }

  get workedMs(): number {
    return this.#clock.workedMs;
  }

  get shape(): StatementShape {
    if (this.#shape === null) throw new Error('the statement has not begun');
    return this.#shape;
  }

  get progress(): number | null {
    return this.#progress;
  }

  /** `known`: its shape, if the same text has begun before. Then the process hears of it when it is bound. */
  async begin(statement: TenantStatement, known: StatementShape | null, signal: AbortSignal): Promise<void> {
    await this.#enter(signal);
    if (known !== null) {
      this.#shape = known;
      this.#begins = statement;
      this.#life.to('prepared');
      return;
    }
    const message = await this.#request(toEngine.begin, statement, toServer.begun, 'prepared');
    this.#shape = this.#parse(() => parseShape(message.head));
  }

  /** In place of a statement. */
  async vocabulary(signal: AbortSignal): Promise<EngineVocabulary> {
    await this.#enter(signal);
    const { head } = await this.#request(toEngine.vocabulary, null, toServer.vocabulary, 'done');
    return this.#parse(() => parseVocabulary(head));
  }

  async #enter(signal: AbortSignal): Promise<void> {
    const onAbort = () => this.#end('cancelled', signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    this.#leaveSignal = () => signal.removeEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    // A start has a limit of its own: a statement that comes first has no less time than others.
    await this.#orFailure(this.#child.ready);
    this.#child.onMessage = (message) => this.#onMessage(message);
  }

  async bind(request: BindRequest): Promise<BoundStatement> {
    this.#tempBytesMax = Math.min(inSteps(this.#options.room.bytes()), this.#options.tempBytesMax);
    const begins = this.#begins;
    const limited: LimitedBind = {
      ...(begins === null ? {} : { begins }),
      request,
      tempBytesMax: this.#tempBytesMax,
    };
    const next = request.runs === true ? 'running' : 'bound';
    const { head, body } = await this.#request(toEngine.bind, limited, toServer.bound, next);
    return { schemaMessage: head, parameterSchemaMessage: new Uint8Array(body) };
  }

  async *run(parameters: StatementParameters | null): AsyncGenerator<IpcMessage, void, void> {
    this.#throwFailure();
    if (this.#hasReader) throw new Error('a statement runs once');
    this.#hasReader = true;
    if (!this.#life.is('running', 'whole')) {
      this.#life.to('running');
      this.#child.send(toEngine.run, this.#number, parameters);
      this.#setClock();
    }
    try {
      for (;;) {
        const message = this.#unread.shift();
        if (message !== undefined) {
          this.#unreadBytes -= message.bodyBytes;
          if (this.#life.is('running')) this.#child.send(toEngine.taken, this.#number, message.bodyBytes);
          this.#setClock();
          yield message;
          this.#options.pool.give(message.release());
          continue;
        }
        if (this.#life.is('whole')) {
          this.#life.to('done');
          return;
        }
        this.#throwFailure();
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      // The last row is read, or the reader has gone: the slot is for the next one.
      if (this.#life.isFinal) this.#stop();
      else this.#end('cancelled', closed());
    }
  }

  spare(giveUp: () => boolean): void {
    this.#options.onSpare(giveUp);
  }

  async close(): Promise<void> {
    if (!this.#hold.isFinal)
      this.#end('cancelled', new FrameholdError('cancelled', 'The statement was closed before its end.'));
    await this.#released.promise;
  }

  /** Ends the statement: its reader gets the error at once, the process a moment to stop. */
  fail(error: unknown): void {
    this.#end('failed', error);
  }

  #end(state: 'failed' | 'cancelled', error: unknown): void {
    if (!this.#life.isFinal) {
      this.#life.to(state);
      this.#failure = error;
      // A reader that goes on gets the error, not the rest of an incomplete result.
      this.#unread.length = 0;
      this.#pending?.reject(error);
      this.#pending = null;
      this.#wake();
    }
    this.#stop();
  }

  /** Ends the statement with its process, now. */
  kill(reason: KillReason, error: unknown): void {
    this.fail(error);
    this.#child.kill(reason);
    this.#release();
  }

  get tempBytesMax(): number {
    return this.#tempBytesMax;
  }

  get tempDirectory(): string {
    return this.#child.tempDirectory;
  }

  stop(error: FrameholdError): void {
    this.kill('disk', error);
  }

  outgrown(): void {
    this.kill('memory', outOfMemory(this.#options.memoryBytes));
  }

  #throwFailure(): void {
    if (this.#life.is('failed', 'cancelled')) throw this.#failure;
    if (this.#hold.is('closing', 'released')) throw closed();
  }

  /** The statement works as long as the process has something to do that nobody holds back. */
  #setClock(): void {
    const isHeldBack = this.#unread.length >= batchesAhead || this.#unreadBytes >= bytesAhead;
    if (this.#pending !== null || (this.#life.is('running') && !isHeldBack)) this.#clock.run();
    else this.#clock.stand();
    if (this.#pending !== null) this.#prepareClock.run();
    else this.#prepareClock.stand();
  }

  async #request(type: number, head: unknown, answer: number, next: State): Promise<WireMessage> {
    this.#throwFailure();
    const { promise, resolve, reject } = Promise.withResolvers<WireMessage>();
    this.#pending = { type: answer, next, resolve, reject };
    this.#setClock();
    if (this.#hold.is('unaware')) this.#hold.to('busy');
    this.#child.send(type, this.#number, head);
    return await promise;
  }

  /** What comes first: the promise, or the statement's own failure. */
  async #orFailure(promise: Promise<void>): Promise<void> {
    const failed = Promise.withResolvers<WireMessage>();
    this.#throwFailure();
    this.#pending = { type: toServer.ready, next: null, resolve: failed.resolve, reject: failed.reject };
    try {
      await Promise.race([promise, failed.promise]);
    } catch (error) {
      this.#throwFailure();
      throw error;
    } finally {
      this.#pending = null;
    }
  }

  #onMessage(message: WireMessage): void {
    try {
      this.#take(message);
    } catch (cause) {
      this.kill('protocol', broken('The engine sent something that it may not.', cause));
    }
  }

  #take(message: WireMessage): void {
    if (message.statement !== this.#number) throw new Error(`a message of statement ${message.statement}`);
    if (message.type === toServer.closed) {
      if (this.#hold.is('finishing')) this.#hold.to('free');
      else if (this.#hold.is('closing')) this.#release();
      else throw new Error('closed without being asked');
    } else if (this.#hold.is('closing')) {
      // It was on its way when the statement was stopped.
    } else if (message.type === toServer.failed) this.fail(this.#failureOf(message.head));
    else if (message.type === toServer.batch) this.#takeBatch(message);
    else if (message.type === toServer.done) this.#takeEnd(message);
    else if (message.type === toServer.progress) this.#takeProgress(message);
    else this.#takeAnswer(message);
  }

  /** The engine does not know why it may write so little. */
  #failureOf(head: Uint8Array): FrameholdError {
    const error = parseFailure(head);
    const { room, tempBytesMax } = this.#options;
    return error.kind === 'sql_memory' && this.#tempBytesMax < tempBytesMax ? room.full() : error;
  }

  #takeAnswer(message: WireMessage): void {
    const pending = this.#pending;
    if (pending?.type !== message.type) throw new Error(`a message of type ${message.type}`);
    this.#pending = null;
    if (pending.next !== null) this.#life.to(pending.next);
    this.#setClock();
    pending.resolve(message);
  }

  #takeEnd({ head }: WireMessage): void {
    if (!this.#life.is('running') || parseCount(head) !== this.#received)
      throw new Error('the end of a result that is not whole');
    this.#life.to('whole');
    this.#hold.to('finishing');
    this.#setClock();
    this.#wake();
  }

  #takeProgress({ head }: WireMessage): void {
    if (!this.#life.is('running')) throw new Error('the progress of a statement that does not run');
    this.#progress = parseProgress(head);
  }

  #takeBatch({ head, body }: WireMessage): void {
    if (!this.#life.is('running')) throw new Error('a batch that nobody asked for');
    if (this.#unread.length >= batchesAhead || this.#unreadBytes >= bytesAhead)
      throw new Error('more batches than there was room for');
    this.#received += 1;
    this.#unreadBytes += body.byteLength;
    this.#unread.push(new ReceivedBatch(head, body));
    this.#setClock();
    this.#wake();
  }

  #parse<Value>(read: () => Value): Value {
    try {
      return read();
    } catch (cause) {
      const error = broken('The engine sent something that it may not.', cause);
      this.kill('protocol', error);
      throw error;
    }
  }

  #onEnd(ending: Ending): void {
    // A result that is here, whole, can still be read.
    if (!this.#life.is('whole', 'done')) this.fail(this.#reasonOf(ending));
    this.#release();
  }

  #reasonOf(ending: Ending): FrameholdError {
    const cause = new Error(endingText(ending));
    if (ending.lastWords.includes('heap out of memory')) return outOfMemory(this.#options.memoryBytes);
    if (ending.killedFor === 'start')
      return new FrameholdError('overloaded', 'No engine process could start in time for this statement.', {
        cause,
        hint: 'The machine is too busy. Try again in a moment.',
      });
    return broken('The engine process of this statement ended.', cause);
  }

  #stop(): void {
    this.#standClocks();
    if (this.#hold.is('closing', 'released')) return;
    // The process does not know of it yet, and goes on starting, for the next one; or has closed it by itself.
    if (this.#hold.is('unaware', 'free')) {
      this.#release();
      return;
    }
    const closesByItself = this.#hold.is('finishing');
    this.#hold.to('closing');
    this.#graceTimer = setTimeout(() => {
      this.#child.kill('stuck');
      this.#release();
    }, stopGraceMs);
    if (!closesByItself) this.#child.send(toEngine.close, this.#number);
  }

  #standClocks(): void {
    this.#clock.stand();
    this.#prepareClock.stand();
  }

  #release(): void {
    if (this.#hold.isFinal) return;
    this.#hold.to('released');
    this.#standClocks();
    clearTimeout(this.#graceTimer);
    this.#leaveSignal();
    this.#child.onMessage = () => {};
    this.#child.onEnd = () => {};
    this.#released.resolve();
    this.#options.onRelease();
  }
}

/** Down to three significant bits: while little room is left, an instance that has this as its limit serves the next statement, too. */
function inSteps(bytes: number): number {
  const step = 2 ** Math.max(0, Math.floor(Math.log2(Math.max(1, bytes))) - 2);
  return Math.floor(bytes / step) * step;
}

function closed(): FrameholdError {
  return new FrameholdError('cancelled', 'The statement is closed.');
}

function tooLong(timeoutMs: number): FrameholdError {
  return new FrameholdError('sql_timeout', `The statement worked for more than ${timeoutMs} ms.`, {
    hint: 'Ask for less at once, or raise sql.timeout_ms.',
  });
}

function tooComplex(prepareMsMax: number): FrameholdError {
  return new FrameholdError(
    'sql_timeout',
    `The engine worked for more than ${prepareMsMax} ms before the statement could run: parsing, binding and planning it took too long.`,
    { hint: 'Write a shorter statement: put long lists of values into a frame and join it.' },
  );
}

function outOfMemory(memoryBytes: number): FrameholdError {
  return new FrameholdError(
    'sql_memory',
    `The statement needs much more than the ${memoryBytes} bytes of memory that it may use.`,
    { hint: 'Ask for less at once, or raise sql.memory_bytes_max.' },
  );
}

function broken(detail: string, cause: unknown): FrameholdError {
  return new FrameholdError('engine_failed', detail, {
    cause,
    hint: 'Other statements are not affected. Try again; if it happens again, the statement is the reason.',
  });
}

function endingText(ending: Ending): string {
  const { lastWords } = ending;
  return lastWords === '' ? describeEnding(ending) : `${describeEnding(ending)}: ${lastWords}`;
}
