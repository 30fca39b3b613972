import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BenchmarkCase, Sample } from '../../../bench/suite/benchmark-case.ts';
import { caseResult } from '../../../bench/suite/case-result.ts';
import { figureText, secondsText } from '../../../bench/suite/figure-text.ts';
import type { Machine } from '../../../bench/suite/machine.ts';
import { ratioPlot } from '../../../bench/suite/page/ratio-plot.ts';
import { resultPage } from '../../../bench/suite/page/result-page.ts';
import { resultTable } from '../../../bench/suite/table.ts';

const machine: Machine = {
  at: '2026-01-02T03:04:05.000Z',
  commit: 'abc1234',
  processor: 'Any <processor>',
  cores: 2,
  memoryGigabytes: 24,
  node: 'v24.0.0',
  load: 0.5,
};
const size = { scale: 1, rounds: 1, loadSeconds: 1 };

function result(name: string, ratio: number, more: Partial<BenchmarkCase> = {}) {
  const benchmark: BenchmarkCase = {
    name,
    title: `Title of ${name}`,
    quantity: 'cpu',
    unit: 'CPU s/GB',
    peer: 'A & B',
    targets: [{ of: 'ratio', atMost: 2 }],
    ...more,
  };
  const sample = (cpuSeconds: number): Sample => ({ work: 1, seconds: 1, cpuSeconds, peakMegabytes: 321 });
  return caseResult(benchmark, { framehold: [sample(ratio)], peer: [sample(1)] });
}

test('the page needs nothing from elsewhere', () => {
  const page = resultPage(machine, size, [result('one', 1.5), result('two', 3)]);
  assert.match(page, /<svg /);
  assert.doesNotMatch(page, /<script|<link|\bsrc=|url\(|@import|https?:/);
});

test('texts are escaped', () => {
  const page = resultPage(machine, size, [result('one', 1.5)]);
  assert.ok(page.includes('Any &lt;processor>'));
  assert.ok(page.includes('beside A &amp; B'));
});

test('rates and costs are apart, and misses are counted', () => {
  const rate = result('fast', 2, { quantity: 'rate', targets: [] });
  const page = resultPage(machine, size, [rate, result('one', 1.5), result('two', 3)]);
  assert.ok(page.includes('3 cases, 1 miss a target'));
  assert.ok(page.indexOf('Title of fast') < page.indexOf('further to the left is better'));
  assert.ok(page.indexOf('Title of one') > page.indexOf('further to the left is better'));
});

test('a page of a run that failed in part says so', () => {
  assert.ok(resultPage(machine, size, [], ['exp']).includes('Not measured: exp failed'));
  assert.doesNotMatch(resultPage(machine, size, [result('one', 1)]), /Not measured/);
});

test('a bar reaches from the peer to the ratio, with the target beside', () => {
  const plot = ratioPlot('Costs', [result('one', 4)]);
  const number = (pattern: RegExp) => Number(pattern.exec(plot)?.[1]);
  const one = number(/x1="([\d.]+)"[^>]*class="peer"/);
  const left = number(/<rect x="([\d.]+)"/);
  const width = number(/<rect [^>]*width="([\d.]+)"/);
  const target = number(/x1="([\d.]+)"[^>]*class="target"/);
  assert.equal(left, one);
  // On a logarithmic axis 2 is half way from 1 to 4.
  assert.ok(Math.abs(target - (one + width / 2)) < 0.2, `${one} ${width} ${target}`);
  assert.match(plot, /class="bar missed"/);
});

test('the table has a line a case, in columns', () => {
  const [head, one, two] = resultTable([result('one', 1.5), result('two', 3)]).split('\n');
  assert.match(head ?? '', /^case +Framehold +peer/);
  assert.match(one ?? '', /^one +1\.50 +1\.00 +CPU s\/GB +1\.50 .* 321 .* ≤ 2 +met$/);
  assert.match(two ?? '', / MISSED$/);
  assert.equal(one?.indexOf('≤ 2'), two?.indexOf('≤ 2'));
});

test('figures have three digits or all before the point', () => {
  assert.deepEqual([0.05123, 3.456, 99.95, 26_496.4, 0, Number.NaN].map(figureText), [
    '0.0512',
    '3.46',
    '100.0',
    '26,496',
    '0',
    '–',
  ]);
  assert.deepEqual([2, 0.0125, 0.000083].map(secondsText), ['2.00 s', '12.5 ms', '83.0 µs']);
});
