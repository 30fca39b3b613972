import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  arrowForm,
  exactForm,
  exactObjects,
  exactParquetForm,
  fillRowGroups,
  parquetForm,
} from '../../src/model/part-forms.ts';
import type { PartForm, PartRecord } from '../../src/model/version.ts';

const objects = [{ key: 'a', bytes: 1, sha256: '' }];
const arrow: PartForm = { kind: 'arrow', exact: true, objects };
const exact: PartForm = { kind: 'parquet', exact: true, objects };
const inexact: PartForm = { kind: 'parquet', exact: false, objects };
const damaged = (form: PartForm): PartForm => ({ ...form, damaged: true });
const part = (...forms: PartForm[]): PartRecord => ({ id: 'p', rows: 1, forms });

test('readers take Arrow, and Parquet only if it is exact', () => {
  assert.equal(exactForm(part(arrow, exact)), arrow);
  assert.equal(exactForm(part(exact, arrow)), arrow);
  assert.equal(exactForm(part(exact)), exact);
  assert.equal(exactForm(part(damaged(arrow), exact)), exact);
  assert.equal(exactForm(part(damaged(arrow), inexact)), undefined);
  assert.deepEqual(exactObjects(part(damaged(arrow))), []);
});

test('SQL takes Parquet, exact or not; transcoding starts from Arrow', () => {
  assert.equal(parquetForm(part(arrow, inexact)), inexact);
  assert.equal(parquetForm(part(arrow)), undefined);
  assert.equal(parquetForm(part(arrow, damaged(exact))), undefined);
  assert.equal(arrowForm(part(exact)), undefined);
  assert.equal(arrowForm(part(damaged(arrow), exact)), undefined);
});

test('exports copy Parquet that is exact, unless it is many small files', () => {
  assert.equal(exactParquetForm(part(arrow, exact)), exact);
  assert.equal(exactParquetForm(part(arrow, inexact)), undefined);
  assert.equal(exactParquetForm(part(arrow, damaged(exact))), undefined);
  assert.ok(fillRowGroups(1, 1) && fillRowGroups(8, 8) && fillRowGroups(40, 200));
  assert.ok(!fillRowGroups(9, 9) && !fillRowGroups(1_000, 1_000));
});
