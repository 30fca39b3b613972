import { entryModule } from '../base/package-files.ts';
import { ThreadPool } from '../workers/thread-pool.ts';

/** Reads whose objects are checked at the same time, in turns; more than clients read for the first time at once. */
export const readVerifiesMax = 256;

/** A thread that compares local files with their size and hash. */
export function verifyPool(name: string, jobsPerThread: number): ThreadPool {
  return new ThreadPool({
    name,
    module: entryModule(import.meta.url, 'verify-worker'),
    threads: 1,
    jobsPerThread,
    queueMax: readVerifiesMax,
    queueWaitMs: 30_000,
  });
}
