import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tickText } from '../../../bench/suite/page/growth-plot.ts';
import { logScale, logTicks, niceCeiling, niceFloor } from '../../../bench/suite/page/scale.ts';

test('equal factors have equal lengths', () => {
  const scale = logScale([1, 100], [0, 200]);
  assert.deepEqual(scale.domain, [1, 100]);
  assert.equal(scale.at(1), 0);
  assert.equal(Math.round(scale.at(10)), 100);
  assert.equal(Math.round(scale.at(100)), 200);
});

test('a scale may run downwards, as that of an upright axis does', () => {
  const scale = logScale([1, 100], [300, 100]);
  assert.equal(Math.round(scale.at(10)), 200);
});

test('the domain is widened to whole ticks, and what lies outside is drawn at its edge', () => {
  const scale = logScale([0.27, 6.9], [0, 100]);
  assert.deepEqual(scale.domain, [0.2, 10]);
  assert.equal(Math.round(scale.at(1_000)), 100);
  assert.equal(scale.at(0), 0);
});

test('figures that have no logarithm do not spoil the scale', () => {
  assert.deepEqual(logScale([0, Number.NaN, Number.POSITIVE_INFINITY, 5], [0, 1]).domain, [5, 50]);
  assert.deepEqual(logScale([], [0, 1]).domain, [1, 10]);
});

test('ticks get fewer as the range grows', () => {
  assert.deepEqual(logTicks(0.2, 10), [0.2, 0.5, 1, 2, 5, 10]);
  assert.deepEqual(logTicks(1_000, 1_000_000), [1_000, 10_000, 100_000, 1_000_000]);
  assert.deepEqual(logTicks(1, 1e9), [1, 1e3, 1e6, 1e9]);
});

test('limits of axes are 1, 2 or 5 times a power of ten', () => {
  assert.deepEqual([0.11, 1, 2.1, 5.5, 1_000].map(niceCeiling), [0.2, 1, 5, 10, 1_000]);
  assert.deepEqual([0.19, 1, 4.9, 9.9, 1_000].map(niceFloor), [0.1, 1, 2, 5, 1_000]);
});

test('ticks are written short', () => {
  assert.deepEqual([0.002, 1, 500, 1_000, 20_000, 1e8, 1e9].map(tickText), [
    '0.002',
    '1',
    '500',
    '1k',
    '20k',
    '100M',
    '1G',
  ]);
});
