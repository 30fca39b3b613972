import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrameholdError } from '../../../src/model/errors.ts';
import { withNulls } from '../../../src/pgwire/session/typed-parameters.ts';
import { columnNames } from '../../../src/pgwire/text/column-names.ts';
import { withHexLiterals } from '../../../src/pgwire/text/hex-literals.ts';
import { listParameters } from '../../../src/pgwire/text/list-parameters.ts';
import { withPlaceOfTable } from '../../../src/pgwire/text/place-of-table.ts';
import { readCommand } from '../../../src/pgwire/text/read-command.ts';

// e2e/postgres compares the names of forty expressions with a real PostgreSQL.
test('columns are named as PostgreSQL names them, around columns whose number only the engine knows', () => {
  const named = (text: string, ...names: string[]) => columnNames(text, names).join(' ');
  assert.equal(
    named('select count(*), t.*, 1 as Last from t', 'count_star()', 'A', 'B', 'Last'),
    'count A B last',
  );
  assert.equal(named('with q as (select 1+1) select max(a) A from q union select 2', 'A'), 'a');
  assert.equal(named('(select max(a) from t)', 'max(a)'), 'max');
  assert.equal(named('select columns(*), sum(a) from t', 'X', 'Y', 'sum(a)'), 'X Y sum');
  assert.equal(named('select "Total", Region from t', 'Total', 'Region'), 'Total Region');
  assert.equal(named('select qualify, max(qualify) from t', 'qualify', 'max("qualify")'), 'qualify max');
  assert.equal(
    named('select max(a), t.qualify, 1 + qualify from t', 'max(a)', 'qualify', '(1 + "qualify")'),
    'max qualify ?column?',
  );
  assert.equal(
    named('from t select *, max(a) over () qualify row_number() over () = 1', 'A', 'max(a) OVER ()'),
    'A max',
  );
  // Not understood: the engine's names are better than wrong ones.
  assert.equal(named('from t', 'A'), 'A');
  assert.equal(named('select a, b', 'A b'), 'A b');
});

test('a statement is described with nulls of the types of its parameters', () => {
  const text = "select json_object('a', $1::text), '$2', $2, $1";
  assert.equal(
    withNulls(text, [25, 1700]),
    "select json_object('a', CAST(NULL AS VARCHAR)::text), '$2', NULL, CAST(NULL AS VARCHAR)",
  );
});

test('a text of nothing but parentheses takes as long as it is long', () => {
  const deep = `select ${'('.repeat(15_000)}1${')'.repeat(15_000)}`;
  assert.deepEqual(columnNames(deep, ['(1)']), ['?column?']);
});

test('bytes that a driver writes as hex digits are the same bytes for the engine, at the same places', () => {
  const text = "select '\\xDEad'::bytea, nope";
  const rewritten = withHexLiterals(text);
  assert.equal(rewritten, "select unhex('DEad')  , nope");
  assert.equal(rewritten.indexOf('nope'), text.indexOf('nope'));
  for (const other of [
    "select '\\xDE\\xAD'::bytea",
    "select '\\xde'",
    "select '\\xdea'::bytea",
    "'a''\\xde'::bytea",
  ])
    assert.equal(withHexLiterals(other), other);
});

test('lists without a stated type are found, and one value in their place', () => {
  const text = 'select 1 from t where id = any($1) and a <> ALL ( $2 ) and b = any($3::int[])';
  assert.deepEqual(listParameters(text, []), {
    numbers: [1, 2],
    textOfValues: 'select 1 from t where id  IN ($1) and a  NOT IN ($2) and b = any($3::int[])',
  });
  assert.deepEqual(listParameters(text, [1016])?.numbers, [2]);
  assert.equal(listParameters('select any($1), x > any($2)', []), null);
});

test('only a query of nothing but functions of the session is answered by the session', () => {
  const text = "select pg_catalog.current_setting('jit') as cur, set_config('jit', 'off', false), user";
  assert.deepEqual(readCommand(text), {
    kind: 'functions',
    calls: [
      { name: 'current_setting', alias: 'cur', values: ['jit'] },
      { name: 'set_config', alias: null, values: ['jit', 'off', 'false'] },
      { name: 'user', alias: null, values: [] },
    ],
  });
  const others = [
    'select version(), id from t',
    'select version() || 1',
    'select set_config(a, b, c)',
    'select version',
    'select current_setting($1)',
  ];
  for (const other of others) assert.equal(readCommand(other).kind, 'query', other);
});

test('an error about a table has the place of its name behind FROM or JOIN', () => {
  const error = new FrameholdError('frame_not_found', 'There is no frame.', { subject: 'nowhere' });
  const placed = (text: string) => withPlaceOfTable(error, text).place?.position;
  assert.equal(placed('select nowhere from a join NOWHERE on true'), 27);
  assert.equal(placed('select 1 from a, "nowhere"'), 17);
  assert.equal(placed('select nowhere'), undefined);
});
