import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BacklogCount } from '../../../src/frames/background/backlog.ts';

const counted = { untranscodedParts: 1, untranscodedBytes: 9, uncompactedLogs: 0, garbageObjects: 0 };

test('the backlog is counted once for all who ask within ten seconds', async () => {
  let asked = 0;
  let now = 100_000;
  const backlog = async () => {
    asked += 1;
    return { ...counted, untranscodedSince: 40_000 };
  };
  const count = new BacklogCount({ backlog }, () => now);
  const [first, second] = await Promise.all([count.count(), count.count()]);
  assert.equal(first.untranscodedOldestMs, 60_000);
  assert.equal(second, first);
  now += 9_999;
  assert.equal(await count.count(), first);
  assert.equal(asked, 1);
  now += 1;
  assert.equal((await count.count()).untranscodedOldestMs, 70_000);
  assert.equal(asked, 2);
});

test('nothing that waits has no age, and neither has what another clock has added', async () => {
  const ages = [null, 2_000].map(async (untranscodedSince) => {
    const backlog = async () => ({ ...counted, untranscodedSince });
    return (await new BacklogCount({ backlog }, () => 1_000).count()).untranscodedOldestMs;
  });
  assert.deepEqual(await Promise.all(ages), [0, 0]);
});
