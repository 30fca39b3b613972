import assert from 'node:assert/strict';
import { test } from 'node:test';
import { queryOfDefinitions } from '../../../src/engine/duckdb/statement/column-definitions.ts';
import type { FrameholdError } from '../../../src/model/errors.ts';
import { assertTook } from '../../support/machine-pace.ts';

test('CREATE TABLE of columns is a query with these columns and no rows', () => {
  const types = [
    ['a INTEGER', 'CAST(NULL AS INTEGER) AS "a"'],
    ['"b c" VARCHAR(20)', 'CAST(NULL AS VARCHAR(20)) AS "b c"'],
    ['d DECIMAL(18, 4) NULL', 'CAST(NULL AS DECIMAL(18, 4)) AS "d"'],
    ['e TIMESTAMP WITH TIME ZONE', 'CAST(NULL AS TIMESTAMP WITH TIME ZONE) AS "e"'],
    ['g STRUCT(x INTEGER, "y z" VARCHAR[])', 'CAST(NULL AS STRUCT(x INTEGER, "y z" VARCHAR[])) AS "g"'],
    ["h ENUM('a)', 'b,')", "CAST(NULL AS ENUM('a)', 'b,')) AS \"h\""],
    ['i MAP(VARCHAR, DATE) /* a, map */', 'CAST(NULL AS MAP(VARCHAR, DATE)) AS "i"'],
    ['k DECIMAL -- of\n (9, 2)', 'CAST(NULL AS DECIMAL -- of\n (9, 2)) AS "k"'],
  ] as const;
  const sql = `CREATE OR REPLACE TABLE main.made (${types.map(([written]) => written).join(',\n ')}\n);`;
  const casts = types.map(([, cast]) => cast).join(', ');
  assert.equal(queryOfDefinitions(sql), `CREATE OR REPLACE TABLE main.made AS SELECT ${casts} WHERE false`);
  for (const other of [
    'SELECT 1',
    'CREATE TABLE t AS SELECT 1',
    'CREATE VIEW v (a) AS SELECT 1',
    'INSERT INTO t (a) VALUES (1)',
  ])
    assert.equal(queryOfDefinitions(other), null, other);
});

test('a hundred thousand columns are read in a moment', () => {
  const names = Array.from({ length: 100_000 }, (_, index) => `c${index} INTEGER`);
  const began = performance.now();
  assert.match(queryOfDefinitions(`CREATE TABLE t (${names.join()})`) ?? '', /AS "c99999" WHERE false$/);
  assertTook(performance.now() - began, 2_000);
});

const invalid: readonly (readonly [string, RegExp])[] = [
  ['CREATE TABLE x ()', /name of a column/],
  ['CREATE TABLE x (a INTEGER, A DATE)', /named twice/],
  ['CREATE TABLE x (a INTEGER', /does not end/],
  ['CREATE TABLE x (a)', /no type/],
  ['CREATE TABLE x (a INTEGER; b DATE)', /semicolon/],
];
for (const [text, message] of invalid)
  test(`not valid: ${text}`, () => {
    assert.throws(
      () => queryOfDefinitions(text),
      (error: FrameholdError) => error.kind === 'sql_invalid' && message.test(error.message),
    );
  });
