import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface Answer {
  readonly seconds: number;
  readonly rows: number;
  /** Processor seconds of the client itself. */
  readonly cpu: number;
}

/** A Python program that is kept: a statement a line in, an answer a line out. */
export class StatementClient implements AsyncDisposable {
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  private constructor(child: ChildProcess, pid: number) {
    if (!child.stdout) throw new Error('no output');
    this.#child = child;
    this.pid = pid;
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  static async start(python: string, args: readonly string[]): Promise<StatementClient> {
    const child = spawn(python, [...args], { stdio: ['pipe', 'pipe', 'inherit'] });
    if (child.pid === undefined) throw new Error(`cannot start ${python}`);
    const client = new StatementClient(child, child.pid);
    await client.#answer();
    return client;
  }

  async run(sql: string): Promise<Answer> {
    this.#child.stdin?.write(`${JSON.stringify(sql)}\n`);
    return (await this.#answer()) as Answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.stdin?.end();
    await ended;
  }

  async #answer(): Promise<unknown> {
    const line = await this.#lines.next();
    if (line.done) throw new Error('the client has ended: its error is above');
    return JSON.parse(line.value);
  }
}
