import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { withOtherIds } from '../server/test/arrow/other-dictionary-ids.ts';
import type { Framehold } from '../server/test/support/framehold-process.ts';
import { arrowBytes, pythonCommand } from '../server/test/support/python.ts';

/**
 * Every kind of change, a few puts that transcode in different ways, many small appends, or frames whose Parquet form takes
 * several files.
 */
export type Workload = 'all' | 'few' | 'many' | 'wide';

export interface WorkDone {
  readonly acknowledged: number;
  readonly faults: readonly string[];
}

export interface Checked {
  /** Versions that were read and compared. */
  readonly versions: number;
  readonly faults: readonly string[];
}

/** Longer than any round of work and any comparison. */
const answerTimeoutMs = 600_000;

/** Two streams with the same columns, whose dictionaries are numbered differently. */
async function symbolStreams(): Promise<Record<string, string>> {
  const { first, more } = await arrowBytes({
    first:
      "pa.table({'n': pa.array([1, 2, 3]), 'a': pa.array(['x', 'y', None]).dictionary_encode(), 'b': pa.array(['p', 'q', 'p']).dictionary_encode()})",
    more: "pa.table({'n': pa.array([4, 5]), 'a': pa.array(['x', 'z']).dictionary_encode(), 'b': pa.array(['k', 'l']).dictionary_encode()})",
  });
  return {
    first: first.toString('base64'),
    renumbered: Buffer.from(withOtherIds(more)).toString('base64'),
  };
}

/** The client that remembers, over all rounds, what was acknowledged. */
export class CrashClient {
  readonly #child: ChildProcess;
  readonly #answers: Interface;
  readonly #symbols: Record<string, string>;
  readonly #keep: number;
  #errors = '';

  private constructor(symbols: Record<string, string>, keep: number) {
    this.#symbols = symbols;
    this.#keep = keep;
    const script = join(import.meta.dirname, 'python', 'crash_client.py');
    this.#child = spawn(pythonCommand, [script], { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child.stderr?.on('data', (chunk) => {
      this.#errors = (this.#errors + String(chunk)).slice(-10_000);
    });
    if (!this.#child.stdout) throw new Error('no output');
    this.#answers = createInterface({ input: this.#child.stdout });
  }

  static async start(versionsKeep: number): Promise<CrashClient> {
    return new CrashClient(await symbolStreams(), versionsKeep);
  }

  /** Changes frames until the server has died, or the time is over. */
  async work(framehold: Framehold, round: number, seconds: number, work: Workload): Promise<WorkDone> {
    return (await this.#ask({ do: 'work', ...addresses(framehold), round, seconds, work })) as WorkDone;
  }

  /** Compares all that is visible with all that was acknowledged. `swept`: nothing may be left to prune. */
  async check(framehold: Framehold, swept: boolean): Promise<Checked> {
    return (await this.#ask({ do: 'check', ...addresses(framehold), swept })) as Checked;
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }

  async #ask(request: object): Promise<unknown> {
    const line = new Promise<string>((resolve, reject) => {
      const fail = () => reject(new Error(`the client gave no answer: ${this.#errors}`));
      const timer = setTimeout(fail, answerTimeoutMs);
      this.#child.once('close', fail);
      this.#answers.once('line', (text) => {
        clearTimeout(timer);
        this.#child.off('close', fail);
        resolve(text);
      });
    });
    this.#child.stdin?.write(`${JSON.stringify({ ...request, symbols: this.#symbols, keep: this.#keep })}\n`);
    return JSON.parse(await line);
  }
}

function addresses(framehold: Framehold): { readonly url: string; readonly grpc: string } {
  return { url: framehold.url, grpc: framehold.grpcUrl };
}
