import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrameholdError } from '../../../src/model/errors.ts';
import { Admission } from '../../../src/model/limits/admission.ts';
import { TenantSlots } from '../../../src/model/limits/tenant-slots.ts';

const never = new AbortController().signal;
const overloaded = (error: unknown) => error instanceof FrameholdError && error.kind === 'overloaded';
const rateLimited = (error: unknown) => error instanceof FrameholdError && error.kind === 'rate_limited';

test('as many as there is room for enter at once; the rest in the order in which they came', async () => {
  const admission = new Admission({ what: 'puts', max: 2, queueMax: 10, waitMs: 60_000 });
  const leave = [await admission.enter(never), await admission.enter(never)];
  const entered: number[] = [];
  const waiting = [0, 1, 2].map(async (number) => {
    const out = await admission.enter(never);
    entered.push(number);
    out();
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([entered, admission.running, admission.waiting], [[], 2, 3]);
  leave[0]?.();
  await Promise.all(waiting);
  assert.deepEqual(entered, [0, 1, 2]);
  assert.deepEqual([admission.running, admission.waiting], [1, 0]);
});

test('a tenant that floods the queue delays others by one of its turns, and makes way when it is full', async () => {
  const admission = new Admission({ what: 'reads', max: 1, queueMax: 200, waitMs: 60_000 });
  const leave = await admission.admit('flood', never);
  const entered: string[] = [];
  let refused = 0;
  const read = async (tenant: string) => {
    try {
      const out = await admission.admit(tenant, never);
      entered.push(tenant);
      out();
    } catch (error) {
      assert(overloaded(error));
      refused += 1;
    }
  };
  const flood = Array.from({ length: 200 }, () => read('flood'));
  const others = ['b', 'c', 'b'].map(read);
  leave();
  await Promise.all([...flood, ...others]);
  assert.deepEqual(entered.slice(0, 6), ['flood', 'b', 'c', 'flood', 'b', 'flood']);
  assert.deepEqual([entered.length, refused], [200, 3]);
});

test('leaving twice frees one place', async () => {
  const admission = new Admission({ what: 'puts', max: 2, queueMax: 0, waitMs: 60_000 });
  const leave = await admission.enter(never);
  await admission.enter(never);
  leave();
  leave();
  assert.equal(admission.running, 1);
});

test('one more than may wait is refused at once', async () => {
  const admission = new Admission({ what: 'puts', max: 1, queueMax: 1, waitMs: 60_000 });
  const leave = await admission.enter(never);
  const waiting = admission.enter(never);
  await assert.rejects(admission.enter(never), overloaded);
  leave();
  (await waiting)();
  assert.deepEqual([admission.running, admission.waiting], [0, 0]);
});

test('a caller that has waited too long is refused, and holds no slot', async () => {
  const admission = new Admission({ what: 'reads', max: 1, queueMax: 1, waitMs: 20 });
  const leave = await admission.enter(never);
  await assert.rejects(admission.enter(never), overloaded);
  assert.equal(admission.waiting, 0);
  leave();
  assert.equal(admission.running, 0);
});

test('a caller that goes away while it waits makes room in the queue', async () => {
  const admission = new Admission({ what: 'reads', max: 1, queueMax: 1, waitMs: 60_000 });
  const leave = await admission.enter(never);
  const abort = new AbortController();
  const waiting = admission.enter(abort.signal);
  abort.abort(new Error('gone'));
  await assert.rejects(waiting, /gone/);
  assert.equal(admission.waiting, 0);
  leave();
  assert.equal(admission.running, 0);
});

test('more slots count for those that wait when the next one comes, and nobody overtakes', async () => {
  const options = { what: 'puts', max: 1, queueMax: 10, waitMs: 60_000 };
  const admission = new Admission(options);
  await admission.enter(never);
  const entered: string[] = [];
  const enter = async (name: string) => {
    const leave = await admission.enter(never);
    entered.push(name);
    return leave;
  };
  const [first] = [enter('first'), enter('second')];
  await new Promise((resolve) => setImmediate(resolve));
  options.max = 2;
  const third = enter('third');
  const leaveFirst = await first;
  assert.deepEqual(entered, ['first']);
  leaveFirst?.();
  options.max = 3;
  leaveFirst?.();
  const fourth = enter('fourth');
  (await third)();
  await fourth;
  assert.deepEqual(entered, ['first', 'second', 'third', 'fourth']);
});

test('fewer slots let nobody in until enough have left', async () => {
  const options = { what: 'puts', max: 2, queueMax: 10, waitMs: 60_000 };
  const admission = new Admission(options);
  const leave = [await admission.enter(never), await admission.enter(never)];
  options.max = 1;
  const waiting = admission.enter(never);
  leave[0]?.();
  assert.deepEqual([admission.running, admission.waiting], [1, 1]);
  leave[1]?.();
  await waiting;
  assert.deepEqual([admission.running, admission.waiting], [1, 0]);
});

test('a tenant has its own limit within the server’s, and above it is refused at once instead of queued', async () => {
  const slots = new TenantSlots('streams', (tenant) => (tenant === 'small' ? 1 : null));
  const admission = new Admission({ what: 'puts', max: 2, queueMax: 1, waitMs: 60_000 }, slots);
  const leave = await admission.admit('small', never);
  await assert.rejects(admission.admit('small', never), rateLimited);
  await admission.admit('large', never);
  assert.deepEqual([admission.running, admission.waiting], [2, 0]);
  const waiting = admission.admit('large', never);
  assert.deepEqual([slots.count('small'), slots.count('large'), admission.waiting], [1, 2, 1]);
  await assert.rejects(admission.admit('large', never), overloaded);
  assert.equal(slots.count('large'), 2, 'what the server refuses does not count for the tenant');
  leave();
  leave();
  (await waiting)();
  assert.deepEqual([admission.running, slots.count('small'), slots.count('large')], [1, 0, 1]);
});

test('a caller that goes away while it waits does not count for its tenant any more', async () => {
  const slots = new TenantSlots('streams', () => null);
  const admission = new Admission({ what: 'puts', max: 1, queueMax: 1, waitMs: 60_000 }, slots);
  await admission.admit('a', never);
  const abort = new AbortController();
  const waiting = admission.admit('a', abort.signal);
  abort.abort(new Error('gone'));
  await assert.rejects(waiting, /gone/);
  assert.equal(slots.count('a'), 1);
});

test('two admissions share the limit of a tenant', async () => {
  const slots = new TenantSlots('streams', () => 1);
  const limit = { max: 8, queueMax: 8, waitMs: 60_000 };
  const [puts, reads] = ['puts', 'reads'].map((what) => new Admission({ what, ...limit }, slots));
  const leave = await puts?.admit('a', never);
  await assert.rejects(reads?.admit('a', never) ?? assert.fail(), rateLimited);
  leave?.();
  await reads?.admit('a', never);
  assert.deepEqual([puts?.running, reads?.running, slots.count('a')], [0, 1, 1]);
});
