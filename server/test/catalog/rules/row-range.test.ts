import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FoundForRange, type PositionRow, rowsBetween } from '../../../src/catalog/rules/row-range.ts';
import { liveName, outcomeOf } from './rows.ts';

/** Version 9 appends to 8, which restored 3; 1 to 7 were appended. */
const name = liveName({ newest: 9, next_version: 10 });
const lineage = [
  { version: 9, first: 8, base: 3 },
  { version: 3, first: 1, base: null },
];
const at = (version: number, rows: number): PositionRow => ({ version, version_id: `id-${version}`, rows });
const read = at(9, 90);

function range(
  after: number,
  until: number | null,
  found: Partial<FoundForRange> = {},
): readonly number[] | string | null {
  const outcome = outcomeOf(() =>
    rowsBetween(
      { after, until },
      { name, read, lineage, after: undefined, until: undefined, earliest: 2, ...found },
    ),
  );
  if (outcome === null || typeof outcome === 'string') return outcome;
  const { version, until: end, firstRow, endRow } = outcome;
  assert.equal(outcome.versionId, `id-${version}`);
  assert.equal(outcome.untilId, `id-${end}`);
  return [version, end, firstRow, endRow];
}

for (const [what, actual, expected] of [
  ['all rows', range(0, null), [9, 9, 0, 90]],
  ['the newest rows', range(8, null, { after: at(8, 30) }), [9, 9, 30, 90]],
  ['none yet', range(9, null, { after: read }), [9, 9, 90, 90]],
  ['what came after a version that was restored', range(3, null, { after: at(3, 30) }), [9, 9, 30, 90]],
  ['rows up to a version that is kept', range(8, 9, { after: at(8, 30) }), [9, 9, 30, 90]],
  [
    'rows up to a version that is not kept',
    range(1, 3, { after: at(1, 10), until: at(3, 30) }),
    [9, 3, 10, 30],
  ],
  ['up to one that is not kept, of which nothing is known', range(1, 3, { after: at(1, 10) }), null],
  ['up to one that is not kept, and was not continued', range(1, 5, { until: at(5, 50) }), null],
  ['after one that was not continued', range(5, null, { after: at(5, 50) }), 'not_append_only'],
  ['after one that is not known any more', range(1, null), 'position_unknown'],
  ['after one that will come', range(10, null), 'frame_not_found'],
  [
    'after one before a run whose beginning is not known',
    range(2, null, { lineage: [{ version: 9, first: 8, base: 7 }] }),
    'position_unknown',
  ],
  [
    'after one before everything was replaced',
    range(2, null, { lineage: [{ version: 9, first: 8, base: null }] }),
    'not_append_only',
  ],
  [
    'after the newest one, which was dropped',
    range(9, null, { read: at(3, 30), lineage: lineage.slice(1) }),
    'not_append_only',
  ],
] as const)
  test(`rows between versions: ${what}`, () => assert.deepEqual(actual, expected));
