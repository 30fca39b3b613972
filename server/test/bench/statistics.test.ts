import assert from 'node:assert/strict';
import { test } from 'node:test';
import { median, quantile, rangeOf, spread } from '../../../bench/suite/statistics.ts';

test('the median is the one in the middle, or the mean of the two there, in any order', () => {
  assert.equal(median([9, 1, 5]), 5);
  assert.equal(median([4, 1, 10, 2]), 3);
  assert.equal(median([7]), 7);
  assert.equal(median([]), Number.NaN);
});

test('numbers are ordered as numbers', () => {
  assert.equal(median([10, 9, 100]), 10);
});

test('a quantile lies between its neighbours in proportion', () => {
  assert.equal(quantile([0, 10, 20, 30, 40], 0.25), 10);
  assert.equal(quantile([0, 10], 0.75), 7.5);
  assert.equal(quantile([3, 1, 2], 1), 3);
  assert.equal(quantile([3, 1, 2], 0), 1);
});

test('the spread is the distance of the halves as a share of the median', () => {
  assert.equal(spread([1, 1, 1, 1]), 0);
  assert.equal(spread([8, 9, 11, 12]), 0.3);
  // The one in the middle of an odd number belongs to both halves.
  assert.equal(spread([8, 10, 14]), 0.3);
});

test('a range has the quartiles around the median', () => {
  assert.deepEqual(rangeOf([5, 1, 3, 2, 4]), { low: 2, median: 3, high: 4 });
  assert.deepEqual(rangeOf([2]), { low: 2, median: 2, high: 2 });
});
