import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  compactedSchema,
  type LogPartRow,
  type PlacedPart,
  placedRun,
  replacesRun,
  runToCompact,
} from '../../../src/catalog/rules/compaction.ts';
import { attemptUsableMs } from '../../../src/model/attempt-times.ts';
import { orderedId } from '../../../src/model/handle.ts';
import { partOf, start } from '../change-builder.ts';
import { outcomeOf } from './rows.ts';

const limits = { partBytesMax: 100, runBytesMax: 1000, runPartsMin: 2, runPartsMax: 10, growthMin: 2 };

function logPart(seq: number, apart: LogPartRow['apart'] = false): LogPartRow {
  return { part_id: `part-${seq}`, seq, size: 10, apart };
}

for (const [what, parts, versionEnd, run] of [
  ['small neighbours', [logPart(0), logPart(1), logPart(4)], null, [0, 1, 4]],
  ['neighbours up to the end of a version', [logPart(0), logPart(1), logPart(2)], 1, [0, 1]],
  ['nothing around a part that stays as it is', [logPart(0), logPart(1, true), logPart(2)], null, null],
  ['the same if the database has no booleans', [logPart(0), logPart(1, 1), logPart(2, 0)], null, null],
  ['nothing of one part', [logPart(0)], null, null],
] as const)
  test(`of a log are compacted: ${what}`, () => {
    const found = runToCompact(parts, ({ seq }) => seq === versionEnd, limits);
    assert.deepEqual(found?.map(({ seq }) => seq) ?? null, run);
  });

for (const [what, readers, hash] of [
  ['nothing', [], null],
  [
    'one log, its shortest version first',
    [
      ['1', 'a'],
      ['1', 'b'],
    ],
    'a',
  ],
  [
    'two logs with one schema',
    [
      ['1', 'a'],
      ['2', 'a'],
    ],
    'a',
  ],
  [
    'two logs with two schemas',
    [
      ['1', 'a'],
      ['2', 'b'],
    ],
    null,
  ],
] as const)
  test(`the schema of compacted parts that are read by ${what}`, () => {
    assert.equal(compactedSchema(readers.map(([log, each]) => ({ log: Number(log), hash: each }))), hash);
  });

function placed(part_id: string, seq: number, fields: Partial<PlacedPart> = {}): PlacedPart {
  return { part_id, name_id: 1, log: 2, seq, first_row: 10 * seq, rows: 10, ...fields };
}

const compacted = partOf(20);
const old = { ...partOf(20), id: orderedId() };
const run = { name_id: 1, log: 2, first: 3, last: 5, count: 2, firstRow: 30, rows: 20 };
const afterLong = Date.now() + attemptUsableMs + 60_000;

for (const [what, part, found, now, outcome] of [
  ['are there', compacted, [placed('b', 5), placed('a', 3)], start, run],
  ['were compacted before', compacted, [placed(compacted.id, 5)], start, 'done'],
  ['were compacted long before', old, [placed(old.id, 5)], afterLong, 'done'],
  [
    'are there, but the attempt is too old',
    old,
    [placed('a', 3), placed('b', 5)],
    afterLong,
    'request_timeout',
  ],
  ['are there in part', compacted, [placed('a', 3)], start, null],
  ['have gone', compacted, [], start, null],
  ['are in another order', compacted, [placed('a', 5), placed('b', 3)], start, null],
  ['are in two logs', compacted, [placed('a', 3), placed('b', 5, { log: 9 })], start, null],
  ['are of two names', compacted, [placed('a', 3), placed('b', 5, { name_id: 9 })], start, null],
] as const)
  test(`the parts of a compaction ${what}`, () => {
    assert.deepEqual(
      outcomeOf(() => placedRun(['a', 'b'], part, found, now)),
      outcome,
    );
  });

for (const [what, found, part, outcome] of [
  ['neighbours', { count: 2, isCut: false }, compacted, true],
  ['damaged, or have another between them', { count: 1, isCut: false }, compacted, false],
  ['apart for a version that ends between them', { count: 2, isCut: true }, compacted, false],
  ['neighbours, but the part has other rows', { count: 2, isCut: false }, partOf(19), 'internal'],
  ['none any more, whatever rows the part has', { count: 2, isCut: true }, partOf(19), false],
] as const)
  test(`a run that is to be replaced, of parts that are ${what}`, () => {
    assert.equal(
      outcomeOf(() => replacesRun(run, found, part)),
      outcome,
    );
  });
