import { entryModule } from '../base/package-files.ts';
import { ThreadPool } from '../workers/thread-pool.ts';

/** Reads whose objects are checked at the same time, in turns; more than clients read for the first time at once. */
export const readVerifiesMax = 256;
/** As long as a reader would wait. */
const readWaitMs = 30_000;

/** A thread that reads local files and hashes them: a hash occupies a core while it runs. */
export function filePool(
  name: string,
  jobsPerThread: number,
  { queueMax = readVerifiesMax, queueWaitMs = readWaitMs } = {},
): ThreadPool {
  const module = entryModule(import.meta.url, 'file-worker');
  return new ThreadPool({ name, module, threads: 1, jobsPerThread, queueMax, queueWaitMs });
}
