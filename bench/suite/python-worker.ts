import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pythonCommand } from '../../server/test/support/python.ts';
import type { Sample } from './benchmark-case.ts';

/** What `worker.py` answers: a sample, and what the work itself reports. */
export interface WorkerAnswer extends Sample {
  readonly rows?: number;
  readonly digest?: string;
}

/** A Python program that is kept: pyarrow and DuckDB in it are peers, or clients of Framehold. One request at a time. */
export class PythonWorker implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  private constructor(child: ChildProcess) {
    if (!child.stdout) throw new Error('no output');
    this.#child = child;
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  static async start(): Promise<PythonWorker> {
    const script = join(import.meta.dirname, 'worker.py');
    const worker = new PythonWorker(spawn(pythonCommand, [script], { stdio: ['pipe', 'pipe', 'inherit'] }));
    await worker.#answer();
    return worker;
  }

  async do(name: string, request: Readonly<Record<string, unknown>>): Promise<WorkerAnswer> {
    this.#child.stdin?.write(`${JSON.stringify({ do: name, ...request })}\n`);
    return (await this.#answer()) as WorkerAnswer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    // Not the end of its input: threads of pyarrow can make an interpreter that tidies up abort.
    this.#child.kill('SIGKILL');
    await ended;
  }

  async #answer(): Promise<unknown> {
    const line = await this.#lines.next();
    if (line.done) throw new Error('the Python worker has ended: its error is above');
    return JSON.parse(line.value);
  }
}

/** Several workers that do the same at once count as one. */
export function together(samples: readonly Sample[]): Sample {
  const sum = (pick: (sample: Sample) => number) => samples.reduce((all, each) => all + pick(each), 0);
  return {
    work: sum(({ work }) => work),
    seconds: Math.max(...samples.map(({ seconds }) => seconds)),
    cpuSeconds: sum(({ cpuSeconds }) => cpuSeconds),
    peakMegabytes: sum(({ peakMegabytes }) => peakMegabytes),
  };
}
