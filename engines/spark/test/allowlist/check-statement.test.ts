import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { checkStatement } from '../../src/allowlist/check-statement.ts';
import { allowlistVocabulary } from '../../src/allowlist/vocabulary.ts';
import { legalStatements } from './legal-statements.ts';
import { refusalOf } from './refused.ts';

suite('what is sent', () => {
  test('tables become views of the statement, and keep their names as aliases', () => {
    const { text, tables } = checkStatement(
      'select trades.price, o.x from trades, `acme:orders@3` o, TRADES tablesample (5 rows)',
    );
    assert.deepEqual(tables, ['trades', 'acme:orders@3']);
    assert.equal(
      text,
      'select trades . price , o . x from fh_0 AS `trades` , fh_1 o , fh_0 tablesample ( 5 rows ) AS `TRADES`',
    );
  });

  test('comments, line ends and semicolons are gone, and tokens stay apart', () => {
    const { text } = checkStatement('select 1--a\n-/* b */-2,\t\tx\r\nfrom t;;');
    assert.equal(text, 'select 1 - - 2 , x from fh_0 AS `t`');
  });

  test('a CTE hides a frame only where it is seen', () => {
    const { text, tables } = checkStatement(
      'with a as (select * from t), t as (select * from a) select *, (with a as (select 1) select * from a) from t, u',
    );
    assert.deepEqual(tables, ['t', 'u']);
    assert.equal(
      text,
      'with fh_c0 as ( select * from fh_0 AS `t` ) , fh_c1 as ( select * from fh_c0 AS `a` ) select * , ' +
        '( with fh_c2 as ( select 1 ) select * from fh_c2 AS `a` ) from fh_c1 AS `t` , fh_1 AS `u`',
    );
  });

  test('a CTE with the name of a view or of another CTE hides neither', () => {
    const { text, tables } = checkStatement(
      'with fh_0 as (select 1), fh_c0 as (select 2) select * from fh_0, fh_c0, fh_1',
    );
    assert.deepEqual(tables, ['fh_1']);
    assert.equal(
      text,
      'with fh_c0 as ( select 1 ) , fh_c1 as ( select 2 ) select * from fh_c0 AS `fh_0` , fh_c1 AS `fh_c0` , fh_0 AS `fh_1`',
    );
  });

  test('a back-quote in a name stays one', () => {
    const { text, tables } = checkStatement('select * from `a``b`');
    assert.deepEqual(tables, ['a`b']);
    assert.equal(text, 'select * from fh_0 AS `a``b`');
  });

  test('each token knows where it was in the statement', () => {
    const sql = "select '😀', -- é\n  price from trades";
    const { text, places } = checkStatement(sql);
    const pairs = Array.from({ length: places.length / 2 }, (_, index) => {
      const [here, there] = places.subarray(2 * index, 2 * index + 2);
      return [text.slice(here).split(' ')[0], sql.slice(there).split(/[\s,]/)[0]];
    });
    assert.deepEqual(pairs, [
      ['select', 'select'],
      ["'😀'", "'😀'"],
      [',', ''],
      ['price', 'price'],
      ['from', 'from'],
      ['fh_0', 'trades'],
      ['AS', 'trades'],
    ]);
  });
});

suite('what is answered', () => {
  test('a syntax error has its place in the statement, behind comments too', () => {
    const { kind, place } = refusalOf("select '😀', /* é */\n  from from t t t");
    assert.equal(kind, 'sql_invalid');
    assert.equal(place?.line, 2);
  });

  test('a refusal has its place in the statement, in UTF-16 code units', () => {
    const { kind, place, hint } = refusalOf("select '😀',\n  rand() from t");
    assert.equal(kind, 'sql_refused');
    assert.deepEqual(place, { position: 15, line: 2, column: 3 });
    assert.match(hint ?? '', /row_number/);
  });

  test('statements that are no queries say what to do instead', () => {
    for (const [sql, hint] of [
      ['create table x as select 1', /"into"/],
      ['insert into x select 1', /"into"/],
      ['drop table x', /DELETE \/v1\/frames/],
      ['explain select 1', /default engine/],
      ["select * from tsdb('select 1')", /"into"/],
      ['select 1; select 2', /by itself/],
    ] as const) {
      const error = refusalOf(sql);
      assert.equal(error.kind, 'sql_refused', sql);
      assert.match(error.hint ?? '', hint, sql);
    }
  });

  test('an empty statement is invalid', () => {
    for (const sql of ['', ' ', '-- nothing', ';']) assert.equal(refusalOf(sql).kind, 'sql_invalid', sql);
  });
});

suite('limits', () => {
  const wide = (count: number, part: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => part(index));
  const cases: readonly (readonly [what: string, most: string, more: string])[] = [
    [
      'tables behind doubling CTEs',
      `with a0 as (select 1 x from t)${wide(8, (n) => `, a${n + 1} as (select l.x from a${n} l, a${n} r)`).join('')} select * from a8`,
      `with a0 as (select 1 x from t)${wide(9, (n) => `, a${n + 1} as (select l.x from a${n} l, a${n} r)`).join('')} select * from a9`,
    ],
    [
      'columns behind doubling stars',
      `with a0 as (select * from t)${wide(6, (n) => `, a${n + 1} as (select *, * from a${n})`).join('')} select * from a6`,
      `with a0 as (select * from t)${wide(7, (n) => `, a${n + 1} as (select *, * from a${n})`).join('')} select * from a7`,
    ],
    [
      'expressions that double in CTEs',
      `with a0 as (select x from t)${wide(12, (n) => `, a${n + 1} as (select x + x as x from a${n})`).join('')} select * from a12`,
      `with a0 as (select x from t)${wide(13, (n) => `, a${n + 1} as (select x + x as x from a${n})`).join('')} select * from a13`,
    ],
    [
      'expressions that double in one SELECT',
      `select x + x as y0${wide(11, (n) => `, y${n} + y${n} as y${n + 1}`).join('')} from t`,
      `select x + x as y0${wide(12, (n) => `, y${n} + y${n} as y${n + 1}`).join('')} from t`,
    ],
    [
      'operators in a row',
      `select ${wide(513, () => '1').join(' + ')}`,
      `select ${wide(514, () => '1').join(' + ')}`,
    ],
    ['signs in a row', `select ${'- '.repeat(120)}1`, `select ${'- '.repeat(130)}1`],
    [
      'levels of a type',
      `select cast(x as ${'array<'.repeat(16)}int${'>'.repeat(16)})`,
      `select cast(x as ${'array<'.repeat(17)}int${'>'.repeat(17)})`,
    ],
    [
      'groupings',
      'select 1 from t group by cube(1,2,3,4,5,6,7,8,9)',
      'select 1 from t group by cube(1,2,3,4,5,6,7,8,9,10)',
    ],
    ['rows of range', 'select * from range(10000000)', 'select * from range(10000001)'],
    ['elements of sequence', 'select sequence(1, 100001)', 'select sequence(1, 100002)'],
    ['digits of round', 'select round(x, 400) from t', 'select round(x, 401) from t'],
    ['length of repeat', "select repeat('a', 10000)", "select repeat('a', 10001)"],
  ];
  for (const [what, most, more] of cases)
    test(`${what}: as many as allowed, and no more`, () => {
      assert.equal(checkStatement(most).kind, 'query');
      assert.equal(refusalOf(more).kind, 'sql_refused');
    });
});

test('slow work on constants is refused within other expressions, where Spark does it on the driver', () => {
  const slow = "regexp_replace('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!', '(a+)+b', '')";
  const loop = 'aggregate(array(1, 2), 0, (acc, x) -> acc + x)';
  for (const sql of [
    `select x rlike ${slow} from t`,
    `select percentile(x, length(${slow})) from t`,
    `select date_trunc(${slow}, x) from t`,
    `select get_json_object(x, ${slow}) from t`,
    `select * from t where ${slow} = 'x'`,
    `select abs(${loop}) from t`,
    "select if('aaaaaaaaaaaaaaaaaaaaaa!' rlike '(a+)+$', 1, 2) from t",
    "select length('aaa' like 'b%') from t",
    'select percentile(x, abs(0.5)) from t',
    "select listagg(x, upper(',')) from t",
  ])
    assert.equal(refusalOf(sql).kind, 'sql_refused', sql);
  for (const sql of [
    `select ${slow}, ${loop} as l`,
    'select abs(aggregate(tags, 0, (acc, x) -> acc + x)) from t',
    "select if(name rlike '(a+)+$', 1, 2) from t where name like 'a%'",
    'select percentile(x, array(0.5, 0.9)), percentile_cont(0.5) within group (order by x) from t',
    "select filter(transform(tags, x -> upper(x)), x -> x like 'A%') from t",
  ])
    assert.equal(checkStatement(sql).kind, 'query', sql);
});

test('whole numbers beside a column are BIGINTs, so that files can be skipped by their statistics', () => {
  for (const [sql, sent] of [
    ['select id from t where id < 100', 'id < 100L'],
    ['select id from t where -5 <= t.id and id between 1 and 20', '- 5L <= t . id AND id BETWEEN 1L AND 20L'],
    ['select id from t where id in (1, 2) and id + 1 > 3', 'id IN ( 1 , 2 ) AND id + 1 > 3'],
    ['select id from t where id < 9999999999999999999', 'id < 9999999999999999999'],
    ['select id from t where id < 1.5 and id < 7S and 1 < 2', 'id < 1.5 AND id < 7S AND 1 < 2'],
  ] as const)
    assert.ok(
      checkStatement(sql).text.toUpperCase().endsWith(sent.toUpperCase()),
      `${sql}: ${checkStatement(sql).text}`,
    );
});

test('every legal statement passes', () => {
  for (const sql of legalStatements) assert.equal(checkStatement(sql).kind, 'query', sql);
});

test('what is sent passes as it is, if its views were frames', () => {
  for (const sql of legalStatements) {
    const { text, tables } = checkStatement(sql);
    const again = checkStatement(text);
    assert.equal(again.tables.length, tables.length, sql);
  }
});

test('every function of the vocabulary can be called', () => {
  const { functions, keywords } = allowlistVocabulary();
  assert.ok(functions.length > 350 && keywords.includes('QUALIFY') && keywords.includes('SELECT'));
  for (const { name, kind } of functions)
    assert.equal(
      checkStatement(kind === 'table' ? `select * from ${name}()` : `select ${name}()`).kind,
      'query',
    );
});
