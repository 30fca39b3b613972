import assert from 'node:assert/strict';
import { test } from 'node:test';
import { processorTime, startOwnClock, stolenShare } from '../../../scripts/stolen-time.ts';

test('a clock counts the share of the time that the machine had', () => {
  let elapsedMs = 500;
  let processor = { stolen: 100, whole: 1_000 };
  const clock = startOwnClock(
    () => elapsedMs,
    () => processor,
  );
  assert.equal(clock(), 0);
  elapsedMs += 8_000;
  processor = { stolen: 100, whole: 2_600 };
  assert.equal(clock(), 8_000);
  // Half of what followed was stolen: a quarter of all.
  elapsedMs += 8_000;
  processor = { stolen: 900, whole: 4_200 };
  assert.equal(clock(), 12_000);
});

test('nothing is stolen where nobody counts', () => {
  assert.equal(stolenShare({ stolen: 0, whole: 0 }, { stolen: 0, whole: 0 }), 0);
  const { stolen, whole } = processorTime();
  assert.ok(stolen >= 0 && stolen <= whole);
});
