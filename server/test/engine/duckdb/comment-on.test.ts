import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { parsePrefix } from '../../../src/engine/duckdb/statement/statement-prefix.ts';
import type { FrameholdError } from '../../../src/model/errors.ts';
import { assertTook } from '../../support/machine-pace.ts';

const texts = [
  "'plain'",
  "''",
  "'it''s'",
  "''''",
  "'''a'''",
  "'a\\n -- no escape'",
  "'$$ /* no comment */'",
  "'Größe 👍'",
  '$$dollars$$',
  "$$it's$$",
  '$tag$ with $$ inside $tag$',
  '$$$$',
  'NULL',
  'null',
];
const beginnings = [
  ['COMMENT ON TABLE t IS', null],
  ['comment on table "t" is', null],
  ['COMMENT ON TABLE /* which */ framehold.main.t IS --\n', null],
  ['COMMENT ON COLUMN t."a b" IS', 'a b'],
  ['COMMENT ON COLUMN main.t.plain IS', 'plain'],
] as const;

test('COMMENT ON means what DuckDB understands', async () => {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(
    'ATTACH \':memory:\' AS framehold; USE framehold; CREATE TABLE t ("a b" INTEGER, plain DATE)',
  );
  for (const [beginning, column] of beginnings)
    for (const [index, text] of texts.entries()) {
      const sql = `${beginning} ${text}${[';', '', ' -- end'][index % 3]}`;
      await connection.run(sql);
      const { kind, target } = parsePrefix(sql);
      assert.deepEqual([kind, target?.name, target?.comment?.column], ['comment', 't', column], sql);
      const found = await connection.runAndReadAll(
        column === null
          ? "SELECT comment FROM duckdb_tables() WHERE table_name = 't'"
          : `SELECT comment FROM duckdb_columns() WHERE column_name = '${column}'`,
      );
      // As PostgreSQL, a comment without a character is none.
      const comment = found.value(0, 0);
      assert.equal(target?.comment?.text, comment === '' ? null : comment, sql);
    }
  connection.disconnectSync();
  instance.closeSync();
});

test('what is no comment on a table or a column is left to the parser, which refuses it', () => {
  for (const sql of [
    "COMMENT ON VIEW t IS 'x'",
    "COMMENT ON TABLE t IS E'x'",
    "COMMENT ON TABLE t IS x'00'",
    'COMMENT ON TABLE t IS 1',
    'COMMENT ON TABLE t IS "x"',
    "COMMENT ON TABLE t IS 'x",
    "COMMENT ON TABLE t IS 'x''",
    "COMMENT ON TABLE t IS '",
    'COMMENT ON TABLE t IS $$x$',
    "COMMENT ON TABLE t IS 'a' 'b'",
    "COMMENT ON TABLE t IS 'x'; SELECT 1",
    "COMMENT ON COLUMN a IS 'x'",
    "COMMENT ON COLUMN t. IS 'x'",
    "COMMENT ON TABLE t 'x'",
  ])
    assert.equal(parsePrefix(sql).kind, 'query', sql);
  for (const sql of ["COMMENT ON TABLE other.t IS 'x'", "COMMENT ON COLUMN a.b.c.d IS 'x'"])
    assert.throws(
      () => parsePrefix(sql),
      (error: FrameholdError) => error.kind === 'sql_refused',
      sql,
    );
});

test('a comment of 250,000 quotes is read in a moment', () => {
  const began = performance.now();
  const sql = `COMMENT ON TABLE t IS '${"''".repeat(250_000)}'`;
  assert.equal(parsePrefix(sql).target?.comment?.text?.length, 250_000);
  assertTook(performance.now() - began, 1_000);
});
