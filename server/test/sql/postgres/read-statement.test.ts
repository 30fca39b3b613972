import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FrameholdError } from '../../../src/model/errors.ts';
import { readPostgresStatement } from '../../../src/sql/postgres/read-statement.ts';
import { assertTook } from '../../support/machine-pace.ts';

function rewritten(text: string): string {
  const { reads, rewritten } = readPostgresStatement(text);
  assert.equal(reads, 'catalogs', text);
  return (rewritten?.text ?? '').replaceAll(/\s+/g, ' ').replaceAll('( ', '(');
}

describe('who answers a statement', () => {
  const frames = [
    'select 1',
    'select * from trades',
    'select pg_catalog from trades',
    "select 'pg_class' from trades",
    'with pg_class as (select 1) select * from pg_class',
    'select extract(year from now())',
    'select a is distinct from b from trades',
    'select current_date',
  ];
  for (const text of frames) test(text, () => assert.equal(readPostgresStatement(text).reads, 'frames'));

  const catalogs = [
    'select * from pg_class',
    'SELECT * FROM PG_CATALOG.PG_CLASS',
    'select * from "pg_class"',
    'select * from (select * from information_schema.tables) t',
    'select version()',
    'select current_user',
    'select 1 where exists (select 1 from pg_class)',
    'select $1::text::regtype::oid',
    "select 'trades'::regclass",
    'select * from pg_class a, pg_type b join pg_namespace c on true, pg_am',
  ];
  for (const text of catalogs) test(text, () => assert.equal(readPostgresStatement(text).reads, 'catalogs'));

  const both = [
    'select * from trades, pg_class',
    'select (select 1 from pg_class) from trades',
    'select * from trades where exists (select 1 from information_schema.tables)',
  ];
  for (const text of both)
    test(`refused: ${text}`, () =>
      assert.throws(
        () => readPostgresStatement(text),
        (error: unknown) =>
          error instanceof FrameholdError && error.sqlState === '0A000' && error.hint !== undefined,
      ));
});

describe('a statement over frames', () => {
  const cases: readonly (readonly [string, string | null])[] = [
    ['select * from trades t', null],
    ['select * from public.trades', 'select * from "trades"'],
    ['select * from "public"."Trades" t', 'select * from "Trades" t'],
    ['select trades.id from alice.trades', 'select trades.id from "alice:trades" AS "trades"'],
    ["select 'public.trades' from main.trades", null],
  ];
  for (const [text, wanted] of cases)
    test(text, () => assert.equal(readPostgresStatement(text).rewritten?.text ?? null, wanted));

  test('a place in it is that of the original', () => {
    const text = 'select nope from public.trades where x';
    const { rewritten } = readPostgresStatement(text);
    assert.ok(rewritten);
    for (const word of ['nope', 'where', 'x'])
      assert.equal(rewritten.originOf(rewritten.text.lastIndexOf(word)), text.lastIndexOf(word), word);
  });
});

describe('a statement over the catalogs', () => {
  const cases: readonly (readonly [string, string])[] = [
    [
      "select 'pg_class'::regclass::oid from pg_class",
      `pg__to_regclass_oid('pg_class')::pg__regclass::pg__oid`,
    ],
    ['select $1::text::regtype::oid', 'pg__to_regtype_oid($1::VARCHAR)::pg__regtype::pg__oid'],
    ['select c.oid::regclass::text from pg_class c', 'pg__regclass_text(c.oid)::VARCHAR'],
    [
      "select 1 from pg_class where relname operator(pg_catalog.~) 'x' collate pg_catalog.default",
      `relname ~ 'x'`,
    ],
    ["select 1 from pg_class where relkind = any('{r,v}')", `pg__is_any(relkind, ['r', 'v'])`],
    ["select 1 from pg_class where relkind <> all(array['r'])", `(NOT pg__is_any(relkind, array[ 'r']))`],
    ['select count(*) from pg_class', 'count(*) AS "count"'],
    ['select 1, null, RelName from pg_class', '1 AS "?column?", null AS "?column?", relname from'],
    ['select case when true then relname else oid::text end from pg_class', 'end AS "oid" from'],
    ['select s from pg_class, generate_series(1, 2) s', 'unnest(pg__series(1, 2)) AS "s"("s")'],
    ['select * from information_schema.tables', 'from "information_schema.tables" AS "tables"'],
    [
      'select information_schema.tables.table_name from information_schema.tables',
      'select tables.table_name from',
    ],
    ['select \'{a,"b c",NULL}\'::text[] from pg_class', `['a', 'b c', NULL]::VARCHAR[]`],
    ['select current_user', 'select pg__current_user() AS "current_user"'],
  ];
  for (const [text, wanted] of cases)
    test(text, () => {
      const found = rewritten(text);
      assert.ok(found.includes(wanted), found);
    });

  test('a place in it is that of the original', () => {
    const text = 'select c.oid::pg_catalog.regclass::text, nope from pg_catalog.pg_class c';
    const { rewritten } = readPostgresStatement(text);
    assert.ok(rewritten);
    assert.equal(rewritten.originOf(rewritten.text.indexOf('nope')), text.indexOf('nope'));
  });
});

describe('whatever is sent takes time in proportion', () => {
  const pieces = [
    '(',
    'case when 1 then 2 else ',
    "'{a,b}'::text[], ",
    'x::regclass::text::oid, ',
    'a = any(b), ',
    'a.',
    '[',
    ', generate_series(1, 2) s',
    '::oid',
    "'",
    '$a$',
    '/*',
    'from ',
    '"',
  ];
  for (const piece of pieces)
    test(JSON.stringify(piece), () => {
      const text = `select x from pg_class where ${piece.repeat(400_000 / piece.length)}`;
      const began = performance.now();
      try {
        readPostgresStatement(text);
      } catch (thrown) {
        if (!(thrown instanceof FrameholdError)) throw thrown;
      }
      // 400 kB: what looks back at each step takes minutes.
      assertTook(performance.now() - began, 1_000);
    });
});
