import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { deserialize } from 'node:v8';
import { BufferPool } from '../base/buffer-pool.ts';
import { keepCompiledCode } from '../base/compile-cache.ts';
import { StateMachine, type Transitions } from '../base/state-machine.ts';
import { errorToPayload, FrameholdError } from '../model/errors.ts';
import type { StatementParameters } from '../ports/engine.ts';
import { CorkedWrites } from './corked-writes.ts';
import {
  batchBytesMax,
  batchesAhead,
  bytesAhead,
  failureHead,
  jsonHead,
  limitsOfServer,
  progressEveryMs,
  protocolDescriptor,
  toEngine,
  toServer,
} from './protocol.ts';
import type {
  IpcPiece,
  LimitedBind,
  RunnerOptions,
  StatementRunner,
  StatementRunners,
  TenantStatement,
} from './statement-runner.ts';
import { type WireMessage, WireReader, writeMessage } from './wire.ts';

/** A little behind the server, whose answers to everybody must not wait for one statement's threads. */
const priority = 5;
/** Between 0 and 1000: if memory runs out, the kernel takes an engine before the server. */
const outOfMemoryScore = 800;
/** An interrupt between two steps of a statement is lost, so it is said again until the statement has ended. */
const interruptEveryMs = 20;
/** As many batches as are on their way at once, with one that is being made. */
const idleBatchBytesMax = 16 * 1024 ** 2;

/** The main loop of an engine process: one statement at a time, until the server is gone. */
export function serveStatements(runners: StatementRunners): void {
  takePlace();
  keepCompiledCode();
  const socket = new Socket({ fd: protocolDescriptor, readable: true, writable: true });
  const session = new Session(runners, socket);
  const reader = new WireReader(limitsOfServer, (message) => session.receive(message));
  socket.on('data', (chunk) => reader.push(chunk));
  socket.on('error', () => session.vanish());
  socket.on('close', () => session.vanish());
  socket.on('end', () => session.vanish());
}

function takePlace(): void {
  // Ctrl-C and service managers signal the whole group. The server decides when an engine ends: when it closes the socket.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  // Each by itself: a server that runs with a lower priority may not set this one.
  for (const step of [
    () => setPriority(priority),
    () => writeFileSync('/proc/self/oom_score_adj', String(outOfMemoryScore)),
  ])
    try {
      step();
    } catch {
      // Not Linux, or not allowed: statements run all the same.
    }
}

type State =
  /** The server has not said yet what the process may use. */
  | 'starting'
  /** Free for a statement, or preparing for one. */
  | 'idle'
  /** A statement has it. */
  | 'serving'
  /** The statement is told to end, or has had its end: what it still has under way says nothing more. */
  | 'closing';

const transitions: Transitions<State> = {
  starting: ['idle'],
  idle: ['serving'],
  serving: ['closing'],
  closing: ['idle'],
};

class Session {
  readonly #runners: StatementRunners;
  readonly #socket: Socket;
  readonly #held: CorkedWrites;
  #options: RunnerOptions | null = null;
  readonly #life = new StateMachine<State>('starting', transitions);
  #statement = 0;
  #runner: StatementRunner | null = null;
  /** What was asked for last; never rejects. */
  #working: Promise<void> = Promise.resolve();
  /** The preparation for the next statement, from where this one gives its rows. */
  #warming: Promise<void> | null = null;
  #unread = { batches: 0, bytes: 0 };
  #wake: () => void = () => {};
  readonly #pool = new BufferPool(idleBatchBytesMax);

  constructor(runners: StatementRunners, socket: Socket) {
    this.#runners = runners;
    this.#socket = socket;
    this.#held = new CorkedWrites(socket);
  }

  receive(message: WireMessage): void {
    switch (message.type) {
      case toEngine.start: {
        const options: RunnerOptions = deserialize(message.head);
        this.#options = options;
        this.#life.to('idle');
        this.#working = this.#runners.warm(options).then(() => this.#send(toServer.ready));
        return;
      }
      case toEngine.begin:
        this.#enter(message);
        this.#work(async () => {
          await this.#begin(deserialize(message.head));
          if (this.#runner !== null) this.#send(toServer.begun, jsonHead(this.#runner.shape));
        });
        return;
      case toEngine.vocabulary:
        this.#enter(message);
        this.#work(() => this.#tellVocabulary());
        return;
      case toEngine.bind: {
        const bind: LimitedBind = deserialize(message.head);
        const { begins } = bind;
        if (begins !== undefined) {
          this.#enter(message);
          this.#work(() => this.#begin(begins));
        }
        this.#work(() => this.#bind(bind));
        return;
      }
      case toEngine.run:
        this.#work(() => this.#run(deserialize(message.head)));
        return;
      case toEngine.taken:
        this.#unread.batches -= 1;
        this.#unread.bytes -= deserialize(message.head);
        this.#wake();
        return;
      case toEngine.close:
        // It may have closed by itself meanwhile.
        if (this.#isServing) void this.#close();
        return;
      default:
        throw new Error(`the server sent a message of type ${message.type}`);
    }
  }

  get #isServing(): boolean {
    return this.#life.is('serving');
  }

  #enter({ statement }: WireMessage): void {
    this.#life.to('serving');
    this.#statement = statement;
    this.#unread = { batches: 0, bytes: 0 };
  }

  /** The server is gone. Nothing is waited for: a query in flight would keep an orderly exit waiting. */
  vanish(): void {
    for (const directory of [this.#options?.tempDirectory, this.#options?.linkDirectory]) {
      if (directory === undefined) continue;
      try {
        rmSync(directory, { recursive: true, force: true });
      } catch {
        // The next start of a server sweeps it.
      }
    }
    process.kill(process.pid, 'SIGKILL');
  }

  #work(task: () => Promise<void>): void {
    this.#working = this.#working.then(task).catch((error: unknown) => {
      if (this.#isServing) this.#send(toServer.failed, failureHead(errorToPayload(error)));
      this.#held.release();
    });
  }

  async #begin({ sql, tenant, isPostgres = false }: TenantStatement): Promise<void> {
    if (!this.#isServing) return;
    this.#runner = await this.#runners.begin(sql, required(this.#options), tenant, isPostgres);
  }

  async #tellVocabulary(): Promise<void> {
    if (!this.#isServing) return;
    this.#send(toServer.vocabulary, jsonHead(await this.#runners.vocabulary(required(this.#options))));
  }

  async #bind({ request, tempBytesMax }: LimitedBind): Promise<void> {
    // A statement that could not begin has said so.
    if (!this.#isServing || this.#runner === null) return;
    const bound = await this.#runner.bind(request, tempBytesMax);
    if (request.runs === true) this.#held.hold();
    this.#send(toServer.bound, bound.schemaMessage, [bound.parameterSchemaMessage]);
    if (request.runs === true) await this.#run(request.parameters ?? null);
  }

  async #run(parameters: StatementParameters | null): Promise<void> {
    if (!this.#isServing) return;
    const runner = required(this.#runner);
    const pieces = runner.run(parameters, this.#pool);
    // Takes 20 ms of one thread: the next statement does not wait for it if this one takes longer.
    this.#warming = this.#warm();
    let batches = 0;
    const reporting = this.#reportProgress(runner);
    try {
      for (;;) {
        // Before the next piece is made, not after: what nobody wants yet is not computed.
        await this.#mayGoOn();
        if (!this.#isServing) return;
        const next = await pieces.next();
        if (!this.#isServing) return;
        if (next.done) break;
        this.#sendBatch(next.value);
        batches += 1;
      }
    } finally {
      clearInterval(reporting);
      await pieces.return();
    }
    this.#send(toServer.done, jsonHead(batches));
    void this.#close();
  }

  /** Says only what is new: while a reader pauses, nothing is sent. */
  #reportProgress(runner: StatementRunner): NodeJS.Timeout {
    let said: number | null = null;
    return setInterval(() => {
      const progress = this.#isServing ? runner.progress() : null;
      if (progress === null || progress === said) return;
      said = progress;
      this.#send(toServer.progress, jsonHead(progress));
    }, progressEveryMs);
  }

  async #mayGoOn(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = () => {
      if (!this.#isServing || (this.#unread.batches < batchesAhead && this.#unread.bytes < bytesAhead))
        resolve();
    };
    this.#wake();
    await promise;
  }

  #sendBatch(piece: IpcPiece): void {
    const { header, body, bodyBytes } = piece;
    if (bodyBytes > batchBytesMax)
      throw new FrameholdError(
        'sql_failed',
        `Some rows of the result have more than ${batchBytesMax} bytes together.`,
      );
    this.#unread.batches += 1;
    this.#unread.bytes += bodyBytes;
    writeMessage(this.#socket, toServer.batch, this.#statement, header, body, () => piece.release());
    this.#held.add(bodyBytes);
  }

  async #close(): Promise<void> {
    this.#life.to('closing');
    this.#wake();
    this.#runner?.interrupt();
    const again = setInterval(() => this.#runner?.interrupt(), interruptEveryMs);
    await this.#working;
    clearInterval(again);
    await this.#runner?.close();
    this.#runner = null;
    this.#emptyDirectory();
    this.#life.to('idle');
    this.#send(toServer.closed);
    this.#held.release();
    this.#working = this.#warming ?? this.#warm();
    this.#warming = null;
  }

  /** A failure to prepare shows when the next statement begins. */
  #warm(): Promise<void> {
    return this.#runners.warm(required(this.#options)).catch(() => {});
  }

  /** The engine removes its temporary files. What it forgot, the next statement, maybe of another caller, must not find. */
  #emptyDirectory(): void {
    const { tempDirectory, linkDirectory } = required(this.#options);
    for (const directory of [tempDirectory, linkDirectory])
      if (directory !== undefined)
        for (const left of readdirSync(directory))
          rmSync(join(directory, left), { recursive: true, force: true });
  }

  #send(type: number, head?: Uint8Array, body?: readonly Uint8Array[]): void {
    writeMessage(this.#socket, type, this.#statement, head, body);
  }
}

function required<Value>(value: Value | null): Value {
  if (value === null) throw new Error('the server called out of order');
  return value;
}
