import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ThreadPoolOptions } from '../../src/workers/thread-pool.ts';
import { ThreadPool } from '../../src/workers/thread-pool.ts';

const pools: ThreadPool[] = [];
after(() => Promise.all(pools.map((pool) => pool.close())));

function makePool(options: Partial<ThreadPoolOptions> = {}): ThreadPool {
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

describe('thread pool', () => {
  it('gives back what the task returned', async () => {
    assert.equal(await makePool().run('double', 21), 42);
  });

  it('carries an error over with its kind and hint', async () => {
    await assert.rejects(makePool().run('refuse', null), {
      kind: 'bad_body',
      message: 'no good',
      hint: 'mend it',
    });
  });

  it('jobs wait for a thread in the order they came', async () => {
    const pool = makePool();
    const order: number[] = [];
    await Promise.all([30, 20, 10].map((ms) => pool.run('sleep', ms).then(() => order.push(ms))));
    assert.deepEqual(order, [30, 20, 10]);
  });

  it('several waiting jobs share a thread where that is allowed', async () => {
    const pool = makePool({ jobsPerThread: 8 });
    const began = performance.now();
    await Promise.all(Array.from({ length: 8 }, () => pool.run('sleep', 200)));
    assert.ok(performance.now() - began < 1_200);
  });

  it('a full queue is told to come back, at once', async () => {
    const pool = makePool({ queueMax: 1 });
    const running = [pool.run('sleep', 300), pool.run('sleep', 1)];
    await assert.rejects(pool.run('sleep', 1), { kind: 'overloaded' });
    await Promise.all(running);
  });

  it('a job that waited too long is told to come back', async () => {
    const pool = makePool({ queueWaitMs: 50 });
    const running = pool.run('sleep', 400);
    await assert.rejects(pool.run('sleep', 1), { kind: 'overloaded' });
    await running;
  });

  it('a caller that leaves the queue is not served', async () => {
    const pool = makePool();
    const running = pool.run('sleep', 200);
    const abort = new AbortController();
    const waiting = pool.run('sleep', 1, abort.signal);
    abort.abort(new Error('left'));
    await assert.rejects(waiting, /left/);
    await running;
  });

  it('streams chunks in order', async () => {
    const seen: number[] = [];
    for await (const n of makePool().stream<number>('count', 50)) seen.push(n);
    assert.deepEqual(
      seen,
      Array.from({ length: 50 }, (_, index) => index + 1),
    );
  });

  it('a reader that stops early ends the job, and the thread is free again', async () => {
    const pool = makePool();
    for await (const n of pool.stream<number>('count', 1_000_000)) if (n === 3) break;
    assert.equal(await pool.run('double', 2), 4);
  });

  it('a job receives messages while it runs', async () => {
    const job = await makePool().start('echo', null);
    job.send('a');
    job.send('end');
    assert.deepEqual(await job.result, ['a', 'end']);
  });

  it('a thread that dies fails its job, and the next job gets a new one', async () => {
    const pool = makePool();
    await assert.rejects(pool.run('crash', null), { kind: 'internal' });
    assert.equal(await pool.run('double', 4), 8);
  });

  it('a job that does not stop when asked loses its thread within two seconds', async () => {
    const pool = makePool();
    const abort = new AbortController();
    const spinning = pool.run('spin', null, abort.signal);
    spinning.catch(() => {});
    await sleep(100);
    const began = performance.now();
    abort.abort();
    await assert.rejects(spinning);
    assert.ok(performance.now() - began < 2_000);
    assert.equal(await pool.run('double', 5), 10);
  });

  it('fresh threads serve one job each', async () => {
    const pool = makePool({ freshThreads: true });
    assert.equal(await pool.run('double', 1), 2);
    assert.equal(await pool.run('double', 2), 4);
  });

  it('closing refuses what waits and fails what runs', async () => {
    const pool = makePool();
    const running = pool.run('sleep', 5_000);
    const waiting = pool.run('sleep', 1);
    const refused = Promise.all([assert.rejects(running), assert.rejects(waiting)]);
    await pool.close();
    await refused;
    await assert.rejects(pool.run('double', 1), { kind: 'draining' });
  });
});
