import { Worker } from 'node:worker_threads';
import { timePasses } from '../support/passing-time.ts';
import { removeFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { corpus } from './corpus.ts';
import { type Finding, type FuzzOrder, stateFields } from './protocol.ts';
import type { TargetName } from './targets.ts';

export interface FuzzOptions {
  readonly target: TargetName;
  readonly seed: number;
  readonly from?: number;
  readonly count: number;
  readonly onProgress?: (report: FuzzReport) => void;
}

export interface FuzzReport {
  readonly cases: number;
  readonly accepted: number;
  readonly refused: number;
  readonly trapped: number;
  readonly slowestMs: number;
  /** Of the process: the most seen, and what stayed behind between the first and the last thread. */
  readonly peakBytes: number;
  readonly grownBytes: number;
  readonly findings: readonly Finding[];
}

/** A case that works for longer is a finding, and its thread is ended. Time of the processor counts: the machine may be busy with other things. */
const hangMs = 5_000;
/** One that does not work and does not end either. */
const stuckMs = 60_000;
const lookMs = 50;
/** A thread that is busy is gone within this time once it is ended. */
const endMs = 1_000;
/** Cases of one thread: it is ended then, so that memory that stays in the process can be distinguished from what a thread holds. */
const casesPerThread = 20_000;
/** What a thread may hold on top of the process: the Parquet library's gigabyte, and buffers that are not yet collected. */
const peakBytesMax = 1_600 * 1024 * 1024;
/** What the process may have grown by when all threads have ended. */
const grownBytesMax = 256 * 1024 * 1024;
/** A run with more of them has found what it can find. */
const findingsMax = 100;

/** Runs mutated samples through a decoder in a thread of its own, and watches it from outside. */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const run = new FuzzRun(options, await corpus(options.target));
  return await run.toEnd();
}

class FuzzRun {
  readonly #options: FuzzOptions;
  readonly #samples: readonly Uint8Array[];
  readonly #state = new Int32Array(new SharedArrayBuffer(4 * stateFields.length));
  readonly #findings: Finding[] = [];
  #next: number;
  readonly #first: number;
  #slowestMs = 0;
  #baseBytes = 0;
  #peakBytes = 0;
  #grownBytes = 0;

  constructor(options: FuzzOptions, samples: readonly Uint8Array[]) {
    this.#options = options;
    this.#samples = samples;
    this.#first = options.from ?? 0;
    this.#next = this.#first;
  }

  async toEnd(): Promise<FuzzReport> {
    const end = this.#first + this.#options.count;
    for (let thread = 0; this.#next < end && this.#findings.length < findingsMax; thread++) {
      await this.#thread(Math.min(end, this.#next + casesPerThread));
      const left = process.memoryUsage.rss();
      // The first threads warm up what all of them share.
      if (thread <= 1) this.#baseBytes = Math.max(left, this.#baseBytes);
      else this.#grownBytes = left - this.#baseBytes;
      this.#options.onProgress?.(this.#report());
    }
    if (this.#grownBytes > grownBytesMax) this.#found(this.#next, `grew by ${this.#grownBytes} bytes`);
    return this.#report();
  }

  async #thread(to: number): Promise<void> {
    const folder = temporaryFolder('fuzz');
    const { target, seed } = this.#options;
    const state = this.#state;
    const order: FuzzOrder = { target, samples: this.#samples, seed, from: this.#next, to, folder, state };
    Atomics.store(state, stateFields.caseIndex, this.#next);
    const worker = new Worker(new URL('./fuzz-worker.ts', import.meta.url), { workerData: order });
    let alive = true;
    let whole = false;
    worker.on('message', (message: Finding | 'ended') => {
      if (message === 'ended') whole = true;
      else this.#findings.push(message);
    });
    worker.on('error', (error: Error) => {
      this.#found(this.#current(), `ended its thread: ${error.message}`);
      whole = true;
    });
    worker.on('exit', () => {
      alive = false;
    });
    const startBytes = process.memoryUsage.rss();
    let at = this.#current();
    let since = performance.now();
    let cpu = process.cpuUsage();
    while (alive) {
      await timePasses(lookMs, 'between two looks');
      const now = this.#current();
      if (now !== at) {
        at = now;
        since = performance.now();
        cpu = process.cpuUsage();
      }
      const { user, system } = process.cpuUsage(cpu);
      const workedMs = (user + system) / 1_000;
      this.#slowestMs = Math.max(this.#slowestMs, workedMs);
      const heldBytes = process.memoryUsage.rss() - startBytes;
      this.#peakBytes = Math.max(this.#peakBytes, heldBytes);
      const elapsedMs = performance.now() - since;
      if (workedMs > hangMs || elapsedMs > stuckMs || heldBytes > peakBytesMax) {
        const what = `worked ${Math.round(workedMs)} ms in ${Math.round(elapsedMs)} ms and held ${heldBytes} bytes`;
        if (alive) this.#found(now, what);
        const began = performance.now();
        await worker.terminate();
        if (performance.now() - began > endMs)
          this.#found(now, `took ${Math.round(performance.now() - began)} ms to be ended`);
        whole = true;
      }
    }
    if (!whole) this.#found(this.#current(), 'its thread ended');
    this.#next = this.#current() + 1;
    removeFolder(folder);
  }

  #current(): number {
    return Atomics.load(this.#state, stateFields.caseIndex);
  }

  #found(caseIndex: number, what: string): void {
    const { target, seed } = this.#options;
    this.#findings.push({ target, seed, caseIndex, what });
  }

  #report(): FuzzReport {
    const state = this.#state;
    return {
      cases: this.#next - this.#first,
      accepted: state[stateFields.accepted] as number,
      refused: state[stateFields.refused] as number,
      trapped: state[stateFields.trapped] as number,
      slowestMs: Math.round(this.#slowestMs),
      peakBytes: this.#peakBytes,
      grownBytes: this.#grownBytes,
      findings: this.#findings,
    };
  }
}
