import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestTime } from '../../src/base/request-time.ts';
import { Turns } from '../../src/postgres/turns.ts';

function asking<Result>(tenant: string, work: () => Result): Result {
  const time = new RequestTime();
  time.tenant = tenant;
  return time.run(work);
}

const full = () => new Error('full');

test('a tenant with hundreds of changes that wait delays another by one of them', async () => {
  const turns = new Turns(1, { max: 1_000, full });
  const order: string[] = [];
  const change = (tenant: string) =>
    asking(tenant, () =>
      turns.take(async () => {
        await Promise.resolve();
        order.push(tenant);
      }),
    );
  const all = Array.from({ length: 300 }, () => change('flood'));
  all.push(change('acme'));
  await Promise.all(all);
  // One runs, one is the flood's own turn.
  assert.deepEqual([order.indexOf('acme'), order.length], [2, 301]);
});

test('one above the limit, and one that waits too long, are refused; a change that fails makes room', async () => {
  const turns = new Turns(1, { max: 1, waitMs: 5, full, late: () => new Error('late') });
  const running = Promise.withResolvers<void>();
  const first = turns.take(() => running.promise);
  const second = turns.take(async () => {});
  await assert.rejects(
    turns.take(async () => {}),
    /full/,
  );
  await assert.rejects(second, /late/);
  running.reject(new Error('failed'));
  await assert.rejects(first, /failed/);
  assert.equal(await turns.take(async () => 'done'), 'done');
});
