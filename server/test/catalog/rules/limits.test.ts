import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkQuota } from '../../../src/catalog/rules/quota.ts';
import { checkSaved } from '../../../src/catalog/rules/saved-queries.ts';
import { checkShares, sharesMax } from '../../../src/catalog/rules/shares.ts';
import { outcomeOf } from './rows.ts';

const both = { framesMax: 2, bytesMax: 10 };
const none = { framesMax: null, bytesMax: null };

for (const [what, usage, quota, created, outcome] of [
  ['at the limits', { frames: 2, bytes: 10 }, both, true, undefined],
  ['with one name more', { frames: 3, bytes: 10 }, both, true, 'quota_exceeded'],
  ['with one name more, by a change of another', { frames: 3, bytes: 10 }, both, false, undefined],
  ['with one byte more', { frames: 2, bytes: 11 }, both, false, 'quota_exceeded'],
  ['without limits', { frames: 3, bytes: 11 }, none, true, undefined],
] as const)
  test(`a tenant ${what}`, () => {
    assert.equal(
      outcomeOf(() => checkQuota(usage, quota, created)),
      outcome,
    );
  });

for (const [what, size, isCreated, outcome] of [
  ['at the limits', { count: 2, bytes: 10 }, true, undefined],
  ['with one more', { count: 3, bytes: 10 }, true, 'quota_exceeded'],
  ['with one more, by a change of another', { count: 3, bytes: 10 }, false, undefined],
  ['with one byte more', { count: 2, bytes: 11 }, false, 'quota_exceeded'],
] as const)
  test(`saved queries ${what}`, () => {
    assert.equal(
      outcomeOf(() => checkSaved(size, { countMax: 2, bytesMax: 10 }, isCreated)),
      outcome,
    );
  });

test('a frame is shared with no more tenants than the limit', () => {
  const readers = Array.from({ length: sharesMax }, (_, index) => `tenant-${index}`);
  assert.equal(
    outcomeOf(() => checkShares(readers.slice(1))),
    undefined,
  );
  assert.equal(
    outcomeOf(() => checkShares(readers)),
    'bad_request',
  );
});
