import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EngineStatement } from '../../src/ports/engine.ts';
import type { IpcMessage } from '../../src/ports/renderer.ts';
import { timePasses } from '../support/passing-time.ts';
import { eventually } from '../support/patience.ts';
import { directoriesIn, isAlive, never, runToFirst, runWhole, startPool, textOf } from './sample-pool.ts';

test('a statement gives its shape, its schemas and its batches, whole and in order', async (t) => {
  const { engine } = await startPool(t);
  const statement = await engine.begin('rows 20 1000', 'acme', never());
  assert.deepEqual(statement.shape, {
    kind: 'query',
    target: null,
    tables: ['t'],
    upstreamQueries: [],
    catalog: [],
    parameterCount: 0,
  });
  const table = { name: 't', schemaMessage: new Uint8Array([1]), files: ['/a'] };
  const bound = await statement.bind({ tables: [table], insertInto: new Uint8Array([7, 8]) });
  assert.deepEqual(bound.schemaMessage, new TextEncoder().encode('t'));
  assert.deepEqual(bound.parameterSchemaMessage, new Uint8Array([7, 8]));
  let at = 0;
  for await (const message of statement.run(null)) {
    assert.equal(textOf(message), String(at));
    const body = new Uint8Array(message.bodyBytes);
    await message.readBody(body);
    assert.deepEqual(body, new Uint8Array(1000).fill(at));
    at += 1;
  }
  assert.equal(at, 20);
  await statement.close();
  await statement.close();
});

test('a body can be read until the next message is asked for, and not later', async (t) => {
  const { engine } = await startPool(t);
  const statement = await engine.begin('rows 30 100000', 'acme', never());
  const seen = new Set<ArrayBufferLike>();
  let before: IpcMessage | null = null;
  for await (const message of statement.run(null)) {
    const body = message.peekBody?.();
    assert.equal(body?.byteLength, 100_000);
    const copy = new Uint8Array(message.bodyBytes);
    await message.readBody(copy);
    assert.ok(Buffer.from(copy).equals(body ?? copy.subarray(1)));
    seen.add((body ?? copy).buffer);
    if (before !== null) assert.throws(() => before?.peekBody?.(), /after the next/);
    before = message;
  }
  await statement.close();
  assert.ok(seen.size < 10, `${seen.size} buffers for 30 batches`);
});

test('a statement that runs for a while says how far it is; one that does not know says nothing', async (t) => {
  const { engine } = await startPool(t);
  const long = await engine.begin('slow-rows 20 100', 'acme', never());
  assert.equal(long.progress, null);
  const seen = new Set<number | null>();
  for await (const _message of long.run(null)) seen.add(long.progress);
  await long.close();
  // On a busy machine it may be known before the first row.
  seen.delete(null);
  assert.deepEqual([...seen], [0.5]);
  const silent = await engine.begin('wait 600', 'acme', never());
  for await (const _message of silent.run(null));
  assert.equal(silent.progress, null);
  await silent.close();
});

test('the words of the engine come in place of a statement, and the place is free afterwards', async (t) => {
  const { engine } = await startPool(t, { processesMax: 1 });
  for (let times = 0; times < 2; times += 1)
    assert.deepEqual(await engine.vocabulary(never()), {
      functions: [{ name: 'rows', kind: 'table', parameters: ['count'], description: 'Some rows.' }],
      keywords: ['WAIT'],
    });
  assert.equal(engine.running, 0);
  await (await engine.begin('rows 1 1', 'acme', never())).close();
});

test('parameters arrive as they are', async (t) => {
  const { engine } = await startPool(t);
  const statement = await engine.begin('parameters', 'acme', never());
  const values = { a: 1n << 70n, b: 'ä', c: null, d: 0.5 };
  const rows: string[] = [];
  for await (const message of statement.run({ kind: 'json', values })) rows.push(textOf(message));
  await statement.close();
  assert.deepEqual(rows, [
    '{"kind":"json","values":{"a":"1180591620717411303424n","b":"ä","c":null,"d":0.5}}',
  ]);
});

test('a hundred statements at once on two processes get their places in the order of their arrival', async (t) => {
  const { engine } = await startPool(t);
  // The engine reads its clock between these two: each holds its place from some moment between the two sums.
  const placed: { earliest: number; latest: number }[] = [];
  let most = 0;
  const all = Array.from({ length: 100 }, async (_, index) => {
    const before = performance.now();
    const beginning = engine.begin('rows 2 10', 'acme', never());
    const after = performance.now();
    const statement = await beginning;
    placed[index] = { earliest: before + statement.waitedMs, latest: after + statement.waitedMs };
    most = Math.max(most, engine.running, engine.processIds.length);
    await statement.bind({ tables: [], insertInto: null });
    let batches = 0;
    for await (const _message of statement.run(null)) batches += 1;
    assert.equal(batches, 2);
    await statement.close();
  });
  assert.equal(engine.waiting, 98);
  await Promise.all(all);
  for (const [index, { latest }] of placed.entries())
    assert.ok(latest >= (placed[index - 1]?.earliest ?? 0), `${index} was before ${index - 1}`);
  assert.ok((placed[99]?.earliest ?? 0) > (placed[0]?.latest ?? 0) + 10);
  assert.equal(most, 2);
  assert.equal(engine.running, 0);
});

test('a tenant with a hundred statements that wait delays another by one of them', async (t) => {
  const { engine } = await startPool(t, { processesMax: 1 });
  const first = await engine.begin('rows 1 1', 'flood', never());
  const order: string[] = [];
  const run = async (tenant: string) => {
    const statement = await engine.begin('rows 1 1', tenant, never());
    order.push(tenant);
    await statement.close();
  };
  const all = [...Array.from({ length: 100 }, () => run('flood')), run('acme')];
  assert.equal(engine.waiting, 101);
  await first.close();
  await Promise.all(all);
  assert.deepEqual([order.indexOf('acme'), order.length], [1, 101]);
});

test('a statement that nobody needs now gives its place to the next one at once, unless it is in use again', async (t) => {
  const { engine } = await startPool(t, { processesMax: 1 });
  const bound = async () => {
    const statement = await engine.begin('rows 1 1', 'acme', never());
    await statement.bind({ tables: [], insertInto: null });
    return statement;
  };
  const given: string[] = [];
  const spared = (name: string, statement: EngineStatement) =>
    statement.spare?.(() => {
      given.push(name);
      void statement.close();
      return true;
    });
  const first = await bound();
  spared('first', first);
  assert.deepEqual(given, []);
  // Nobody else closes the first.
  const second = await engine.begin('rows 1 1', 'beta', never());
  assert.deepEqual(given, ['first']);
  await second.bind({ tables: [], insertInto: null });
  const waiting = engine.begin('rows 1 1', 'acme', never());
  await eventually('it waits', () => engine.waiting === 1);
  spared('second', second);
  assert.deepEqual(given, ['first', 'second']);
  const third = await waiting;
  third.spare?.(() => false);
  const fourth = engine.begin('rows 1 1', 'beta', never());
  await third.bind({ tables: [], insertInto: null });
  for await (const _message of third.run(null)) assert.equal(engine.waiting, 1);
  await (await fourth).close();
});

test('a text that has begun before begins with its bind, and before that its process does not hear of it', async (t) => {
  const { engine } = await startPool(t, { processesMax: 1 });
  const rowsOf = async (statement: EngineStatement) => {
    await statement.bind({ tables: [], insertInto: null });
    let batches = 0;
    for await (const _message of statement.run(null)) batches += 1;
    await statement.close();
    return batches;
  };
  const first = await engine.begin('rows 2 10', 'acme', never());
  const { shape } = first;
  assert.equal(await rowsOf(first), 2);
  const left = await engine.begin('rows 2 10', 'acme', never(), { known: shape });
  assert.deepEqual(left.shape, shape);
  await left.close();
  await assert.rejects(left.bind({ tables: [], insertInto: null }), { kind: 'cancelled' });
  const again = await engine.begin('rows 2 10', 'acme', never(), { known: shape });
  assert.equal(again.shape, shape);
  assert.equal(await rowsOf(again), 2);
  assert.equal(engine.running, 0);
});

test('a statement above the limit of the queue is refused as overloaded at once', async (t) => {
  const { engine } = await startPool(t, { processesMax: 1, queueMax: 1 });
  const { statement } = await runToFirst(engine, 'wait 60000');
  const waiting = engine.begin('rows 1 1', 'acme', never());
  await assert.rejects(engine.begin('rows 1 1', 'acme', never()), {
    kind: 'overloaded',
    hint: /sql\.processes_max/,
  });
  await statement.close();
  await (await waiting).close();
});

test('a statement that waits longer than the deadline is refused as overloaded', async (t) => {
  const { engine } = await startPool(t, { processesMax: 1, queueWaitMs: 100 });
  const { statement } = await runToFirst(engine, 'wait 60000');
  await assert.rejects(engine.begin('rows 1 1', 'acme', never()), { kind: 'overloaded' });
  await statement.close();
  assert.deepEqual(await runWhole(engine, 'rows 1 1'), ['0']);
});

test('a caller that leaves while it waits does not get a place', async (t) => {
  const { engine } = await startPool(t, { processesMax: 1 });
  const { statement } = await runToFirst(engine, 'wait 60000');
  const leaving = new AbortController();
  const waiting = engine.begin('rows 1 1', 'acme', leaving.signal);
  leaving.abort(new Error('gone'));
  await assert.rejects(waiting, /gone/);
  assert.equal(engine.waiting, 0);
  await statement.close();
});

test('an error of a statement arrives with its kind, text and hint, and its process goes on', async (t) => {
  const { engine } = await startPool(t, { processesMax: 1 });
  await assert.rejects(runWhole(engine, 'not a statement'), { kind: 'sql_invalid' });
  await assert.rejects(runWhole(engine, 'fail'), {
    kind: 'sql_failed',
    message: 'It failed.',
    hint: 'Try another.',
  });
  const before = engine.processIds;
  assert.deepEqual(await runWhole(engine, 'rows 1 1'), ['0']);
  assert.deepEqual(engine.processIds, before);
});

test('a fault nobody foresaw is engine_failed, and its text stays in the log', async (t) => {
  const { engine } = await startPool(t);
  await assert.rejects(runWhole(engine, 'throw'), (error: Error & { kind: string }) => {
    assert.equal(error.kind, 'engine_failed');
    assert.doesNotMatch(error.message, /path/);
    assert.match(String(error.cause), /a fault with a \/path/);
    return true;
  });
});

test('an error in mid-stream is an error to the reader, however much it has read, and stays one', async (t) => {
  const { engine } = await startPool(t);
  const statement = await engine.begin('fail', 'acme', never());
  const texts: string[] = [];
  await assert.rejects(
    async () => {
      for await (const message of statement.run(null)) texts.push(textOf(message));
    },
    { kind: 'sql_failed' },
  );
  assert.ok(texts.length <= 1);
  await assert.rejects(
    async () => {
      for await (const _message of statement.run(null));
    },
    { kind: 'sql_failed' },
  );
  await statement.close();
});

test('a reader that stops early gives the place back', async (t) => {
  const { engine } = await startPool(t, { processesMax: 1 });
  const statement = await engine.begin('rows 1000000 1000', 'acme', never());
  for await (const _message of statement.run(null)) break;
  await eventually('the place is free', () => engine.running === 0);
  await statement.close();
});

test('one process is kept, the others end after a while', async (t) => {
  const idleMs = 100;
  const { engine } = await startPool(t, { processesMax: 4, idleMs });
  await Promise.all(Array.from({ length: 4 }, () => runWhole(engine, 'wait 200')));
  await eventually('one process is left', () => engine.processIds.length === 1);
  await timePasses(3 * idleMs, 'a process that is not kept would end meanwhile');
  assert.equal(engine.processIds.length, 1);
});

test('close ends what runs and what waits, the processes and their directories', async (t) => {
  const { engine, tempDirectory, observations } = await startPool(t, { processesMax: 1 });
  const { rows } = await runToFirst(engine, 'place 60000');
  const waiting = engine.begin('rows 1 1', 'acme', never());
  const outcomes = Promise.all([
    assert.rejects(rows.next(), { kind: 'draining' }),
    assert.rejects(waiting, { kind: 'draining' }),
  ]);
  const pids = engine.processIds;
  assert.equal(directoriesIn(tempDirectory).length, 1);
  await engine.close();
  await outcomes;
  assert.deepEqual(pids.filter(isAlive), []);
  assert.deepEqual(directoriesIn(tempDirectory), []);
  await assert.rejects(engine.begin('rows 1 1', 'acme', never()), { kind: 'draining' });
  assert.deepEqual(observations, []);
});

test('a process that does not start in time is a busy machine to the caller, not a fault of the statement', async (t) => {
  const { engine } = await startPool(t, {
    module: new URL('./silent-engine.ts', import.meta.url),
    startMs: 300,
  });
  await assert.rejects(engine.begin('rows 1 1', 'acme', never()), { kind: 'overloaded' });
});

test('a tenant gets the process that ran its last statement; else one that is nobody’s, else the one used longest ago', async (t) => {
  const { engine } = await startPool(t, { processesMax: 3 });
  const pidOf = async (tenant: string) => {
    const statement = await engine.begin('place', tenant, never());
    try {
      await statement.bind({ tables: [], insertInto: null });
      for await (const message of statement.run(null)) return Number(JSON.parse(textOf(message))[2]);
      return 0;
    } finally {
      await statement.close();
    }
  };
  const a = await pidOf('a');
  // All at once, so that each has its own.
  const held = await Promise.all(['a', 'b', 'c'].map((tenant) => engine.begin('rows 1 1', tenant, never())));
  await Promise.all(held.map((statement) => statement.close()));
  assert.equal(await pidOf('a'), a);
  const b = await pidOf('b');
  const c = await pidOf('c');
  assert.equal(new Set([a, b, c]).size, 3);
  assert.deepEqual([await pidOf('b'), await pidOf('a'), await pidOf('c')], [b, a, c]);
  assert.equal(await pidOf('d'), b, 'its last statement was before those of the others');
  assert.deepEqual([await pidOf('c'), await pidOf('a'), await pidOf('d')], [c, a, b]);
});

test('a statement that runs as soon as it is bound gives the same rows, under the same back-pressure', async (t) => {
  const { engine } = await startPool(t, { processesMax: 1 });
  for (const count of [0, 1, 50]) {
    const statement = await engine.begin(`rows ${count} 100`, 'acme', never());
    await statement.bind({ tables: [], insertInto: null, runs: true });
    await timePasses(50, 'its batches are here, or held back, before anybody asks for them');
    const texts: string[] = [];
    for await (const message of statement.run(null)) texts.push(textOf(message));
    assert.deepEqual(
      texts,
      Array.from({ length: count }, (_, index) => String(index)),
    );
    await statement.close();
  }
});

test('a statement that runs as soon as it is bound and is never read gives its place back', async (t) => {
  const { engine } = await startPool(t, { processesMax: 1 });
  for (const sql of ['rows 1 1', 'rows 50 100', 'wait 60000', 'no such verb']) {
    const statement = await engine.begin(sql, 'acme', never());
    await statement.bind({ tables: [], insertInto: null, runs: true });
    await statement.close();
  }
  assert.deepEqual(await runWhole(engine, 'rows 1 1'), ['0']);
  assert.equal(engine.running, 0);
});
