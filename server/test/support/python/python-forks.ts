import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pythonCommand } from '../python.ts';
import { removeFolder, temporaryFolder } from '../temporary-folder.ts';
import { forksVariable } from './forked-script.ts';

/** What the scripts of the tests import. Together they take more than a second of CPU time, a fork that has them a few milliseconds. */
const modules = [
  'numpy',
  'pandas',
  'pyarrow.compute',
  'pyarrow.csv',
  'pyarrow.flight',
  'pyarrow.parquet',
  'adbc_driver_flightsql.dbapi',
  'duckdb',
];

/** A Python for a whole run of tests: each script runs in a fork of it. */
export class PythonForks implements AsyncDisposable {
  readonly socket: string;
  readonly #stop: () => Promise<void>;

  private constructor(socket: string, stop: () => Promise<void>) {
    this.socket = socket;
    this.#stop = stop;
  }

  static async start(): Promise<PythonForks> {
    const folder = temporaryFolder('python');
    const socket = join(folder, 'forks');
    const script = join(import.meta.dirname, 'python_forks.py');
    const child = spawn(pythonCommand, [script, socket, ...modules], { stdio: ['pipe', 'pipe', 'inherit'] });
    const ended = once(child, 'close');
    const ready = await Promise.race([once(child.stdout, 'data').then(() => true), ended.then(() => false)]);
    if (!ready) throw new Error('the Python for this run has ended before it was ready');
    return new PythonForks(socket, async () => {
      child.stdin.end();
      await ended;
      removeFolder(folder);
    });
  }

  /** For the test files of the run. */
  get environment(): Readonly<Record<string, string>> {
    return { [forksVariable]: this.socket };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop();
  }
}
