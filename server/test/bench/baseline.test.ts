import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareWithBaseline, readBaseline } from '../../../bench/suite/baseline.ts';
import { chooseCases } from '../../../bench/suite/choose-cases.ts';
import { allFamilies } from '../../../bench/suite/families/all-families.ts';

const baseline = { cpuRatios: { reads: 2 } };

test('a ratio may be up to 30 % worse', () => {
  assert.equal(compareWithBaseline('reads', 2.6, baseline).outcome, 'kept');
  assert.equal(compareWithBaseline('reads', 2.61, baseline).outcome, 'worse');
  assert.equal(compareWithBaseline('reads', 0.5, baseline).outcome, 'kept');
  assert.equal(compareWithBaseline('reads', 3, baseline).growth, 1.5);
});

test('a ratio that is not a number is worse', () => {
  assert.equal(compareWithBaseline('reads', Number.NaN, baseline).outcome, 'worse');
});

test('a case that the baseline lacks does not pass', () => {
  const { outcome, before } = compareWithBaseline('writes', 1, baseline);
  assert.equal(outcome, 'unknown');
  assert.equal(before, null);
});

test('the committed baseline has exactly the cases of the share, each with a ratio', () => {
  const share = chooseCases(allFamilies, [], ({ inShare }) => inShare === true).flatMap(({ cases }) => cases);
  const { cpuRatios } = readBaseline();
  assert.deepEqual(Object.keys(cpuRatios).sort(), share.map(({ name }) => name).sort());
  for (const [name, ratio] of Object.entries(cpuRatios)) assert.ok(ratio > 0, name);
});

test('a case is chosen by its name or by the beginning of it', () => {
  const names = (given: readonly string[]) =>
    chooseCases(allFamilies, given).flatMap(({ cases }) => cases.map(({ name }) => name));
  assert.deepEqual(names(['put-csv']), ['put-csv']);
  assert.deepEqual(names(['transcode', 'exp']), ['exp-csv', 'exp-ndjson', 'exp-parquet', 'transcode']);
  assert.ok(names([]).length > 15);
  assert.throws(() => names(['pu']), /no case pu; there are exec-held/);
});

test('no two cases have the same name', () => {
  const names = allFamilies.flatMap(({ cases }) => cases.map(({ name }) => name));
  assert.equal(new Set(names).size, names.length);
});
