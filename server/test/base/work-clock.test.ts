import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WorkClock } from '../../src/base/work-clock.ts';
import { patienceMs } from '../support/patience.ts';

test('what earlier runs have used counts for the limit', async () => {
  const ended = Promise.withResolvers<void>();
  const clock = new WorkClock(2 * patienceMs, 2 * patienceMs - 1, () => ended.resolve());
  assert.equal(clock.workedMs, 2 * patienceMs - 1);
  clock.run();
  await ended.promise;
  assert.ok(clock.workedMs >= 2 * patienceMs - 1);
  clock.stand();
  const { workedMs } = clock;
  assert.equal(clock.workedMs, workedMs, 'it stands');
});

test('a limit that is used up ends a statement as soon as it works', async () => {
  const ended = Promise.withResolvers<void>();
  const clock = new WorkClock(10, 5_000, () => ended.resolve());
  clock.run();
  await ended.promise;
  clock.stand();
  assert.ok(clock.workedMs >= 5_000);
});
