import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrameholdError } from '../../../src/model/errors.ts';
import { TenantPlaces } from '../../../src/model/limits/tenant-places.ts';

function refused(places: TenantPlaces, tenant: string): FrameholdError {
  try {
    places.enter(tenant);
  } catch (error) {
    assert(error instanceof FrameholdError && error.kind === 'rate_limited', String(error));
    return error;
  }
  throw new Error('was let in');
}

test('without a limit nobody is refused, and everybody is counted', () => {
  const places = new TenantPlaces('streams', () => null);
  const leave = Array.from({ length: 10_000 }, () => places.enter('a'));
  assert.deepEqual([places.count('a'), places.count('b')], [10_000, 0]);
  for (const each of leave) each();
  assert.equal(places.count('a'), 0);
});

for (const what of ['queries', 'streams'] as const) {
  test(`${what} are counted for each tenant, and leaving twice is leaving once`, () => {
    const places = new TenantPlaces(what, () => 2);
    const leave = places.enter('a');
    places.enter('a');
    const { message, hint, retryAfterSeconds } = refused(places, 'a');
    assert.equal(message, `The tenant has 2 ${what} open, which is its limit.`);
    assert.equal(hint, `Try again when one has ended. The limit is tenant.${what}_max.`);
    assert.equal(retryAfterSeconds, undefined);
    places.enter('b');
    leave();
    leave();
    assert.deepEqual([places.count('a'), places.count('b')], [1, 1]);
    places.enter('a');
    refused(places, 'a');
    assert.equal(places.count('a'), 2, 'a refused request is not counted');
  });
}

test('a place without need is given up for the next one of the same tenant, and only at the limit', () => {
  const places = new TenantPlaces('queries', () => 2);
  const given: string[] = [];
  const hold = (name: string) => {
    const leave = places.enter('a');
    const keep = places.spare('a', () => {
      given.push(name);
      keep();
      leave();
    });
    return keep;
  };
  hold('first');
  hold('second');
  places.enter('b');
  assert.deepEqual(given, []);
  places.enter('a');
  assert.deepEqual([given, places.count('a')], [['first'], 2]);
  places.enter('a');
  assert.deepEqual([given, places.count('a')], [['first', 'second'], 2]);
  refused(places, 'a');
});

test('a limit that is set counts at once, and what is open counts before there is one', () => {
  let max: number | null = null;
  const places = new TenantPlaces('streams', () => max);
  const leave = places.enter('a');
  places.enter('a');
  max = 2;
  refused(places, 'a');
  leave();
  places.enter('a');
  max = 1;
  refused(places, 'a');
  max = null;
  places.enter('a');
  assert.equal(places.count('a'), 3);
});
