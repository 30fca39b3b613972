import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RowRange, rowRanges } from '../../../src/frames/locality/row-ranges.ts';

/** In order, without gap or overlap, none empty, all rows. */
function assertWhole(ranges: readonly RowRange[], rows: number, what: string): void {
  let next = 0;
  for (const { offset, limit } of ranges) {
    assert.equal(offset, next, `${what}: a gap or an overlap at row ${next}`);
    assert.ok(Number.isSafeInteger(limit) && limit > 0, `${what}: a range of ${limit} rows`);
    next += limit;
  }
  assert.equal(next, rows, `${what}: rows in all`);
}

test('ranges hold every row once, for any number of rows, ranges and parts', () => {
  let seed = 20;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed % below;
  };
  for (let round = 0; round < 5_000; round++) {
    const parts = Array.from({ length: 1 + random(12) }, () => random(round % 3 === 0 ? 4 : 1_000));
    const rows = parts.reduce((sum, part) => sum + part, 0);
    if (rows === 0) continue;
    const countMax = 1 + random(64);
    const ranges = rowRanges(rows, countMax, parts);
    const what = `${rows} rows of [${parts.join()}] in ${countMax}`;
    assert.equal(ranges.length, Math.min(rows, countMax), what);
    assertWhole(ranges, rows, what);
    const size = rows / ranges.length;
    for (const { limit } of ranges) assert.ok(limit <= size * 1.5 + 1, `${what}: one has ${limit}`);
  }
});

test('a version without rows has one range, so that its schema can be read', () => {
  assert.deepEqual(rowRanges(0, 8, []), [{ offset: 0, limit: 0 }]);
  assert.deepEqual(rowRanges(0, 8, [0, 0]), [{ offset: 0, limit: 0 }]);
});

test('borders fall on the ends of parts that are near', () => {
  const limits = rowRanges(400, 4, [90, 120, 100, 90]).map(({ limit }) => limit);
  assert.deepEqual(limits, [90, 120, 100, 90]);
});

test('borders stay where they are if no part ends near them', () => {
  const limits = rowRanges(400, 4, [60, 340]).map(({ limit }) => limit);
  assert.deepEqual(limits, [100, 100, 100, 100]);
});

test('the number of rows may be as large as a whole number can be', () => {
  const rows = Number.MAX_SAFE_INTEGER;
  assertWhole(rowRanges(rows, 64, []), rows, 'the largest number');
});
