import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serialize } from 'node:v8';
import { limitsOfEngine, protocolDescriptor, toEngine, toServer } from './protocol.ts';
import type { RunnerOptions } from './statement-runner.ts';
import { type Frame, FrameReader, writeFrame } from './wire.ts';

export interface ChildOptions {
  /** The entry module, which calls `serveStatements`. */
  readonly module: URL;
  /** Where the private directory of the process is made. */
  readonly tempRoot: string;
  readonly runner: Omit<RunnerOptions, 'tempDirectory'>;
}

/** Why a process is gone. */
export interface Ending {
  readonly code: number | null;
  readonly signal: string | null;
  /** What it wrote to standard error last, for the log. */
  readonly lastWords: string;
  /** The reason the server had to end it; null where it went by itself. */
  readonly killedFor: KillReason | null;
}

/** idle, retired: it did nothing wrong. stuck: did not stop when told. memory: outgrew its limit. protocol: sent what it may not. */
export type KillReason = 'idle' | 'retired' | 'stuck' | 'memory' | 'protocol' | 'start' | 'stopping';

/** V8's own heap. Rows are not in it: they are in DuckDB's memory and in buffers. */
const heapMegabytes = 256;
const lastWordsMax = 4 * 1024;
/** A start takes 0.2 s; ten at once on a busy machine take seconds. */
const startMs = 20_000;

/** A process whose socket is closed ends in this time, or is ended. */
const hungUpMs = 200;

/** One engine process, as the server sees it. What it says is not trusted. */
export class EngineChild {
  /** Resolves when it takes statements; rejects where it is gone before. */
  readonly ready: Promise<void>;
  /** Resolves when it has ended and its directory is gone. */
  readonly gone: Promise<Ending>;
  readonly tempDirectory: string;
  /** Statements that it has been given. */
  statements = 0;
  /** Gets the frames of the statement that runs. */
  onFrame: (frame: Frame) => void = () => {};
  /** Called once, as soon as it has ended. */
  onEnd: (ending: Ending) => void = () => {};
  readonly #process: ChildProcess;
  readonly #socket: Socket;
  readonly #started = Promise.withResolvers<void>();
  #isReady = false;
  #lastWords = '';
  #ended = false;
  #killedFor: KillReason | null = null;

  constructor(options: ChildOptions) {
    this.tempDirectory = mkdtempSync(join(options.tempRoot, 'engine-'));
    try {
      this.#process = start(options, this.tempDirectory);
    } catch (error) {
      rmSync(this.tempDirectory, { recursive: true, force: true });
      throw error;
    }
    this.gone = this.#watchEnd();
    // Where the server has no descriptors left, there are no streams, and the failure is told as an end.
    const streams = this.#process.stdio as ChildProcess['stdio'] | undefined;
    this.#socket = (streams?.[protocolDescriptor] ?? new Socket()) as Socket;
    this.ready = this.#start({ ...options.runner, tempDirectory: this.tempDirectory });
    // Whoever waits for it is told; where nobody does, it is no unhandled rejection.
    this.ready.catch(() => {});
    this.#listen();
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Neither ended nor told to. */
  get usable(): boolean {
    return !this.#ended && this.#killedFor === null;
  }

  send(type: number, statement: number, head?: unknown): void {
    if (!this.usable) return;
    writeFrame(this.#socket, type, statement, head === undefined ? undefined : serialize(head));
  }

  kill(reason: KillReason): void {
    if (!this.usable) return;
    this.#killedFor = reason;
    // The server waits until it is gone, whatever else there is to do.
    this.ref();
    this.#process.kill('SIGKILL');
  }

  /** As long as somebody waits for it, the server does not end by itself. */
  ref(): void {
    this.#process.ref();
    this.#socket.ref();
  }

  /** An idle one does not keep the server from ending. */
  unref(): void {
    this.#process.unref();
    this.#socket.unref();
    (this.#process.stderr as Socket | null)?.unref();
  }

  async #start(options: RunnerOptions): Promise<void> {
    const timer = setTimeout(() => this.kill('start'), startMs);
    timer.unref();
    void this.gone.then((ending) => this.#started.reject(new Error(describeEnding(ending))));
    this.send(toEngine.start, 0, options);
    try {
      await this.#started.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  #listen(): void {
    const reader = new FrameReader(limitsOfEngine, (frame) => {
      if (!this.usable) return;
      if (this.#isReady) return this.onFrame(frame);
      if (frame.type !== toServer.ready) return this.kill('protocol');
      this.#isReady = true;
      this.#started.resolve();
    });
    this.#socket.on('data', (chunk: Buffer) => {
      try {
        reader.push(chunk);
      } catch {
        this.kill('protocol');
      }
    });
    // A socket that breaks is followed by the end of the process, which is where it is told.
    this.#socket.on('error', () => {});
    this.#socket.on('close', () => {
      setTimeout(() => this.kill('protocol'), hungUpMs).unref();
    });
    this.#process.stderr?.on('data', (chunk: Buffer) => {
      this.#lastWords = (this.#lastWords + chunk.toString('latin1')).slice(-lastWordsMax);
    });
    this.#process.stderr?.on('error', () => {});
  }

  async #watchEnd(): Promise<Ending> {
    const { promise, resolve } = Promise.withResolvers<Pick<Ending, 'code' | 'signal'>>();
    this.#process.on('error', (error) => {
      this.#lastWords += error.message;
      // Where it was never started, there is no exit either.
      if (this.#process.pid === undefined) resolve({ code: null, signal: null });
    });
    this.#process.on('exit', (code, signal) => resolve({ code, signal }));
    const { code, signal } = await promise;
    this.#ended = true;
    const ending = { code, signal, lastWords: this.#lastWords, killedFor: this.#killedFor };
    this.onEnd(ending);
    this.#socket.destroy();
    this.#process.stderr?.destroy();
    await rm(this.tempDirectory, { recursive: true, force: true, maxRetries: 3 }).catch(() => {});
    return ending;
  }
}

function start({ module, runner }: ChildOptions, directory: string): ChildProcess {
  return spawn(
    process.execPath,
    [
      '--title=framehold-engine',
      `--max-old-space-size=${heapMegabytes}`,
      '--disable-sigusr1',
      fileURLToPath(module),
    ],
    {
      cwd: directory,
      env: environment(runner.threads),
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    },
  );
}

/**
 * Nothing of the server's own: it may hold secrets. libuv's threads do the engine's blocking calls; each of a statement's steps takes
 * one, and interrupting must never wait for one.
 */
function environment(threads: number): Record<string, string> {
  return { TZ: 'UTC', UV_THREADPOOL_SIZE: String(Math.max(4, threads)) };
}

export function describeEnding({ code, signal, killedFor }: Ending): string {
  const how = signal === null ? `ended with code ${code}` : `was ended by ${signal}`;
  return killedFor === null ? `an engine process ${how}` : `an engine process ${how} (${killedFor})`;
}
