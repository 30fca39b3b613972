import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestTime } from '../../src/base/request-time.ts';
import { Slots } from '../../src/store/slots.ts';

/** As within a request of this tenant. */
function asking<Result>(tenant: string, work: () => Result): Result {
  const time = new RequestTime();
  time.tenant = tenant;
  return time.run(work);
}

test('a tenant that floods the store delays others by one of its turns', async () => {
  const slots = new Slots(1);
  const order: string[] = [];
  const leave = await slots.take();
  const take = async (tenant: string) => {
    const out = await asking(tenant, () => slots.take());
    order.push(tenant);
    out();
  };
  const flood = Array.from({ length: 200 }, () => take('a'));
  const other = take('b');
  leave();
  await Promise.all([...flood, other]);
  assert.deepEqual([order.indexOf('b'), order.length, slots.taken], [1, 201, 0]);
});

test('one that wants much is not passed over for ever, and one that leaves lets the next ones in', async () => {
  const slots = new Slots(4);
  const leave = await slots.take(3);
  const left = new AbortController();
  const large = asking('a', () => slots.take(4, left.signal));
  const small = asking('b', () => slots.take(1));
  assert.equal(slots.taken, 3);
  left.abort(new Error('left'));
  await assert.rejects(large, /left/);
  (await small)();
  leave();
  assert.equal(slots.taken, 0);
});
