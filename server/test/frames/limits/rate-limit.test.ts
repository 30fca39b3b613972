import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RateLimit } from '../../../src/frames/limits/rate-limit.ts';
import { FrameholdError } from '../../../src/model/errors.ts';

const unlimited = { requestsPerSecond: null, requestsBurst: 1 };

function refused(rate: RateLimit, tenant: string): FrameholdError {
  try {
    rate.count(tenant);
  } catch (error) {
    assert(error instanceof FrameholdError && error.kind === 'rate_limited', String(error));
    return error;
  }
  throw new Error('was let in');
}

/** How many of so many requests are let in. */
function served(rate: RateLimit, tenant: string, times: number): number {
  const before = rate.requestsOf(tenant);
  for (let count = 0; count < times; count++) {
    try {
      rate.count(tenant);
    } catch {}
  }
  const { requests, requestsRefused } = rate.requestsOf(tenant);
  assert.equal(requests - before.requests, times);
  return times - (requestsRefused - before.requestsRefused);
}

test('without a limit nobody is refused, and everybody is counted', () => {
  const rate = new RateLimit(
    () => unlimited,
    () => 0,
  );
  assert.equal(served(rate, 'a', 10_000), 10_000);
  assert.deepEqual(rate.requestsOf('a'), { requests: 10_000, requestsRefused: 0 });
  assert.deepEqual(rate.requestsOf('b'), { requests: 0, requestsRefused: 0 });
  assert.deepEqual([...rate.tenants], ['a']);
});

test('a tenant may send a burst, then so many a second, and others are not touched', () => {
  let now = 0;
  const rate = new RateLimit(
    () => ({ requestsPerSecond: 2, requestsBurst: 5 }),
    () => now,
  );
  assert.equal(served(rate, 'a', 8), 5);
  assert.equal(served(rate, 'b', 8), 5);
  now += 499;
  assert.equal(served(rate, 'a', 8), 0);
  now += 1;
  assert.equal(served(rate, 'a', 8), 1);
  now += 60_000;
  assert.equal(served(rate, 'a', 8), 5);
});

test('the refusal says how long to wait, which is as long as it takes', () => {
  let now = 0;
  const rate = new RateLimit(
    () => ({ requestsPerSecond: 0.25, requestsBurst: 1 }),
    () => now,
  );
  rate.count('a');
  const { message, hint, retryAfterSeconds } = refused(rate, 'a');
  assert.equal(message, 'The tenant may send 0.25 requests a second, and sends more.');
  assert.equal(retryAfterSeconds, 4);
  assert.match(hint ?? '', /^Wait 4 s\..* tenant\.requests_per_second and tenant\.requests_burst\.$/);
  now += 3_500;
  assert.equal(refused(rate, 'a').retryAfterSeconds, 1);
  now += 500;
  assert.equal(served(rate, 'a', 1), 1);
});

test('being refused does not make the wait longer', () => {
  let now = 0;
  const rate = new RateLimit(
    () => ({ requestsPerSecond: 1, requestsBurst: 1 }),
    () => now,
  );
  rate.count('a');
  for (let count = 0; count < 99; count++) {
    now += 10;
    refused(rate, 'a');
  }
  now += 20;
  assert.equal(served(rate, 'a', 1), 1);
});

test('over a long time a tenant gets what it may, however it asks', () => {
  let now = 0;
  const rate = new RateLimit(
    () => ({ requestsPerSecond: 10, requestsBurst: 20 }),
    () => now,
  );
  let count = 0;
  for (; now < 100_000; now += 7) count += served(rate, 'a', 1);
  assert.ok(count >= 1_000 && count <= 1_021, String(count));
});

test('of a hundred thousand tenants only the last ten thousand are remembered', () => {
  const rate = new RateLimit(
    () => ({ requestsPerSecond: 1, requestsBurst: 1 }),
    () => 0,
  );
  for (let tenant = 0; tenant < 100_000; tenant++) rate.count(`t${tenant}`);
  const kept = [...rate.tenants];
  assert.deepEqual([kept.length, kept[0], kept.at(-1)], [10_000, 't90000', 't99999']);
  refused(rate, 't99999');
  // The oldest was forgotten: it begins with a full bucket.
  assert.equal(served(rate, 't0', 2), 1);
  // A tenant that asks again is not the next to be forgotten.
  refused(rate, 't90001');
  rate.count('new');
  assert.equal(rate.requestsOf('t90001').requests, 2);
  assert.equal(rate.requestsOf('t90002').requests, 0);
});

test('a limit that is set counts at once', () => {
  let limit: ConstructorParameters<typeof RateLimit>[0] = () => unlimited;
  const rate = new RateLimit(
    (tenant) => limit(tenant),
    () => 0,
  );
  assert.equal(served(rate, 'a', 10), 10);
  limit = () => ({ requestsPerSecond: 1, requestsBurst: 3 });
  assert.equal(served(rate, 'a', 4), 3);
  limit = () => unlimited;
  assert.equal(served(rate, 'a', 1), 1);
  assert.deepEqual(rate.requestsOf('a'), { requests: 15, requestsRefused: 1 });
});
