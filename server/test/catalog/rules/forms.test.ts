import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  arrowReplacement,
  firstFormOf,
  formAddition,
  formValue,
  isEvictable,
  isTranscodedByRefusal,
} from '../../../src/catalog/rules/forms.ts';
import type { PartForm } from '../../../src/model/version.ts';
import { parquetPartOf, partOf } from '../change-builder.ts';
import { foundPart, objectRow } from './rows.ts';

function form(kind: PartForm['kind'], ...keys: readonly string[]): PartForm {
  return { kind, objects: keys.map((key) => ({ key, bytes: 10, sha256: 'sum' })), exact: true };
}

const arrowOnly = foundPart([objectRow('arrow', 'a')]);
const both = foundPart([objectRow('arrow', 'a'), objectRow('parquet', 'p')]);
const parquetOnly = foundPart([objectRow('parquet', 'p')]);
const damaged = foundPart([objectRow('arrow', 'a'), objectRow('parquet', 'p', true)]);
const replaced = foundPart([
  objectRow('arrow', 'a'),
  objectRow('parquet', 'q'),
  objectRow('replaced', 'p', true),
]);

for (const [what, part, given, outcome] of [
  [
    'a form that the part does not have',
    arrowOnly,
    form('parquet', 'p'),
    { part: arrowOnly, replacesDamaged: false },
  ],
  ['the same form again', both, form('parquet', 'p'), 'same'],
  ['a form that another one has added', both, form('parquet', 'q'), 'late'],
  ['a form with more objects', both, form('parquet', 'p', 'q'), 'late'],
  ['a form of a part that has gone', undefined, form('parquet', 'p'), 'late'],
  [
    'a form in place of a damaged one',
    damaged,
    form('parquet', 'q'),
    { part: damaged, replacesDamaged: true },
  ],
  ['the damaged form again', damaged, form('parquet', 'p'), 'same'],
  ['a form that replaced a damaged one', replaced, form('parquet', 'r'), 'late'],
] as const)
  test(`to add ${what}`, () => {
    assert.deepEqual(formAddition(part, given), outcome);
  });

for (const [what, part, outcome] of [
  ['the Arrow that is there', both, both],
  ['Arrow that was replaced by others', foundPart([objectRow('arrow', 'other')]), 'late'],
  ['Arrow that is replaced already', foundPart([objectRow('arrow', 'packed')]), 'same'],
  ['Arrow that has gone', parquetOnly, 'late'],
  ['Arrow of a part that has gone', undefined, 'late'],
] as const)
  test(`to replace ${what}`, () => {
    assert.deepEqual(arrowReplacement(part, 'a', 'packed'), outcome);
  });

for (const [what, part, isEvicted] of [
  ['both forms', both, true],
  ['Arrow alone', arrowOnly, false],
  ['Parquet alone', parquetOnly, false],
  ['Parquet that is not exact', { ...both, parquet_exact: 0 }, false],
  ['a damaged object', damaged, false],
  ['a damaged object of a form that was replaced', replaced, false],
] as const)
  test(`whether Arrow may go, of a part with ${what}`, () => {
    assert.equal(isEvictable(part), isEvicted);
  });

for (const [what, part, isTranscoded] of [
  ['is not transcoded', arrowOnly, true],
  ['was refused before', { ...arrowOnly, refusal: 'too deep' }, false],
  ['is transcoded', both, false],
  ['has gone', undefined, false],
] as const)
  test(`a refusal transcodes a part that ${what}`, () => {
    assert.equal(isTranscodedByRefusal(part), isTranscoded);
  });

test('a form is told by its bytes, or by whether it is exact', () => {
  assert.equal(formValue(form('arrow', 'a', 'b')), 20);
  assert.equal(formValue(form('parquet', 'a', 'b')), 1);
  assert.equal(formValue({ ...form('parquet', 'a'), exact: false }), 0);
});

test('a part begins with the form in which it came', () => {
  for (const [part, first] of [
    [partOf(10, 100), { kind: 'arrow', bytes: 100, arrowBytes: 100, parquetExact: null }],
    [parquetPartOf(10, 100, 'acme', 2), { kind: 'parquet', bytes: 200, arrowBytes: null, parquetExact: 1 }],
  ] as const) {
    const { kind, bytes, arrowBytes, parquetExact } = firstFormOf(part);
    assert.deepEqual({ kind, bytes, arrowBytes, parquetExact }, first);
  }
});
