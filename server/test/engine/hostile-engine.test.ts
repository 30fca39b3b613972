import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../support/patience.ts';
import { never, startPool } from './sample-pool.ts';

const module = new URL('./hostile-engine.ts', import.meta.url);

for (const attack of [
  'not json',
  'not a shape',
  'not an error',
  'huge message',
  'unknown type',
  'another statement',
  'closed unasked',
  'early batch',
  'progress before it runs',
  'no place',
  'ready again',
  'hung up',
]) {
  test(`a process that answers with this is ended, and its statement has failed: ${attack}`, async (t) => {
    const { engine, observations } = await startPool(t, { module, processesMax: 1, timeoutMs: 20_000 });
    await assert.rejects(engine.begin(attack, 'acme', never()), { kind: 'engine_failed' });
    await eventually('the process was ended', () => observations.length === 1);
    await (await engine.begin('fine', 'acme', never())).close();
  });
}

test('an error of a kind that no statement has is engine_failed', async (t) => {
  const { engine } = await startPool(t, { module });
  await assert.rejects(engine.begin('foreign error', 'acme', never()), { kind: 'engine_failed' });
});

test('more batches than there is room for, or than are announced, or more progress than all of it, are an error, never a result', async (t) => {
  const { engine, observations } = await startPool(t, { module, processesMax: 1 });
  for (const attack of ['flood', 'short result', 'more than all']) {
    const statement = await engine.begin(attack, 'acme', never());
    const rows = statement.run(null)[Symbol.asyncIterator]();
    await assert.rejects(
      (async () => {
        while (!(await rows.next()).done);
      })(),
      { kind: 'engine_failed' },
    );
    await statement.close();
  }
  await eventually('all of the processes were ended', () => observations.length === 3);
});

test('what a process sends after the end of a result changes nothing', async (t) => {
  const { engine } = await startPool(t, { module, processesMax: 1 });
  const statement = await engine.begin('batch after the end', 'acme', never());
  const rows: unknown[] = [];
  try {
    for await (const row of statement.run(null)) rows.push(row);
  } catch (error) {
    assert.equal((error as { kind?: string }).kind, 'engine_failed');
  }
  assert.deepEqual(rows, []);
  await statement.close();
});
