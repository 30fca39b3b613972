import assert from 'node:assert/strict';
import { beforeEach, mock, test } from 'node:test';
import {
  RequestTime,
  startWaiting,
  waitingFor,
  waitingForAll,
  waitingForEach,
} from '../../src/base/request-time.ts';

let now = 0;
mock.method(performance, 'now', () => now);
beforeEach(() => {
  now = 1_000;
});

/** Something that takes so long, by the clock of this file. */
async function taking(ms: number): Promise<void> {
  await null;
  now += ms;
}

test('a moment belongs to the innermost of what is waited for, and counts once', async () => {
  const time = new RequestTime();
  await time.run(async () => {
    await waitingFor('catalog', taking(3));
    await waitingFor(
      'rendering',
      (async () => {
        await taking(5);
        await waitingFor('engine', waitingFor('queue', taking(7)));
        await waitingFor('engine', taking(11));
        await taking(2);
      })(),
    );
    now += 20;
  });
  assert.deepEqual(time.line, { queueMs: 7, catalogMs: 3, engineMs: 11, renderingMs: 7 });
  assert.equal(time.header, 'queue;dur=7.0, catalog;dur=3.0, engine;dur=11.0, rendering;dur=7.0');
  assert.equal(time.durationMs, 48);
});

test('what is waited for at once adds up to no more than the time that has passed', async () => {
  const time = new RequestTime();
  time.run(() => {
    const ends = [startWaiting('store'), startWaiting('catalog'), startWaiting('store')];
    now += 10;
    ends[1]?.();
    now += 5;
    ends[0]?.();
    ends[0]?.();
    now += 1;
    ends[2]?.();
    now += 100;
  });
  assert.deepEqual(time.line, { catalogMs: 10, storeMs: 6 });
  assert.equal(time.durationMs, 116);
});

test('what fails has been waited for, and the error is the same', async () => {
  const time = new RequestTime();
  const fault = new Error('no');
  const failing = time.run(() =>
    waitingFor(
      'store',
      taking(4).then(() => Promise.reject(fault)),
    ),
  );
  await assert.rejects(failing, fault);
  now += 50;
  assert.deepEqual(time.line, { storeMs: 4 });
});

test('rows are waited for one by one, not while their reader has them', async () => {
  let isReturned = false;
  async function* rows() {
    try {
      for (;;) {
        await taking(10);
        yield 'row';
      }
    } finally {
      isReturned = true;
    }
  }
  const time = new RequestTime();
  await time.run(async () => {
    let taken = 0;
    for await (const _row of waitingForEach('engine', rows())) {
      now += 1;
      if (++taken === 3) break;
    }
  });
  assert.deepEqual(time.line, { engineMs: 30 });
  assert.ok(isReturned);
});

test('from the head of the answer on, the time is that of sending, unless something else is waited for', async () => {
  const time = new RequestTime();
  await time.run(async () => {
    time.answers();
    now += 40;
    await waitingFor('engine', taking(6));
    time.answers();
    now += 2;
  });
  assert.deepEqual(time.line, { engineMs: 6, sendingMs: 42 });
});

test('requests at the same time, and work of none, do not count for each other', async () => {
  const first = new RequestTime();
  const second = new RequestTime();
  const port = waitingForAll('catalog', { ping: () => taking(8), size: () => 3 });
  await first.run(() => port.ping());
  await port.ping();
  const plain = taking(1);
  assert.equal(waitingFor('store', plain), plain);
  await plain;
  assert.equal(
    first.run(() => port.size()),
    3,
  );
  assert.deepEqual(first.line, { catalogMs: 8 });
  assert.equal(second.header, '');
});
