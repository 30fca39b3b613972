import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pruningOf, pruningRounds, retentionOf, versionsKept } from '../../../src/catalog/rules/retention.ts';
import { start } from '../change-builder.ts';
import { endedVersions, liveName } from './rows.ts';

for (const [what, versionsKeep, since, rounds] of [
  ['a number of versions', 3, null, { surplus: 3, 'own surplus': 3, pins: start }],
  ['no version but the newest', 0, null, { surplus: 1, 'own surplus': 1, pins: start }],
  ['an age too', 3, start - 9, { surplus: 3, 'own surplus': 3, age: start - 9, pins: start }],
] as const)
  test(`a sweep that keeps ${what}`, () => {
    const found = pruningRounds(retentionOf(versionsKeep, since), start);
    assert.deepEqual(
      found.map(({ due, limit }) => [due, limit]),
      Object.entries(rounds),
    );
  });

for (const [setting, kept] of [
  [null, 3],
  [7, 7],
  [1, 1],
] as const)
  test(`a name with the setting ${setting}`, () => {
    assert.equal(versionsKept(liveName({ versions_keep: setting }), retentionOf(3, null)), kept);
  });

const [one, two, three] = endedVersions(1, 2, 3);
for (const [what, pins, pruning] of [
  ['nothing is pinned', [], { ended: [one, two, three], left: [], pinsUntil: null }],
  ['one is pinned', [{ version: 2, until: 9 }], { ended: [one, three], left: [2], pinsUntil: 9 }],
  [
    'some are pinned',
    [
      { version: 3, until: 8 },
      { version: 1, until: 9 },
    ],
    { ended: [two], left: [1, 3], pinsUntil: 8 },
  ],
  [
    'another one is pinned',
    [{ version: 4, until: 9 }],
    { ended: [one, two, three], left: [], pinsUntil: null },
  ],
] as const)
  test(`a prune of surplus versions: ${what}`, () => {
    assert.deepEqual(pruningOf(endedVersions(1, 2, 3), pins), pruning);
  });
