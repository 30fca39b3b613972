import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SharedWork } from '../../src/base/shared-work.ts';

const never = new AbortController().signal;

/** Work that ends when `finish` is called, or when it is stopped. */
function heldWork() {
  const started: AbortSignal[] = [];
  let finish = (_value: string) => {};
  const work = (signal: AbortSignal) => {
    started.push(signal);
    return new Promise<string>((resolve, reject) => {
      finish = resolve;
      signal.addEventListener('abort', () => reject(new Error('stopped')));
    });
  };
  return { started, work, finish: (value: string) => finish(value) };
}

test('it is done once for all that want it at the same time', async () => {
  const shared = new SharedWork<string>();
  const { started, work, finish } = heldWork();
  const both = [shared.run('key', never, work), shared.run('key', never, work)];
  assert.equal(shared.has('key'), true);
  finish('done');
  assert.deepEqual(await Promise.all(both), ['done', 'done']);
  assert.equal(started.length, 1);
  assert.equal(shared.has('key'), false);
});

test('one that leaves does not stop it for the others, the last one does', async () => {
  const shared = new SharedWork<string>();
  const { started, work } = heldWork();
  const first = new AbortController();
  const second = new AbortController();
  const leaving = shared.run('key', first.signal, work);
  const staying = shared.run('key', second.signal, work);
  first.abort(new Error('first left'));
  await assert.rejects(leaving, /first left/);
  assert.equal(started[0]?.aborted, false);
  second.abort(new Error('second left'));
  await assert.rejects(staying, /second left/);
  assert.equal(started[0]?.aborted, true);
});

test('one that comes after it was given up waits for its end and begins anew', async () => {
  const shared = new SharedWork<string>();
  const { started, work, finish } = heldWork();
  const leaving = new AbortController();
  const given = shared.run('key', leaving.signal, work);
  leaving.abort();
  await assert.rejects(given);
  const anew = shared.run('key', never, work);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(started.length, 2);
  finish('anew');
  assert.equal(await anew, 'anew');
});

test('a failure reaches all callers, and the next one tries again', async () => {
  const shared = new SharedWork<string>();
  const failing = () => Promise.reject(new Error('failed'));
  const both = await Promise.allSettled([shared.run('k', never, failing), shared.run('k', never, failing)]);
  assert.deepEqual(
    both.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.equal(await shared.run('k', never, async () => 'well'), 'well');
});
