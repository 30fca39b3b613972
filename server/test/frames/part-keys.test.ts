import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrowKey, laterKey, parquetKey } from '../../src/frames/part-keys.ts';

test('an object that takes the place of another has a key that no object of the form had', () => {
  const arrow = arrowKey('tenant', 'abc');
  assert.equal(laterKey(arrow, 1), 'tenant/abc.1.arrow');
  assert.equal(laterKey(laterKey(arrow, 1), 1), 'tenant/abc.2.arrow');
  let keys = [0, 1, 2].map((index) => parquetKey(arrow, index));
  const seen = new Set(keys);
  for (let round = 0; round < 3; round++) {
    keys = keys.map((key) => laterKey(key, keys.length));
    for (const key of keys) {
      assert.equal(seen.has(key), false, key);
      seen.add(key);
    }
  }
});

test('Parquet keys do not depend on whether the Arrow form was packed', () => {
  assert.equal(parquetKey('tenant/abc.1.arrow', 4), parquetKey('tenant/abc.arrow', 4));
});
