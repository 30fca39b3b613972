import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrameholdError } from '../../../src/model/errors.ts';
import { TenantSlots } from '../../../src/model/limits/tenant-slots.ts';

function refused(slots: TenantSlots, tenant: string): FrameholdError {
  try {
    slots.enter(tenant);
  } catch (error) {
    assert(error instanceof FrameholdError && error.kind === 'rate_limited', String(error));
    return error;
  }
  throw new Error('was let in');
}

test('without a limit nobody is refused, and everybody is counted', () => {
  const slots = new TenantSlots('streams', () => null);
  const leave = Array.from({ length: 10_000 }, () => slots.enter('a'));
  assert.deepEqual([slots.count('a'), slots.count('b')], [10_000, 0]);
  for (const each of leave) each();
  assert.equal(slots.count('a'), 0);
});

for (const what of ['queries', 'streams'] as const) {
  test(`${what} are counted for each tenant, and leaving twice is leaving once`, () => {
    const slots = new TenantSlots(what, () => 2);
    const leave = slots.enter('a');
    slots.enter('a');
    const { message, hint, retryAfterSeconds } = refused(slots, 'a');
    assert.equal(message, `The tenant has 2 ${what} open, which is its limit.`);
    assert.equal(hint, `Try again when one has ended. The limit is tenant.${what}_max.`);
    assert.equal(retryAfterSeconds, undefined);
    slots.enter('b');
    leave();
    leave();
    assert.deepEqual([slots.count('a'), slots.count('b')], [1, 1]);
    slots.enter('a');
    refused(slots, 'a');
    assert.equal(slots.count('a'), 2, 'a refused request is not counted');
  });
}

test('a slot without need is given up for the next one of the same tenant, and only at the limit', () => {
  const slots = new TenantSlots('queries', () => 2);
  const given: string[] = [];
  const hold = (name: string) => {
    const leave = slots.enter('a');
    const keep = slots.spare('a', () => {
      given.push(name);
      keep();
      leave();
    });
    return keep;
  };
  hold('first');
  hold('second');
  slots.enter('b');
  assert.deepEqual(given, []);
  slots.enter('a');
  assert.deepEqual([given, slots.count('a')], [['first'], 2]);
  slots.enter('a');
  assert.deepEqual([given, slots.count('a')], [['first', 'second'], 2]);
  refused(slots, 'a');
});

test('a limit that is set counts at once, and what is open counts before there is one', () => {
  let max: number | null = null;
  const slots = new TenantSlots('streams', () => max);
  const leave = slots.enter('a');
  slots.enter('a');
  max = 2;
  refused(slots, 'a');
  leave();
  slots.enter('a');
  max = 1;
  refused(slots, 'a');
  max = null;
  slots.enter('a');
  assert.equal(slots.count('a'), 3);
});
