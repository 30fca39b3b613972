import assert from 'node:assert/strict';
import { test } from 'node:test';
import { distinctNames } from '../../src/formats/distinct-names.ts';

test('a name that was there before gets a number that no other name has', () => {
  assert.deepEqual(distinctNames(['a', 'A', '', 'b']), ['a', 'A', '', 'b']);
  assert.deepEqual(distinctNames(['a', 'a', 'a_1', 'a', '', '']), ['a', 'a_2', 'a_1', 'a_3', '', '_1']);
});
