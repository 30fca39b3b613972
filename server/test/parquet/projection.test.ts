import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Field } from '../../src/arrow/field.ts';
import { projectionOf } from '../../src/parquet/projection.ts';
import { assertTook } from '../support/machine-pace.ts';

function field(name: string, ...children: readonly Field[]): Field {
  const kind = children.length > 0 ? 'struct' : 'bool';
  return { name, nullable: true, type: { kind }, children, dictionary: null, metadata: [] };
}

test('the columns that the library gives for a name are known', () => {
  const plain = ['a', 'b', 'ab', 'a'].map((name) => field(name));
  assert.deepEqual(projectionOf(plain, [1, 0]), { names: ['b', 'a'], given: [0, 1, 3] });
  assert.deepEqual(projectionOf(plain, [2]), { names: ['ab'], given: [2] });
  const dotted = [field('a.b'), field('a'), field('a.'), field('b', field('c'))];
  assert.deepEqual(projectionOf(dotted, [1]), { names: ['a'], given: [0, 1, 2] });
  assert.deepEqual(projectionOf(dotted, [0]), { names: ['a.b'], given: [0] });
  assert.deepEqual(projectionOf(dotted, [3]), { names: ['b'], given: [3] });
});

test('all columns are read if a name would give a part of one, or cannot be given', () => {
  const struct = field('a', field('b'), field('c'));
  assert.equal(projectionOf([struct, field('a.b')], [1]), null);
  assert.deepEqual(projectionOf([struct, field('a.b')], [0]), { names: ['a'], given: [0, 1] });
  assert.equal(projectionOf([field('')], [0]), null);
  assert.equal(projectionOf([field('a')], []), null);
});

test('names with dots are compared in linear time', () => {
  const fields = Array.from({ length: 30_000 }, (_, index) => field(`a.column.${index}`));
  const begun = performance.now();
  const even = [...fields.keys()].filter((index) => index % 2 === 0);
  assert.deepEqual(projectionOf(fields, even)?.given, even);
  assertTook(performance.now() - begun, 2_000);
});
