import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leftBy, runsOf } from '../../../src/catalog/rules/ended-versions.ts';
import { endedVersions } from './rows.ts';

for (const [versions, runs] of [
  [[], []],
  [[4], [[4, 4]]],
  [[1, 2, 3], [[1, 3]]],
  [
    [1, 2, 4, 7, 8],
    [
      [1, 2],
      [4, 4],
      [7, 8],
    ],
  ],
] as const)
  test(`ended versions ${versions.join(', ') || '(none)'} as runs`, () => {
    assert.deepEqual(runsOf(endedVersions(...versions)), runs);
  });

test('ended versions leave each of their logs and schemas once', () => {
  const ended = [
    { version: 1, log: 1, schema_id: 7 },
    { version: 2, log: 1, schema_id: 8 },
    { version: 3, log: 3, schema_id: 7 },
  ];
  assert.deepEqual(leftBy(ended), { logs: new Set([1, 3]), schemas: new Set([7, 8]) });
});
