import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearestName, suggest } from '../../src/base/nearest-name.ts';
import { assertTook } from '../support/machine-pace.ts';

test('names up to two letters away are suggested, the nearest first', () => {
  const known = ['limit', 'columns', 'cursor'];
  for (const [name, near] of [
    ['limt', 'limit'],
    ['Limit', 'limit'],
    ['limits', 'limit'],
    ['timid', 'limit'],
    ['colunms', 'columns'],
    ['cursr', 'cursor'],
    ['limit', 'limit'],
    ['litmus', undefined],
    ['', undefined],
    ['l', undefined],
    ['limitlimit', undefined],
  ] as const)
    assert.equal(nearestName(name, known), near, name);
  assert.equal(nearestName('tradse', ['trader', 'trades']), 'trader', 'the first of equals');
  assert.equal(nearestName('trade', ['tradings', 'trades']), 'trades');
  assert.equal(suggest('limt', known), ' Did you mean limit?');
  assert.equal(suggest('nothing', known), '');
});

test('two hundred long names are compared in a moment', () => {
  const known = Array.from(
    { length: 200 },
    (_, index) => `${'a'.repeat(124)}${String(index).padStart(4, '0')}`,
  );
  nearestName(`${'a'.repeat(124)}zzzz`, known);
  const began = performance.now();
  assert.equal(nearestName(`${'a'.repeat(124)}zzzz`, known), undefined);
  assertTook(performance.now() - began, 100);
});
