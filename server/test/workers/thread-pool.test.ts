import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { FrameholdError } from '../../src/model/errors.ts';
import { assertTook } from '../support/machine-pace.ts';
import { eventually } from '../support/patience.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { makePool } from './sample-pool.ts';

/** 1, 2, 3 … as inputs. */
function endless() {
  let count = 0;
  let returned = false;
  async function* numbers() {
    try {
      for (;;) yield { value: ++count, transfer: [] };
    } finally {
      returned = true;
    }
  }
  return { source: numbers(), given: () => count, ended: () => returned };
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

  it('a tenant with a hundred jobs that wait delays another by one of them', async () => {
    let tenant = 'flood';
    const pool = makePool({ queueMax: 1_000, whose: () => tenant });
    const order: string[] = [];
    const run = (whose: string) => {
      tenant = whose;
      return pool.run('double', 1).then(() => order.push(whose));
    };
    const flood = Array.from({ length: 101 }, () => run('flood'));
    await Promise.all([...flood, run('acme')]);
    // One runs, one is the flood's own turn.
    assert.deepEqual([order.indexOf('acme'), order.length], [2, 102]);
  });

  it('several waiting jobs share a thread if that is allowed', async () => {
    const pool = makePool({ jobsPerThread: 8 });
    const began = performance.now();
    await Promise.all(Array.from({ length: 8 }, () => pool.run('sleep', 200)));
    assertTook(performance.now() - began, 1_200);
  });

  it('a job above the queue is refused as overloaded, at once', async () => {
    const pool = makePool({ queueMax: 1 });
    const running = [pool.run('sleep', 300), pool.run('sleep', 1)];
    await assert.rejects(pool.run('sleep', 1), { kind: 'overloaded' });
    await Promise.all(running);
  });

  it('a job that waited too long is refused as overloaded', async () => {
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

  it('a job is fed by a source, in order, and its buffers are moved, not copied', async () => {
    const buffers = Array.from({ length: 20 }, (_, index) => Uint8Array.of(index).buffer);
    const source = Readable.from(buffers.map((buffer) => ({ value: buffer, transfer: [buffer] })));
    const seen: number[] = [];
    for await (const buffer of makePool().streamFed<ArrayBuffer>('relay', null, source))
      seen.push(new Uint8Array(buffer)[0] ?? -1);
    assert.deepEqual(seen, [...Array(20).keys()]);
    assert.ok(buffers.every(({ byteLength }) => byteLength === 0));
  });

  it('a source is asked no faster than the reader takes', async () => {
    const { source, given } = endless();
    const pool = makePool({ jobsPerThread: 2 });
    const chunks = pool.streamFed<number>('relay', null, source);
    assert.equal((await chunks.next()).value, 1);
    // Each of these takes turns of both threads, in which a source that is not held back would give more.
    for (let turn = 0; turn < 50; turn++) await pool.run('double', turn);
    // Two with the reader's credit, one that is worked on, one that waits, one more as the first was taken.
    assert.ok(given() <= 6, `${given()} were taken`);
    await chunks.return();
  });

  it('a source that fails ends the chunks with its own error, never normally', async () => {
    const fault = new FrameholdError('sql_failed', 'at row 900,000', { cause: new Error('why') });
    async function* failing() {
      yield { value: 1, transfer: [] };
      throw fault;
    }
    for (const task of ['relay', 'countInputs']) {
      const pool = makePool();
      const chunks = pool.streamFed<number>(task, null, failing());
      await assert.rejects(
        async () => {
          for await (const _ of chunks);
        },
        (thrown) => thrown === fault,
      );
      assert.equal(await pool.run('double', 2), 4, 'the thread is free again');
    }
  });

  it('a reader that stops early, or a job that has enough, lets go of the source', async () => {
    for (const task of ['relay', 'takeOne']) {
      const { source, ended } = endless();
      for await (const n of makePool().streamFed<number>(task, null, source)) if (n === 1) break;
      await eventually(`${task}: the source is done with`, ended);
    }
  });

  it('an abort ends a job that waits for its source', async () => {
    const abort = new AbortController();
    const never = Promise.withResolvers<void>();
    async function* stuck() {
      yield { value: 1, transfer: [] };
      await never.promise;
    }
    const chunks = makePool().streamFed<number>('relay', null, stuck(), abort.signal);
    await chunks.next();
    abort.abort();
    await assert.rejects(chunks.next(), { kind: 'cancelled' });
    never.resolve();
  });

  it('a thread that dies while it is fed fails its job and lets go of the source', async () => {
    const pool = makePool();
    const { source, ended } = endless();
    await assert.rejects(pool.streamFed('crashWhenFed', null, source).next(), { kind: 'internal' });
    await eventually('the source is done with', ended);
    assert.equal(await pool.run('double', 4), 8);
  });

  it('a thread that dies fails its job, and the next job gets a new one', async () => {
    const pool = makePool();
    await assert.rejects(pool.run('crash', null), { kind: 'internal' });
    assert.equal(await pool.run('double', 4), 8);
  });

  it('a job that does not stop when asked loses its thread within two seconds', async () => {
    const pool = makePool();
    // The thread has started.
    assert.equal(await pool.run('double', 4), 8);
    const abort = new AbortController();
    const begun = join(temporaryFolder('spin'), 'begun');
    const spinning = pool.run('spin', begun, abort.signal);
    spinning.catch(() => {});
    await eventually('it has begun', () => existsSync(begun));
    const began = performance.now();
    abort.abort();
    await assert.rejects(spinning, { kind: 'cancelled' });
    assertTook(performance.now() - began, 2_000);
    assert.equal(await pool.run('double', 5), 10);
  });

  it('a job that is cancelled while its thread still starts does not end the thread for the others', async () => {
    const module = new URL('./slow-start-worker.ts', import.meta.url);
    const pool = makePool({ module, jobsPerThread: 2 });
    const abort = new AbortController();
    const cancelled = pool.run('double', 1, abort.signal);
    const other = pool.run('double', 2);
    abort.abort();
    await cancelled.catch(() => {});
    assert.equal(await other, 4);
  });

  it('a job that takes longer than it may loses its thread, and the next job gets a new one', async () => {
    const pool = makePool();
    const began = performance.now();
    await assert.rejects(pool.run('spin', null, undefined, { timeMs: 200 }), { reason: 'time' });
    assertTook(performance.now() - began, 5_000);
    assert.equal(await pool.run('double', 5, undefined, { timeMs: 60_000 }), 10);
  });

  it('a busy thread is gone within a second once it is ended', async () => {
    const pool = makePool();
    const begun = join(temporaryFolder('spin'), 'begun');
    const spinning = pool.run('spin', begun);
    spinning.catch(() => {});
    await eventually('it has begun', () => existsSync(begun));
    const began = performance.now();
    await pool.close();
    assertTook(performance.now() - began, 1_000);
  });

  it('an error that nobody catches ends its thread and nothing else', async () => {
    const pool = makePool();
    await assert.rejects(pool.run('throwLater', null), { reason: 'died', kind: 'internal' });
    assert.equal(await pool.run('double', 6), 12);
  });

  it('no job begins in a thread that a job has spoilt', async () => {
    const pool = makePool({ queueMax: 10 });
    const [spoilt, next] = await Promise.all([pool.run('spoil', null), pool.run('which', null)]);
    assert.notEqual(spoilt, next);
  });

  it('threads that are not needed any more end, up to those that stay', async () => {
    const pool = makePool({ threads: 4, idleMax: 1 });
    await Promise.all([50, 50, 50, 50].map((ms) => pool.run('sleep', ms)));
    const left = new Set<unknown>();
    for (let job = 0; job < 4; job++) left.add(await pool.run('which', null));
    assert.equal(left.size, 1);
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
