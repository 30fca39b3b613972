import assert from 'node:assert/strict';
import { test } from 'node:test';
import { goneKeptMs } from '../../../src/catalog/memory-times.ts';
import { frameGone, frameNotFound } from '../../../src/catalog/refusals.ts';
import {
  listedVersionsMax,
  requireSpelling,
  requireUnexpired,
  suggesting,
  suggestsVersions,
} from '../../../src/catalog/rules/resolve.ts';
import { start } from '../change-builder.ts';
import { endedName, expiredName, liveName, outcomeOf } from './rows.ts';

const live = liveName();
const ended = endedName();

for (const [what, row, name, outcome] of [
  ['no name', undefined, 'kept', 'frame_not_found'],
  ['a live name', live, 'kept', live],
  ['a live name in another spelling', live, 'Kept', 'frame_not_found'],
  ['an ended name', ended, 'kept', ended],
] as const)
  test(`a version is wanted of ${what}`, () => {
    assert.deepEqual(
      outcomeOf(() => requireSpelling(row, name, 1, start)),
      outcome,
    );
  });

test('a live name is suggested in its spelling, an ended one is not', () => {
  for (const [row, hint] of [
    [live, /"kept" exists/],
    [ended, /^(?!.*exists)/],
  ] as const)
    assert.throws(
      () => requireSpelling(row, 'Kept', 1, start),
      (error: { hint?: string }) => hint.test(error.hint ?? ''),
    );
});

for (const [what, row, now, outcome] of [
  ['that is live', live, start, undefined],
  ['that expires later', liveName({ expires_at: start + 1 }), start, undefined],
  ['that has expired', expiredName(), start, 'frame_gone'],
  ['that expired long ago', expiredName(), start + goneKeptMs, 'frame_not_found'],
] as const)
  test(`a version of a name ${what}`, () => {
    assert.equal(
      outcomeOf(() => requireUnexpired(row, 1, now)),
      outcome,
    );
  });

test('only a live name has other versions to suggest', () => {
  const absence = frameNotFound('kept', 9);
  assert.equal(suggestsVersions(absence, live, start), true);
  assert.equal(suggestsVersions(absence, expiredName(), start), false);
  assert.equal(suggestsVersions(new Error('no refusal'), live, start), false);
});

test('the versions that a name has are suggested, or that there are more of them', () => {
  const absence = frameGone('kept', 1, 'superseded', start);
  const all = suggesting(absence, live, [3, 2]);
  assert.deepEqual([all.kind, all.message], [absence.kind, absence.message]);
  assert.match(all.hint ?? '', /^It has the versions 2, 3\./);
  const many = Array.from({ length: listedVersionsMax }, (_, index) => listedVersionsMax - index);
  assert.match(suggesting(absence, live, many).hint ?? '', /^Its newest versions are 1 to 1000\./);
});
