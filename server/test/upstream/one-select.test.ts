import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FrameholdError } from '../../src/model/errors.ts';
import { oneSelect } from '../../src/upstream/one-select.ts';

const accepted: readonly (readonly [query: string, select: string])[] = [
  ['select 1', 'select 1'],
  [' SELECT 1 ; ', ' SELECT 1'],
  ['with x as (select 1 a) select * from x', 'with x as (select 1 a) select * from x'],
  ['(select 1) union (select 2)', '(select 1) union (select 2)'],
  ["select ';)' from t where a = 'it''s'", "select ';)' from t where a = 'it''s'"],
  ['select "a;b" from "odd)name"', 'select "a;b" from "odd)name"'],
  ["select 'back\\' from t", "select 'back\\' from t"],
  ['select 1 -- ; drop table t', 'select 1'],
  ["select /* ' ; ( */ 1", 'select             1'],
  ['-- first\nselect 1', '        \nselect 1'],
  ["select '-- no comment' x", "select '-- no comment' x"],
];

const refused: readonly string[] = [
  '',
  ' ; ',
  '-- only a comment',
  'insert into t values (1)',
  'drop table t',
  'update t set a = 1',
  'alter table t add column b int',
  "copy t to 'file'",
  "copy t from 'file'",
  'truncate table t',
  'rename table t to u',
  'checkpoint create',
  'create table u as (select 1)',
  '/* x */ drop table t',
  'select 1; drop table t',
  'select 1;; drop table t',
  'select 1;;',
  '; select 1',
  'select 1) limit 1; drop table t; select * from (select 1',
  'select 1) union all (select 2',
  'select (1',
  "select 'open",
  'select "open',
  'select 1 /* open',
  'select 1 /* /* nested */ ; drop table t */',
  'explain select 1',
  'show tables',
  'trades',
  '"trades"',
  'declare @a := 1 select @a',
  "'select' drop table t",
];

describe('one select', () => {
  for (const [query, select] of accepted) {
    it(`is taken: ${JSON.stringify(query)}`, () => assert.equal(oneSelect(query), select));
  }

  for (const query of refused) {
    it(`is refused: ${JSON.stringify(query)}`, () =>
      assert.throws(
        () => oneSelect(query),
        (error: FrameholdError) => error.kind === 'sql_refused',
      ));
  }
});
