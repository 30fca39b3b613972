import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { machinePace } from './machine-pace.ts';
import { patienceMs } from './patience.ts';

export interface ChildOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment: nothing is inherited but PATH and Node's cache, so that a test says all that matters. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Output kept for failure messages: the newest lines matter, and a chatty part must not fill memory. */
const linesMax = 20_000;

/** Node programs start in two thirds of the time if what they compiled last time is kept: a run starts hundreds of them. */
const compileCache = process.env.NODE_COMPILE_CACHE
  ? { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }
  : {};

const running = new Set<Child>();

/** A program that a test started: its output is kept, and it never outlives the test process. */
export class Child {
  /** Standard output and standard error, in the order they came. */
  readonly lines: string[] = [];
  readonly #process: ChildProcess;
  readonly #listeners = new Set<() => void>();
  exit: { readonly code: number | null; readonly signal: string | null } | null = null;

  constructor(options: ChildOptions) {
    const env = { PATH: process.env.PATH ?? '', ...compileCache, ...options.env };
    this.#process = spawn(options.command, [...options.args], {
      env,
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(this);
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      if (stream) createInterface({ input: stream }).on('line', (line) => this.#keep(line));
    }
    this.#process.on('error', (error) => this.#keep(`cannot start ${options.command}: ${error.message}`));
    this.#process.on('close', (code, signal) => {
      this.exit = { code, signal };
      running.delete(this);
      this.#notify();
    });
  }

  get pid(): number {
    const { pid } = this.#process;
    if (pid === undefined) throw new Error(`not started: ${this.lines.join('\n')}`);
    return pid;
  }

  /** The first line that matches; rejects when the program ends first or the time is over. */
  async line(pattern: RegExp): Promise<RegExpExecArray> {
    return await this.until(`a line like ${pattern}`, () => {
      for (const line of this.lines) {
        const match = pattern.exec(line);
        if (match) return match;
      }
      return null;
    });
  }

  /** Asks again and again, at each line and each 20 ms, until the answer is not null. A test whose subject is the time gives one. */
  async until<T>(
    what: string,
    ask: () => T | null | Promise<T | null>,
    withinMs: number = patienceMs,
  ): Promise<T> {
    const began = Date.now();
    for (;;) {
      const answer = await ask();
      if (answer !== null) return answer;
      if (this.exit)
        throw new Error(`ended with ${JSON.stringify(this.exit)} before ${what}:\n${this.tail()}`);
      if (Date.now() - began > withinMs && Date.now() - began > withinMs * machinePace())
        throw new Error(`no ${what} within ${withinMs} ms:\n${this.tail()}`);
      await new Promise<void>((resolve) => {
        const wake = () => {
          clearTimeout(timer);
          this.#listeners.delete(wake);
          resolve();
        };
        const timer = setTimeout(wake, 20);
        this.#listeners.add(wake);
      });
    }
  }

  tail(): string {
    return this.lines.slice(-20).join('\n');
  }

  signal(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  /** Ends it and waits until it is gone; SIGKILL if the signal was not enough. */
  async stop(signal: NodeJS.Signals = 'SIGTERM', timeoutMs = 60_000): Promise<void> {
    if (this.exit) return;
    const closed = once(this.#process, 'close');
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), timeoutMs);
    this.#process.kill(signal);
    await closed;
    clearTimeout(timer);
  }

  #keep(line: string): void {
    this.lines.push(line);
    if (this.lines.length > linesMax) this.lines.splice(0, linesMax / 2);
    this.#notify();
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

process.on('exit', () => {
  for (const child of running) child.signal('SIGKILL');
});
// node:test ends a file that takes too long with SIGTERM: children must go then as well.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1));
