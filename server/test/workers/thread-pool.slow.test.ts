import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { timePasses } from '../support/passing-time.ts';
import { eventually } from '../support/patience.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { makePool } from './sample-pool.ts';

// Together, because each mostly waits.
describe('thread pool, over time', { concurrency: true }, () => {
  it('jobs that share a thread learn that it does not answer, and others get a new one', async () => {
    const pool = makePool({ jobsPerThread: 4, turnMsMax: 10_000 });
    const waiting = pool.run('sleep', 60_000);
    const spinning = pool.run('spin', null);
    await Promise.all([
      assert.rejects(waiting, { reason: 'stuck' }),
      assert.rejects(spinning, { reason: 'stuck' }),
    ]);
    assert.equal(await pool.run('double', 6), 12);
  });

  for (const processBytesMax of [undefined, 300 * 1024 * 1024])
    it(`a ${processBytesMax ? 'process' : 'thread'} that nobody has needed for a while ends, and one that is needed does not`, async () => {
      const pool = makePool({ idleMs: 2_000, ...(processBytesMax ? { processBytesMax } : {}) });
      const which = () => (processBytesMax ? pool.run('whichProcess', {}) : pool.run('which', null));
      const first = await which();
      assert.equal(await which(), first);
      assert.equal(pool.workers, 1);
      await eventually('its end', () => pool.workers === 0);
      assert.notEqual(await which(), first);
      // Longer than it may be idle.
      assert.equal(await pool.run('sleep', 3_000), 3_000);
    });

  it('a job that gives nothing while its reader waits is stopped, and its thread is replaced if it does not stop', async () => {
    for (const heeds of [true, false]) {
      const pool = makePool({ jobsPerThread: 2, turnMsMax: 60_000, stallMsMax: 3_000 });
      const thread = await pool.run('which', null);
      const chunks = pool.stream<string>('hang', { heeds });
      assert.equal((await chunks.next()).value, 'first');
      await assert.rejects(chunks.next(), { reason: 'stalled' });
      assert.equal((await pool.run('which', null)) === thread, heeds);
    }
  });

  it('a job whose reader or source is slow has not stalled', async () => {
    const pool = makePool({ jobsPerThread: 2, turnMsMax: 60_000, stallMsMax: 3_000 });
    const chunks = pool.stream<number>('count', 6);
    assert.equal((await chunks.next()).value, 1);
    const { promise: fed, resolve: feed } = Promise.withResolvers<void>();
    async function* late() {
      await fed;
      yield { value: 7, transfer: [] };
    }
    const relayed = pool.streamFed<number>('relay', null, late());
    const first = relayed.next();
    await timePasses(5_000, 'the pool looks for stalled jobs meanwhile');
    feed();
    assert.equal((await first).value, 7);
    const rest: number[] = [];
    for await (const n of chunks) rest.push(n);
    assert.deepEqual(rest, [2, 3, 4, 5, 6]);
  });

  it('a thread whose job left much behind ends when nobody has needed it for a while', async () => {
    const pool = makePool();
    const light = await pool.run('which', null);
    await pool.run('hold', 200 * 1024 * 1024);
    await eventually('its end', () => pool.workers === 0);
    assert.notEqual(await pool.run('which', null), light);
  });
});

describe('thread pool in processes', () => {
  const processBytesMax = 300 * 1024 * 1024;

  it('gives back results and errors as threads do', async () => {
    const pool = makePool({ processBytesMax });
    assert.equal(await pool.run('double', 21), 42);
    await assert.rejects(pool.run('refuse', null), { kind: 'bad_body', hint: 'mend it' });
    const seen: number[] = [];
    for await (const n of pool.stream<number>('count', 20)) seen.push(n);
    assert.equal(seen.length, 20);
  });

  for (const task of ['hoard', 'fillHeap'])
    it(`a job that takes too much memory (${task}) loses its process, and the server lives`, async () => {
      const pool = makePool({ processBytesMax });
      await assert.rejects(pool.run(task, null), { reason: 'memory' });
      assert.equal(await pool.run('double', 2), 4);
    });

  it('a job that takes too long, or is cancelled and does not stop, loses its process', async () => {
    const pool = makePool({ processBytesMax });
    await assert.rejects(pool.run('spin', null, undefined, { timeMs: 300 }), { reason: 'time' });
    const abort = new AbortController();
    const begun = join(temporaryFolder('spin'), 'begun');
    const spinning = pool.run('spin', begun, abort.signal);
    await eventually('it has begun', () => existsSync(begun));
    abort.abort();
    await assert.rejects(spinning, { kind: 'cancelled' });
  });

  it('a process is used again, unless its job spoilt it or left much behind', async () => {
    const pool = makePool({ processBytesMax });
    const which = (wish: object = {}) => pool.run<number>('whichProcess', wish);
    const first = await which();
    assert.equal(await which(), first);
    await assert.rejects(pool.run('refuse', null), { kind: 'bad_body' });
    assert.equal(await which({ spoils: true }), first);
    const second = await which({ holdBytes: 200 * 1024 * 1024 });
    assert.notEqual(second, first);
    assert.notEqual(await which(), second);
  });

  it('the processor time of a job is counted from its start, not from that of its process', async () => {
    const pool = makePool({ processBytesMax });
    // Together they take longer than one may.
    for (let job = 0; job < 8; job++)
      assert.equal(await pool.run('work', 300, undefined, { timeMs: 2_000 }), 300);
  });

  it('a cancellation that comes as its job ends does not reach the next one', async () => {
    const pool = makePool({ processBytesMax });
    for (let turn = 0; turn < 30; turn++) {
      const abort = new AbortController();
      const job = pool.run('double', turn, abort.signal).catch(() => null);
      if (turn % 3 > 0) await timePasses(turn % 3, 'the cancellation comes at another moment');
      abort.abort();
      await job;
      assert.equal(await pool.run('double', turn), turn * 2);
    }
  });

  it('a process that ends takes its own job with it', async () => {
    const pool = makePool({ processBytesMax, threads: 2 });
    const sleeping = pool.run('sleep', 1_000);
    await assert.rejects(pool.run('crash', null), { reason: 'died' });
    assert.equal(await sleeping, 1_000);
  });
});
