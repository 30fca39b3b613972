import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NamePattern } from '../../../src/sql/catalog/name-pattern.ts';
import { assertTook } from '../../support/machine-pace.ts';

const cases: readonly (readonly [pattern: string, matching: readonly string[], other: readonly string[]])[] =
  [
    ['prices', ['prices', 'Prices'], ['price', 'prices2', '']],
    ['PRI%', ['pri', 'prices'], ['apri']],
    ['%ces', ['ces', 'prices', 'cesces'], ['ce', 'cesx']],
    ['a%b%c', ['abc', 'aXbYc', 'abbcc'], ['acb', 'ab']],
    ['a_c', ['abc', 'a_c'], ['ac', 'abbc']],
    ['a\\_c', ['a_c'], ['abc']],
    ['100\\%', ['100%'], ['1000']],
    ['\\\\', ['\\'], ['']],
    ['x\\', ['x\\'], ['x']],
    ['', [''], ['a']],
    ['%', ['', 'anything'], []],
    ['_', ['é', '😀'], ['', 'ab']],
  ];
for (const [pattern, matching, other] of cases) {
  test(`the pattern ${JSON.stringify(pattern)} finds what it should`, () => {
    const made = new NamePattern(pattern);
    assert.deepEqual(
      matching.filter((name) => !made.matches(name)),
      [],
    );
    assert.deepEqual(
      other.filter((name) => made.matches(name)),
      [],
    );
  });
}

test('a pattern knows what its matches begin with', () => {
  assert.equal(new NamePattern('Pri\\_ce%s').prefix, 'pri_ce');
  assert.equal(new NamePattern('_x').prefix, '');
});

test('a pattern of many wildcards takes no longer than its length times the name', () => {
  const pattern = new NamePattern(`${'%a'.repeat(500)}b`);
  const started = performance.now();
  assert.equal(pattern.matches('a'.repeat(128)), false);
  assertTook(performance.now() - started, 100);
});
