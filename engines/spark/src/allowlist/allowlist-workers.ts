import { entryModule } from '../../../../server/src/base/package-files.ts';
import { FrameholdError } from '../../../../server/src/model/errors.ts';
import { ThreadPool } from '../../../../server/src/workers/thread-pool.ts';
import { WorkerExit } from '../../../../server/src/workers/worker-exit.ts';

/** One reads while the other starts again after a hostile statement. */
const workers = 2;

/**
 * The processor's time that a statement may take to be read and judged. The largest of TPC-DS take a second where the parser has
 * learned nothing yet, and milliseconds afterwards.
 */
const workMsMax = 2_000;

/** What a worker may hold. Node and the parser are 130 MB of it, what the parser has learned at most 100 MB. */
const memoryBytesMax = 512 * 1024 * 1024;

/** One that holds more has been given an uncommon statement. Below it, each has the same room for the next. */
const reusedBytesMax = 288 * 1024 * 1024;

/** More would wait for longer than they may. */
const queueMax = 64;
const queueWaitMs = 10_000;

/**
 * The processes that read and judge statements. They are processes because the parser allocates as much as a text makes it: what a
 * thread allocates can end the whole server.
 */
export class AllowlistWorkers {
  readonly #pool: ThreadPool;

  constructor(module: URL = entryModule(import.meta.url, 'allowlist-worker')) {
    this.#pool = new ThreadPool({
      name: 'Spark SQL parser',
      module,
      threads: workers,
      jobsPerThread: 1,
      queueMax,
      queueWaitMs,
      processBytesMax: memoryBytesMax,
      reusedBytesMax: reusedBytesMax,
      idleMax: 1,
    });
  }

  /** What the task makes of a statement. `sql_refused` if it takes more time or memory than a statement may. */
  async run<Result>(task: 'check' | 'fill', payload: unknown, signal: AbortSignal): Promise<Result> {
    try {
      return await this.#pool.run<Result>(task, payload, signal, { timeMs: workMsMax });
    } catch (thrown) {
      throw thrown instanceof WorkerExit ? refusal(thrown) : thrown;
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

function refusal(loss: WorkerExit): FrameholdError {
  const hint = 'Make it shorter, or with fewer nested brackets and operators.';
  if (loss.reason === 'time')
    return new FrameholdError('sql_refused', 'The statement takes too long to read.', { cause: loss, hint });
  if (loss.reason === 'memory')
    return new FrameholdError('sql_refused', 'The statement needs too much memory to be read.', {
      cause: loss,
      hint,
    });
  return new FrameholdError('engine_failed', 'The process that reads statements for Spark has died.', {
    cause: loss,
    hint: 'Try again.',
  });
}
