import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { privateBytes } from '../../src/engine/process-memory.ts';
import { assertTook } from '../support/machine-pace.ts';
import { timePasses } from '../support/passing-time.ts';
import { eventually } from '../support/patience.ts';
import { isAlive, never, runToFirst, runWhole, startPool, took } from './sample-pool.ts';

/** What has to succeed within it takes milliseconds on a machine of its own. */
const timeoutMs = 4_000;

// Together, because each mostly waits; not all at once, because each starts a process.
describe('the time limit', { concurrency: 3 }, () => {
  it('a statement that works for too long is sql_timeout, and its process goes on', async (t) => {
    const { engine } = await startPool(t, { processesMax: 1, timeoutMs });
    await runWhole(engine, 'rows 1 1');
    const before = engine.processIds;
    assert.equal(before.length, 1);
    await assert.rejects(runWhole(engine, 'wait 60000'), { kind: 'sql_timeout' });
    assert.deepEqual(await runWhole(engine, 'rows 1 1'), ['0']);
    assert.deepEqual(engine.processIds, before);
  });

  it('a process that takes no interrupt is ended within the limit, and the next statement runs', async (t) => {
    const { engine, observations } = await startPool(t, { processesMax: 1, timeoutMs });
    for (const sql of ['stubborn 60000', 'spin']) {
      const before = engine.processIds;
      const { statement, rows } = await runToFirst(engine, sql);
      const ms = await took(assert.rejects(rows.next(), { kind: 'sql_timeout' }));
      assertTook(ms, timeoutMs + 1_000);
      const freed = await took(statement.close());
      assertTook(freed, 1_000);
      assert.deepEqual(await runWhole(engine, 'rows 1 1'), ['0']);
      await eventually('the process is gone', () => before.filter(isAlive).length === 0);
    }
    await eventually('both are reported', () => observations.length > 1);
    assert.deepEqual(
      observations.map((each) => (each.event === 'engine-process-ended' ? each.reason : each.event)),
      ['stuck', 'stuck'],
    );
  });

  it('a process that is stopped (SIGSTOP) ends its statement within the limit', async (t) => {
    const { engine } = await startPool(t, { processesMax: 1, timeoutMs });
    const { statement, rows } = await runToFirst(engine, 'wait 60000');
    for (const pid of engine.processIds) process.kill(pid, 'SIGSTOP');
    const ms = await took(assert.rejects(rows.next(), { kind: 'sql_timeout' }));
    assertTook(ms, timeoutMs + 1_000);
    assertTook(await took(statement.close()), 1_000);
    assert.deepEqual(await runWhole(engine, 'rows 1 1'), ['0']);
  });

  it('a statement that never begins is ended, too', async (t) => {
    const { engine } = await startPool(t, { processesMax: 1, timeoutMs });
    await runWhole(engine, 'rows 1 1');
    await assert.rejects(engine.begin('stuck at the beginning', 'acme', never()), { kind: 'sql_timeout' });
    assert.deepEqual(await runWhole(engine, 'rows 1 1'), ['0']);
  });

  it('a statement that is not parsed and bound in time is ended; running may take longer', async (t) => {
    const { engine } = await startPool(t, { processesMax: 1, timeoutMs: 600_000, prepareMsMax: timeoutMs });
    await runWhole(engine, 'rows 1 1');
    const before = engine.processIds;
    await assert.rejects(engine.begin('stuck at the beginning', 'acme', never()), {
      kind: 'sql_timeout',
      message: /before the statement could run/,
      hint: /shorter statement/,
    });
    assert.deepEqual(await runWhole(engine, 'slow-rows 12 500'), [...Array(12).keys()].map(String));
    await eventually('the process is gone', () => before.filter(isAlive).length === 0);
  });

  it('the time in which a statement waits for its reader does not count', async (t) => {
    const { engine } = await startPool(t, { timeoutMs });
    await runWhole(engine, 'rows 1 1');
    const statement = await engine.begin('rows 12 10', 'acme', never());
    let batches = 0;
    for await (const _message of statement.run(null)) {
      batches += 1;
      await timePasses(timeoutMs / 10, 'a slow reader');
    }
    assert.equal(batches, 12);
    await statement.close();
    // Nor the time between its steps, in which the server does something.
    const other = await engine.begin('rows 1 1', 'acme', never());
    await timePasses(1.2 * timeoutMs, 'longer than a statement may work');
    await other.bind({ tables: [], insertInto: null });
    await other.close();
  });

  it('the time in which a statement works counts over all of its batches', async (t) => {
    const { engine } = await startPool(t, { timeoutMs });
    await runWhole(engine, 'rows 1 1');
    await assert.rejects(runWhole(engine, 'slow-rows 100 100'), { kind: 'sql_timeout' });
  });
});

test('a caller that leaves frees the place within a second, whether or not the process stops', async (t) => {
  const { engine } = await startPool(t, { processesMax: 1 });
  for (const sql of ['wait 60000', 'stubborn 60000', 'rows 1000000 100000']) {
    const leaving = new AbortController();
    const { rows } = await runToFirst(engine, sql, leaving.signal);
    const next = sql.startsWith('rows') ? null : assert.rejects(rows.next(), /gone/);
    leaving.abort(new Error('gone'));
    const ms = await took(eventually('the place is free', () => engine.running === 0));
    assertTook(ms, 1_000, sql);
    await next;
    // Batches that were here already are not given either: the caller has left.
    await assert.rejects(
      rows
        .next()
        .then(() => rows.next())
        .then(({ done }) => assert.ok(!done)),
    );
  }
  assert.deepEqual(await runWhole(engine, 'rows 1 1'), ['0']);
});

test('a process that outgrows its memory is ended with sql_memory, and another is there', async (t) => {
  const { engine, observations } = await startPool(t, { processesMax: 1, memoryBytes: 64 * 1024 ** 2 });
  const statement = await engine.begin('hoard', 'acme', never());
  const [pid] = engine.processIds;
  assert.ok(pid);
  const rows = statement.run(null)[Symbol.asyncIterator]();
  await assert.rejects(rows.next(), { kind: 'sql_memory', hint: /sql\.memory_bytes_max/ });
  await statement.close();
  assert.deepEqual(await runWhole(engine, 'rows 1 1'), ['0']);
  await eventually('the process is gone', () => !isAlive(pid) && observations.length > 0);
  assert.deepEqual(
    observations.map((each) => (each.event === 'engine-process-ended' ? each.reason : each.event)),
    ['memory'],
  );
});

test("a statement that fills the JavaScript heap is sql_memory, not the server's end", async (t) => {
  const { engine } = await startPool(t);
  await assert.rejects(runWhole(engine, 'heap'), { kind: 'sql_memory' });
});

test('a slow reader holds the process back: the memory of both stays flat', async (t) => {
  const { engine } = await startPool(t, { processesMax: 1 });
  const statement = await engine.begin('rows 400 4000000', 'acme', never());
  const [pid = 0] = engine.processIds;
  const rows = statement.run(null)[Symbol.asyncIterator]();
  for (let at = 0; at < 20; at += 1) await rows.next();
  await timePasses(200, 'buffers fill');
  const ofServer = process.memoryUsage().arrayBuffers;
  const ofProcess = privateBytes(pid) ?? 0;
  await timePasses(500, 'what is not held back would grow meanwhile');
  const grownServer = process.memoryUsage().arrayBuffers - ofServer;
  const grownProcess = (privateBytes(pid) ?? 0) - ofProcess;
  assert.ok(grownServer < 16e6, `the server grew by ${grownServer}`);
  assert.ok(grownProcess < 16e6, `the process grew by ${grownProcess}`);
  assert.ok(ofServer < 200e6, `the server holds ${ofServer}`);
  await statement.close();
});

test('what a process writes to its standard error is kept to its end only', async (t) => {
  const { engine } = await startPool(t);
  const before = process.memoryUsage().heapUsed;
  assert.deepEqual(await runWhole(engine, 'chatter'), []);
  assert.ok(process.memoryUsage().heapUsed - before < 60e6);
});
