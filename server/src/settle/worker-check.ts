import { asFrameholdError, type FrameholdError } from '../frames/errors.ts';
import type { CheckReport, CheckRun } from '../frames/ports/codec.ts';
import type { Job } from '../workers/job.ts';
import type { ThreadPool } from '../workers/thread-pool.ts';
import type { CheckLimits, CheckProgress, CheckTask } from './check-stream.ts';

/** How long a check that was given up may take to notice. The thread has other puts' checks too: it is ended only when something is very wrong. */
const stopWaitMs = 20_000;

/** A check that runs in a shared thread. */
export class WorkerCheck implements CheckRun {
  readonly failed: Promise<FrameholdError>;
  readonly #pool: ThreadPool;
  readonly #waiting = new AbortController();
  readonly #result: Promise<CheckReport>;
  #job: Job | null = null;
  #latest: CheckProgress = { bytesWritten: 0, whole: false };

  constructor(pool: ThreadPool, path: string, limits: CheckLimits) {
    this.#pool = pool;
    this.#result = this.#run({ path, limits });
    this.failed = new Promise((resolve) => {
      this.#result.catch((thrown: unknown) => resolve(asFrameholdError(thrown)));
    });
  }

  advance(bytesWritten: number): void {
    this.#tell({ bytesWritten, whole: false });
  }

  finish(bytesWritten: number): Promise<CheckReport> {
    this.#tell({ bytesWritten, whole: true });
    return this.#result;
  }

  cancel(): void {
    const job = this.#job;
    if (job === null) this.#waiting.abort();
    if (job === null || job.ended) return;
    // Not through the pool, whose short grace would end the other checks of the thread.
    job.cancel();
    const timer = setTimeout(() => this.#pool.cancel(job), stopWaitMs);
    timer.unref();
    const clear = () => clearTimeout(timer);
    job.result.then(clear, clear);
  }

  async #run(task: CheckTask): Promise<CheckReport> {
    const job = await this.#pool.start('check', task, this.#waiting.signal);
    this.#job = job;
    job.send(this.#latest);
    return (await job.result) as CheckReport;
  }

  #tell(progress: CheckProgress): void {
    this.#latest = progress;
    this.#job?.send(progress);
  }
}
