import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sample } from '../../../bench/suite/benchmark-case.ts';
import { type GrowthWorkload, growthValues } from '../../../bench/suite/growth/growth-axis.ts';
import { growthSeries, relativeGrowth } from '../../../bench/suite/growth/growth-series.ts';

const points = (...both: readonly (readonly [number, number])[]) =>
  both.map(([framehold, peer], index) => ({ x: 10 ** index, framehold, peer }));

test('what grows as its peer does has a relative growth of 1', () => {
  assert.equal(relativeGrowth(points([2, 1], [20, 10], [200, 100])), 1);
});

test('what comes nearer to its peer has no growth', () => {
  assert.equal(relativeGrowth(points([10, 1], [20, 10], [30, 100])), 1);
});

test('what grows faster is found, also if it is slower at the start or better again at the end', () => {
  assert.equal(relativeGrowth(points([2, 1], [60, 10])), 3);
  assert.equal(relativeGrowth(points([8, 1], [10, 10], [400, 100], [1_000, 1_000])), 4);
});

test('a figure below the clock’s tick says nothing', () => {
  assert.equal(relativeGrowth(points([0, 1], [1, 1], [2, 0], [3, 1])), 3);
});

test('without a figure of the peer, Framehold is compared with itself', () => {
  assert.equal(relativeGrowth(points([1, Number.NaN], [5, Number.NaN])), 5);
});

test('the values are powers of ten, or also three times these, with the end of the range', () => {
  assert.deepEqual(growthValues([1_000, 1_000_000], 1), [1_000, 10_000, 100_000, 1_000_000]);
  assert.deepEqual(growthValues([1, 100], 2), [1, 3, 10, 30, 100]);
  assert.deepEqual(growthValues([1, 20], 1), [1, 10, 20]);
  assert.deepEqual(growthValues([1, 1], 1), [1]);
});

test('a series has the medians of the rounds, and is a finding above one and a half', () => {
  const workload: GrowthWorkload = {
    name: 'put',
    title: 'Put',
    peer: 'another',
    unit: 'put',
    quantities: ['cpu'],
  };
  const samples = (...cpus: readonly number[]): Sample[] =>
    cpus.map((cpuSeconds) => ({ work: 2, seconds: 1, cpuSeconds, peakMegabytes: 1 }));
  const series = (last: number) =>
    growthSeries({ name: 'rows', label: 'rows' }, workload, 'cpu', [
      { x: 1, framehold: samples(4, 2, 100), peer: samples(2) },
      { x: 10, framehold: samples(last), peer: samples(2) },
    ]);
  assert.deepEqual(series(6).points[0], { x: 1, framehold: 2, peer: 1 });
  assert.equal(series(6).isFinding, false);
  assert.equal(series(6.1).isFinding, true);
  assert.equal(series(6).yLabel, 'CPU s per put');
});
