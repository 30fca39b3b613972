import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { fromDuckdb } from '../../../src/engine/duckdb/duckdb-errors.ts';

const states = {
  'select nope from t': '42703',
  'select t.nope from t': '42703',
  'select nope.a from t': '42P01',
  'select * from nowhere': '42P01',
  'select no_function(1)': '42883',
  'select * from no_function(1)': '42883',
  'select sum(s) from t': '42883',
  "select 'x'::nope": '42704',
  'select a from t x join t y on true': '42702',
  'select a, count(*) from t': '42803',
  'selec 1': undefined,
  "select 'x'::int": '22P02',
  "select '{bad'::json": '22P02',
  'select 99999::smallint': '22003',
  'select 9223372036854775807::bigint * 2': '22003',
  "select '2024-13-01'::date": '22008',
  "select 'zzz'::timestamp": '22007',
} as const;

test('errors of the engine have the SQLSTATE with which PostgreSQL says the same', async () => {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run('create table t (a integer, s varchar)');
  const found: Record<string, string | undefined> = {};
  for (const text of Object.keys(states))
    found[text] = await connection.runAndReadAll(text).then(
      () => 'no error',
      (thrown: unknown) => fromDuckdb(thrown, { phase: 'bind', showsLine: true, paths: [] }).sqlState,
    );
  connection.closeSync();
  instance.closeSync();
  assert.deepEqual(found, states);
});
