import { after } from 'node:test';
import { ThreadPool, type ThreadPoolOptions } from '../../src/workers/thread-pool.ts';

const pools: ThreadPool[] = [];
after(() => Promise.all(pools.map((pool) => pool.close())));

/** Over sample-worker.ts, one thread with one job at a time; closed after the tests. */
export function makePool(options: Partial<ThreadPoolOptions> = {}): ThreadPool {
  const module = new URL('./sample-worker.ts', import.meta.url);
  const pool = new ThreadPool({
    name: 'sample',
    module,
    threads: 1,
    jobsPerThread: 1,
    queueMax: 10,
    queueWaitMs: 10_000,
    ...options,
  });
  pools.push(pool);
  return pool;
}
