import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BenchmarkCase, Sample, Sides } from '../../../bench/suite/benchmark-case.ts';
import { caseResult } from '../../../bench/suite/case-result.ts';
import { measureCase } from '../../../bench/suite/measure-case.ts';
import { together } from '../../../bench/suite/python-worker.ts';

const rate: BenchmarkCase = {
  name: 'reads',
  title: 'reads',
  quantity: 'rate',
  unit: 'requests/s',
  peer: 'another',
  targets: [{ of: 'ratio', atLeast: 0.5 }],
};

function sample(work: number, seconds: number, cpuSeconds = 1, more: Partial<Sample> = {}): Sample {
  return { work, seconds, cpuSeconds, peakMegabytes: 100, ...more };
}

test('the ratio of a rate is Framehold’s rate as a share of the peer’s', () => {
  const result = caseResult(rate, { framehold: [sample(300, 2)], peer: [sample(200, 1)] });
  assert.equal(result.framehold.value.median, 150);
  assert.equal(result.peer.value.median, 200);
  assert.equal(result.ratio.median, 0.75);
  assert.equal(result.verdict, 'met');
});

test('the ratios of time, CPU time and memory compare what one unit of work takes', () => {
  const samples = {
    framehold: [sample(2, 8, 6, { peakMegabytes: 300 })],
    peer: [sample(1, 2, 2, { peakMegabytes: 150 })],
  };
  const ratioOf = (quantity: BenchmarkCase['quantity']) =>
    caseResult({ ...rate, quantity }, samples).ratio.median;
  assert.equal(ratioOf('time'), 2);
  assert.equal(ratioOf('cpu'), 1.5);
  assert.equal(ratioOf('memory'), 2);
});

test('ratios are taken round by round, so that a busy moment that met both cancels out', () => {
  const framehold = [sample(100, 1), sample(50, 1), sample(10, 1)];
  const peer = [sample(200, 1), sample(100, 1), sample(20, 1)];
  const result = caseResult(rate, { framehold, peer });
  assert.deepEqual(result.ratio, { low: 0.5, median: 0.5, high: 0.5 });
  assert.equal(result.spread, 0);
});

test('the CPU ratio is less if Framehold takes less for the same work, also if a rate is compared', () => {
  const result = caseResult(rate, { framehold: [sample(100, 1, 1)], peer: [sample(50, 1, 1)] });
  assert.equal(result.cpuRatio, 0.5);
});

test('memory is the highest of all rounds, and p99 the median of those that have one', () => {
  const framehold = [
    sample(1, 1, 1, { peakMegabytes: 90, p99Ms: 5 }),
    sample(1, 1, 1, { peakMegabytes: 120, p99Ms: 7 }),
  ];
  const result = caseResult(rate, { framehold, peer: [sample(1, 1), sample(1, 1)] });
  assert.equal(result.framehold.peakMegabytes, 120);
  assert.equal(result.framehold.p99Ms, 6);
  assert.equal(result.peer.p99Ms, null);
});

test('memory of the process itself is limited, not that of the processes that it started', () => {
  const benchmark: BenchmarkCase = { ...rate, targets: [{ of: 'ownMegabytes', atMost: 400 }] };
  const verdict = (more: Partial<Sample>) =>
    caseResult(benchmark, { framehold: [sample(1, 1, 1, more)], peer: [sample(1, 1)] }).verdict;
  assert.equal(verdict({ peakMegabytes: 600, ownMegabytes: 400 }), 'met');
  assert.equal(verdict({ peakMegabytes: 600, ownMegabytes: 401 }), 'missed');
  assert.equal(verdict({ peakMegabytes: 300 }), 'missed');
});

test('sides with different numbers of rounds are no result', () => {
  assert.throws(() => caseResult(rate, { framehold: [sample(1, 1)], peer: [] }), /1 rounds of Framehold, 0/);
});

test('rounds alternate who comes first, and the first one is not counted', async () => {
  const order: string[] = [];
  const side = (name: string, work: number) => async (round: number) => {
    order.push(`${name} ${round}`);
    return sample(round === 0 ? 1_000_000 : work, 1);
  };
  const sides: Sides = { framehold: side('framehold', 30), peer: side('peer', 10) };
  const result = await measureCase(rate, sides, { scale: 1, rounds: 2, loadSeconds: 1 });
  assert.deepEqual(order, ['peer 0', 'framehold 0', 'framehold 1', 'peer 1', 'peer 2', 'framehold 2']);
  assert.equal(result.framehold.samples.length, 2);
  assert.equal(result.ratio.median, 3);
});

test('workers that work at once count as one: work, CPU time and memory are added, time is that of the slowest', () => {
  assert.deepEqual(together([sample(10, 2, 1), sample(20, 3, 2)]), {
    work: 30,
    seconds: 3,
    cpuSeconds: 3,
    peakMegabytes: 200,
  });
});
