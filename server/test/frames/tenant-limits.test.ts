import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrameholdError } from '../../src/frames/errors.ts';
import { type TenantBounds, TenantLimits } from '../../src/frames/tenant-limits.ts';

const unbounded: TenantBounds = {
  queriesMax: null,
  streamsMax: null,
  requestsPerSecond: null,
  requestsBurst: 1,
};

function refused(call: () => unknown): FrameholdError {
  try {
    call();
  } catch (error) {
    assert(error instanceof FrameholdError && error.kind === 'rate_limited', String(error));
    return error;
  }
  throw new Error('was let in');
}

test('without bounds nobody is refused', () => {
  const limits = new TenantLimits(() => unbounded);
  for (let count = 0; count < 10_000; count++) {
    limits.request('a');
    limits.enter('streams', 'a');
  }
});

test('a tenant may send a burst, then so many a second, and others are not touched', () => {
  let now = 0;
  const limits = new TenantLimits(
    () => ({ ...unbounded, requestsPerSecond: 2, requestsBurst: 5 }),
    () => now,
  );
  for (let count = 0; count < 5; count++) limits.request('a');
  assert.equal(refused(() => limits.request('a')).retryAfterSeconds, 1);
  limits.request('b');
  now += 500;
  limits.request('a');
  refused(() => limits.request('a'));
  now += 60_000;
  for (let count = 0; count < 5; count++) limits.request('a');
  refused(() => limits.request('a'));
});

test('being refused does not make the wait longer', () => {
  let now = 0;
  const limits = new TenantLimits(
    () => ({ ...unbounded, requestsPerSecond: 1, requestsBurst: 1 }),
    () => now,
  );
  limits.request('a');
  for (let count = 0; count < 99; count++) {
    now += 10;
    refused(() => limits.request('a'));
  }
  now += 20;
  limits.request('a');
});

test('over a long time a tenant gets what it may, however it asks', () => {
  let now = 0;
  const limits = new TenantLimits(
    () => ({ ...unbounded, requestsPerSecond: 10, requestsBurst: 20 }),
    () => now,
  );
  let served = 0;
  for (; now < 100_000; now += 7) {
    try {
      limits.request('a');
      served += 1;
    } catch {}
  }
  assert.ok(served >= 1_000 && served <= 1_021, String(served));
});

for (const what of ['queries', 'streams'] as const) {
  test(`${what} are counted for each tenant, and leaving twice is leaving once`, () => {
    const limits = new TenantLimits(() => ({ ...unbounded, [`${what}Max`]: 2 }));
    const leave = limits.enter(what, 'a');
    limits.enter(what, 'a');
    assert.match(refused(() => limits.enter(what, 'a')).message, /2 .* open/);
    limits.enter(what, 'b');
    leave();
    leave();
    limits.enter(what, 'a');
    refused(() => limits.enter(what, 'a'));
  });
}

test('a hundred thousand tenants take no more memory than ten thousand', () => {
  let now = 0;
  const limits = new TenantLimits(
    () => ({ ...unbounded, requestsPerSecond: 1, requestsBurst: 1 }),
    () => now,
  );
  for (let tenant = 0; tenant < 100_000; tenant++) limits.request(`t${tenant}`);
  refused(() => limits.request('t99999'));
  now += 1;
  // The oldest was forgotten: it begins with a full bucket.
  limits.request('t0');
});

test('a limit that is set counts at once, and what is open counts before there is one', () => {
  let bounds = unbounded;
  const limits = new TenantLimits(
    () => bounds,
    () => 0,
  );
  const leave = limits.enter('streams', 'a');
  limits.enter('streams', 'a');
  for (let count = 0; count < 10; count++) limits.request('a');
  bounds = { ...unbounded, streamsMax: 2, requestsPerSecond: 1, requestsBurst: 3 };
  refused(() => limits.enter('streams', 'a'));
  leave();
  limits.enter('streams', 'a');
  for (let count = 0; count < 3; count++) limits.request('a');
  refused(() => limits.request('a'));
  bounds = unbounded;
  limits.request('a');
  assert.deepEqual(limits.activity('a'), { requests: 15, requestsRefused: 1, queries: 0, streams: 2 });
  assert.deepEqual(limits.activity('b'), { requests: 0, requestsRefused: 0, queries: 0, streams: 0 });
});
