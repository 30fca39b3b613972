import assert from 'node:assert/strict';
import { test } from 'node:test';
import { distinctNames } from '../../src/encode/distinct-names.ts';
import { assertTook } from '../support/machine-pace.ts';

test('a name that was there before gets a number that no other name has', () => {
  assert.deepEqual(distinctNames(['a', 'A', '', 'b']), ['a', 'A', '', 'b']);
  assert.deepEqual(distinctNames(['a', 'a', 'a_1', 'a', '', '']), ['a', 'a_2', 'a_1', 'a_3', '', '_1']);
});

test('it takes linear time, whatever the names are', () => {
  const count = 100_000;
  const suffixed = Array.from({ length: count }, (_, index) => `k_${index + 1}`);
  const begun = performance.now();
  const distinct = distinctNames([...Array<string>(count).fill('k'), ...suffixed]);
  assert.equal(new Set(distinct).size, 2 * count);
  assert.equal(distinct[1], `k_${count + 1}`);
  assertTook(performance.now() - begun, 2_000);
});
