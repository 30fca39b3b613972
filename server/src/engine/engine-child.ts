import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serialize } from 'node:v8';
import type { BufferPool } from '../base/buffer-pool.ts';
import { isolatedCompileCache } from '../base/compile-cache.ts';
import { StateMachine, type Transitions } from '../base/state-machine.ts';
import { limitsOfEngine, toEngine, toServer } from './protocol.ts';
import { socketPair } from './socket-pair.ts';
import type { RunnerOptions } from './statement-runner.ts';
import { type WireMessage, WireReader, writeMessage } from './wire.ts';

export interface ChildOptions {
  /** The entry module, which calls `serveStatements`. */
  readonly module: URL;
  /** Program and arguments that start the process with fewer rights (`drop-privileges.ts`); empty if it has none to lose. */
  readonly launcher: readonly string[];
  /** Where the private directory of the process is made. */
  readonly tempRoot: string;
  /** Where one for links to files is made; absent if the other one serves for that. */
  readonly linkRoot?: string | undefined;
  readonly runner: Omit<RunnerOptions, 'tempDirectory' | 'linkDirectory'>;
  /** Where the batches that it sends are put. */
  readonly pool: BufferPool;
  /** How long its start may take. */
  readonly startMs?: number | undefined;
}

/** Why a process is gone. */
export interface Ending {
  readonly code: number | null;
  readonly signal: string | null;
  /** What it wrote to standard error last, for the log. */
  readonly lastWords: string;
  /** The reason the server had to end it; null if it went by itself. */
  readonly killedFor: KillReason | null;
}

/** idle, retired: it did nothing wrong. stuck: did not stop when asked. memory, disk: outgrew its limit. protocol: sent what it may not. */
export type KillReason = 'idle' | 'retired' | 'stuck' | 'memory' | 'disk' | 'protocol' | 'start' | 'stopping';

/** V8's own heap. Rows are not in it: they are in DuckDB's memory and in buffers. */
const heapMegabytes = 256;
/** Below this the heap is not collected as a whole. Vectors pass by in buffers that it counts, a gigabyte for a large result, and from 30 MB on it would be every 60 ms. */
const calmMegabytes = 192;
/** The end of what the process wrote to standard error: an error and its stack, for the log. */
const lastWordsMax = 4 * 1024;
/** A start takes 0.2 s; ten at once on a busy machine take seconds. */
const startMsDefault = 20_000;

/** A process whose socket is closed ends in this time, or is ended. */
const hungUpMs = 200;

type State =
  | 'starting'
  /** It takes statements. */
  | 'ready'
  /** It was told to end, and has not yet. */
  | 'killed'
  | 'ended';

const transitions: Transitions<State> = {
  starting: ['ready', 'killed', 'ended'],
  ready: ['killed', 'ended'],
  killed: ['ended'],
  ended: [],
};

/** One engine process, as the server sees it. What it says is not trusted. */
export class EngineChild {
  /** Resolves when there is a process, or none could be started. */
  readonly launched: Promise<void>;
  /** Resolves when it takes statements; rejects if it is gone before. */
  readonly ready: Promise<void>;
  /** Resolves when it has ended and its directory is gone. */
  readonly gone: Promise<Ending>;
  readonly tempDirectory: string;
  readonly #linkDirectory: string | undefined;
  /** Statements that it has been given. */
  statements = 0;
  /** Whose they were, the last time; null if there was none. */
  tenant: string | null = null;
  /** Gets the messages of the statement that runs. */
  onMessage: (message: WireMessage) => void = () => {};
  /** Called once, as soon as it has ended. */
  onEnd: (ending: Ending) => void = () => {};
  readonly #reader: WireReader;
  readonly #started = Promise.withResolvers<void>();
  readonly #exit = Promise.withResolvers<Pick<Ending, 'code' | 'signal'>>();
  /** Both are there when the process is. */
  #process: ChildProcess | null = null;
  #socket: Socket | null = null;
  readonly #life = new StateMachine<State>('starting', transitions);
  /** Whether it keeps the server from ending, from when there is a process. */
  #isReferenced = true;
  #lastWords = '';
  #killedFor: KillReason | null = null;

  constructor(options: ChildOptions) {
    const { tempRoot, linkRoot } = options;
    this.tempDirectory = mkdtempSync(join(tempRoot, 'engine-'));
    this.#linkDirectory = linkRoot === undefined ? undefined : mkdtempSync(join(linkRoot, 'engine-'));
    this.#reader = new WireReader(limitsOfEngine, (message) => this.#take(message), options.pool);
    this.gone = this.#watchEnd();
    this.launched = this.#launch(options);
    this.ready = this.#start(options);
    // A waiter sees the rejection; without one it must not count as unhandled.
    this.ready.catch(() => {});
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Neither ended nor asked to end. */
  get usable(): boolean {
    return this.#life.is('starting', 'ready');
  }

  send(type: number, statement: number, head?: unknown): void {
    if (!this.usable || this.#socket === null) return;
    writeMessage(this.#socket, type, statement, head === undefined ? undefined : serialize(head));
  }

  kill(reason: KillReason): void {
    if (!this.usable) return;
    this.#life.to('killed');
    this.#killedFor = reason;
    // The server waits until it is gone, whatever else there is to do.
    this.ref();
    this.#process?.kill('SIGKILL');
  }

  /** As long as somebody waits for it, the server does not end by itself. */
  ref(): void {
    this.#isReferenced = true;
    this.#process?.ref();
    this.#socket?.ref();
  }

  /** An idle one does not keep the server from ending. */
  unref(): void {
    this.#isReferenced = false;
    this.#process?.unref();
    this.#socket?.unref();
    (this.#process?.stderr as Socket | null)?.unref();
  }

  async #start(options: ChildOptions): Promise<void> {
    const timer = setTimeout(() => this.kill('start'), options.startMs ?? startMsDefault);
    timer.unref();
    void this.gone.then((ending) => this.#started.reject(new Error(describeEnding(ending))));
    try {
      await this.launched;
      const runner: RunnerOptions = {
        ...options.runner,
        tempDirectory: this.tempDirectory,
        linkDirectory: this.#linkDirectory,
      };
      this.send(toEngine.start, 0, runner);
      await this.#started.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  /** If there are no descriptors, memory or processes left, the child is reported as ended. */
  async #launch(options: ChildOptions): Promise<void> {
    try {
      const { near, far } = await socketPair(
        this.tempDirectory,
        (bytes) => this.#onBytes(bytes),
        () => this.#reader.room(),
      );
      this.#socket = near;
      try {
        this.#process = start(options, this.tempDirectory, far);
      } finally {
        // A child has its own by now.
        far.destroy();
      }
      this.#listen(this.#process, near);
      if (!this.#isReferenced) this.unref();
      if (this.#life.is('killed')) this.#process.kill('SIGKILL');
    } catch (error) {
      this.#lastWords += (error as Error).message;
      this.#exit.resolve({ code: null, signal: null });
    }
  }

  #onBytes(bytes: Uint8Array): void {
    try {
      this.#reader.push(bytes);
    } catch {
      this.kill('protocol');
    }
  }

  #take(message: WireMessage): void {
    if (this.#life.is('ready')) this.onMessage(message);
    else if (!this.#life.is('starting')) return;
    else if (message.type !== toServer.ready) this.kill('protocol');
    else {
      this.#life.to('ready');
      this.#started.resolve();
    }
  }

  #listen(child: ChildProcess, socket: Socket): void {
    // A socket that breaks is followed by the end of the process, which is reported there.
    socket.on('error', () => {});
    socket.on('close', () => {
      setTimeout(() => this.kill('protocol'), hungUpMs).unref();
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#lastWords = (this.#lastWords + chunk.toString('latin1')).slice(-lastWordsMax);
    });
    child.stderr?.on('error', () => {});
    child.on('error', (error) => {
      this.#lastWords += error.message;
      // If it was never started, there is no exit either.
      if (child.pid === undefined) this.#exit.resolve({ code: null, signal: null });
    });
    child.on('exit', (code, signal) => this.#exit.resolve({ code, signal }));
  }

  async #watchEnd(): Promise<Ending> {
    const { code, signal } = await this.#exit.promise;
    this.#life.to('ended');
    const ending = { code, signal, lastWords: this.#lastWords, killedFor: this.#killedFor };
    this.onEnd(ending);
    this.#socket?.destroy();
    this.#process?.stderr?.destroy();
    for (const directory of [this.tempDirectory, this.#linkDirectory])
      if (directory !== undefined)
        await rm(directory, { recursive: true, force: true, maxRetries: 3 }).catch(() => {});
    return ending;
  }
}

function start({ module, launcher, runner }: ChildOptions, directory: string, link: Socket): ChildProcess {
  const [program = process.execPath, ...before] = [...launcher, process.execPath];
  return spawn(
    program,
    [
      ...before,
      '--title=framehold-engine',
      `--max-old-space-size=${heapMegabytes}`,
      `--initial-old-space-size=${calmMegabytes}`,
      '--disable-sigusr1',
      fileURLToPath(module),
    ],
    {
      cwd: directory,
      env: environment(runner.threads),
      stdio: ['ignore', 'ignore', 'pipe', link],
    },
  );
}

/**
 * Nothing of the server's own: it may hold secrets. libuv's threads do the engine's blocking calls; each of a statement's steps takes
 * one, and interrupting must never wait for one.
 */
function environment(threads: number): Record<string, string> {
  return { TZ: 'UTC', UV_THREADPOOL_SIZE: String(Math.max(4, threads)), ...isolatedCompileCache() };
}

export function describeEnding({ code, signal, killedFor }: Ending): string {
  const how = signal === null ? `ended with code ${code}` : `was ended by ${signal}`;
  return killedFor === null ? `an engine process ${how}` : `an engine process ${how} (${killedFor})`;
}
