import { asFrameholdError, type FrameholdError } from '../model/errors.ts';
import type { SchemaRecord } from '../model/version.ts';
import type { CheckReport, CheckRun } from '../ports/codec.ts';
import type { Job } from '../workers/job.ts';
import type { ThreadPool } from '../workers/thread-pool.ts';
import { WorkerExit } from '../workers/worker-exit.ts';
import type { CheckLimits, CheckProgress, CheckTask } from './check-stream.ts';

/** How long a check that was given up may take to notice. The thread has other puts' checks too: it is ended only when something is very wrong. */
const stopWaitMs = 20_000;

/** Where a check runs. */
export interface CheckPools {
  /** Many checks share a thread. */
  readonly shared: ThreadPool;
  /** For checks whose shared thread is gone, through one of them: each begins again with nobody beside it, and only the one at fault fails. */
  readonly alone: ThreadPool;
}

/** A check that runs in a shared thread, and in one of its own if that is lost. */
export class WorkerCheck implements CheckRun {
  readonly failed: Promise<FrameholdError>;
  readonly #pools: CheckPools;
  #onSchema: ((schema: SchemaRecord) => void) | null;
  readonly #waiting = new AbortController();
  readonly #result: Promise<CheckReport>;
  #job: { readonly job: Job; readonly pool: ThreadPool } | null = null;
  #cancelled = false;
  #latest: CheckProgress = { bytesWritten: 0, whole: false };

  constructor(
    pools: CheckPools,
    path: string,
    limits: CheckLimits,
    onSchema: ((schema: SchemaRecord) => void) | null = null,
  ) {
    this.#pools = pools;
    this.#onSchema = onSchema;
    this.#result = this.#run({ path, limits, tellsSchema: onSchema !== null });
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
    this.#cancelled = true;
    if (this.#job === null) this.#waiting.abort();
    if (this.#job === null || this.#job.job.ended) return;
    const { job, pool } = this.#job;
    // Not through the pool, whose short grace would end the other checks of the thread.
    job.cancel();
    const timer = setTimeout(() => pool.cancel(job), stopWaitMs);
    timer.unref();
    const clear = () => clearTimeout(timer);
    job.result.then(clear, clear);
  }

  async #run(task: CheckTask): Promise<CheckReport> {
    try {
      return await this.#runIn(this.#pools.shared, task);
    } catch (thrown) {
      if (!(thrown instanceof WorkerExit) || this.#cancelled) throw thrown;
      this.#job = null;
      return await this.#runIn(this.#pools.alone, task);
    }
  }

  async #runIn(pool: ThreadPool, task: CheckTask): Promise<CheckReport> {
    const job = await pool.start('check', task, this.#waiting.signal);
    this.#job = { job, pool };
    job.send(this.#latest);
    if (task.tellsSchema) void this.#tellSchema(job);
    return (await job.result) as CheckReport;
  }

  /** Once, even if the check began again. */
  async #tellSchema(job: Job): Promise<void> {
    try {
      for await (const schema of job.chunks()) {
        this.#onSchema?.(schema as SchemaRecord);
        this.#onSchema = null;
      }
    } catch {
      // The result fails with the same error.
    }
  }

  #tell(progress: CheckProgress): void {
    this.#latest = progress;
    this.#job?.job.send(progress);
  }
}
