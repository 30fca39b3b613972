import assert from 'node:assert/strict';
import { test } from 'node:test';
import { areDue, foundDamage, leavingKeys } from '../../../src/catalog/rules/damage.ts';
import { foundPart, objectRow } from './rows.ts';

const arrow = { kind: 'arrow', objects: [], exact: true } as const;
const parquet = { kind: 'parquet', objects: [], exact: true } as const;

for (const [what, kind, forms, found] of [
  ['Arrow alone', 'arrow', [arrow], { refusesTranscoding: true, recovered: false }],
  ['Parquet alone', 'parquet', [parquet], { refusesTranscoding: false, recovered: false }],
  ['Arrow beside Parquet', 'arrow', [arrow, parquet], { refusesTranscoding: false, recovered: true }],
  ['Parquet beside Arrow', 'parquet', [arrow, parquet], { refusesTranscoding: false, recovered: true }],
  [
    'Arrow beside Parquet that is not exact',
    'arrow',
    [arrow, { ...parquet, exact: false }],
    { refusesTranscoding: false, recovered: false },
  ],
  [
    'Arrow beside damaged Parquet',
    'arrow',
    [arrow, { ...parquet, damaged: true }],
    { refusesTranscoding: false, recovered: false },
  ],
] as const)
  test(`damage is found in ${what}`, () => {
    assert.deepEqual(foundDamage(kind, forms), found);
  });

const part = foundPart([
  objectRow('arrow', 'a'),
  objectRow('parquet', 'p', true),
  objectRow('parquet', 'q'),
  objectRow('replaced', 'r', true),
]);

for (const [what, key, kind, instead, keys] of [
  ['a damaged form', 'p', 'parquet', ['a'], ['p', 'q']],
  ['an object of a form that was replaced', 'r', 'replaced', ['a'], ['r']],
  ['a form while the part is read from others', 'p', 'parquet', ['b'], null],
  ['a form while the part is read from more', 'p', 'parquet', ['a', 'b'], null],
] as const)
  test(`what goes with ${what}`, () => {
    assert.deepEqual(leavingKeys(key, kind, part, instead), keys);
  });

for (const [what, found, isDue] of [
  ['all of it long ago', [1, 2], true],
  ['some of it lately', [1, 3], false],
  ['none of it', [], false],
] as const)
  test(`damage was found: ${what}`, () => {
    assert.equal(
      areDue(
        found.map((found_at) => ({ key: 'p', fault: 'other bytes', found_at })),
        2,
      ),
      isDue,
    );
  });
