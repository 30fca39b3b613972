import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { readPostgresStatement } from '../../../src/sql/postgres/read-statement.ts';
import { duckdbKeywords } from '../../../src/sql/postgres/text/unquoted-names.ts';

const instance = await DuckDBInstance.create(':memory:');
const connection = await instance.connect();
after(() => {
  connection.disconnectSync();
  instance.closeSync();
});

const columns = [...duckdbKeywords].map((word, index) => `${index + 1} AS "${word}"`);
await connection.run(`CREATE TABLE words AS SELECT ${columns.join(', ')}`);
await connection.run(`CREATE TABLE trades AS SELECT TIMESTAMP '2024-02-29 12:30:00' AS "at", 7 AS price`);
for (const word of duckdbKeywords) await connection.run(`CREATE TABLE "${word}" AS SELECT 1 AS x`);

function rewritten(text: string): string | null {
  const { reads, rewritten } = readPostgresStatement(text);
  assert.equal(reads, 'frames', text);
  return rewritten?.text ?? null;
}

describe('a column that DuckDB reserves, and PostgreSQL does not', () => {
  /** W: the word. */
  const forms = [
    'SELECT W FROM words',
    'SELECT 1, W, 2 FROM words',
    'SELECT DISTINCT W FROM words',
    'SELECT DISTINCT ON (W) W FROM words',
    'SELECT words.W FROM words',
    'SELECT abs(W) FROM words',
    'SELECT greatest(1, W, 2) FROM words',
    'SELECT -W + W * W FROM words',
    'SELECT CAST(W AS text), W::text FROM words',
    'SELECT W AS x FROM words',
    'SELECT 1 AS W',
    'SELECT CASE WHEN W > 1 THEN W ELSE W END FROM words',
    'SELECT CASE W WHEN W THEN 1 END FROM words',
    'SELECT 1 FROM words WHERE W > 0 AND NOT W < 0 OR W IS NULL',
    'SELECT 1 FROM words WHERE (W > 0) AND (W IS NOT NULL OR W IN (1, 2)) AND 0 < W',
    'SELECT 1 FROM words WHERE W BETWEEN W AND W',
    "SELECT 1 FROM words WHERE W::text LIKE '%' AND 1 IN (W, 1)",
    'SELECT W, count(*) FROM words GROUP BY W HAVING W > 0 ORDER BY W DESC NULLS LAST, W ASC LIMIT 3',
    'SELECT sum(1) OVER (PARTITION BY W ORDER BY W ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM words',
    'SELECT a.x FROM (SELECT 1 AS x) a JOIN words ON W = W',
    'SELECT [W][1], [1, 2][W:W] FROM words',
    'SELECT * FROM W',
    'SELECT x FROM W WHERE W.x = 1',
    'SELECT W.x FROM W JOIN trades ON true',
    'SELECT W.x FROM trades AS a, W',
    'SELECT count(*) FROM words AS W',
    'WITH W AS (SELECT 1 AS x) SELECT x FROM W',
    'SELECT a.W FROM words a JOIN words b USING (W, at)',
    'SELECT [W for i in [1] if i = 1] FROM words',
    "SELECT '%' LIKE '%' ESCAPE '!', W FROM words ORDER BY W NULLS FIRST",
  ];
  for (const form of forms)
    test(form, async () => {
      for (const word of duckdbKeywords) {
        const plain = form.replaceAll(/\bW\b/g, word);
        const quoted = form.replaceAll(/\bW\b/g, `"${word}"`).replace(', at)', ', "at")');
        const found = await connection.runAndReadAll(rewritten(plain) ?? plain);
        const wanted = await connection.runAndReadAll(quoted);
        assert.deepEqual(found.getRowsJson(), wanted.getRowsJson(), plain);
      }
    });

  const texts: readonly (readonly [string, string])[] = [
    [
      `SELECT DATE_TRUNC('DAY', at) AS at, sum(price) FROM public.trades GROUP BY DATE_TRUNC('DAY', at) ORDER BY at`,
      `SELECT DATE_TRUNC('DAY', "at") AS "at", sum(price) FROM "trades" GROUP BY DATE_TRUNC('DAY', "at") ORDER BY "at"`,
    ],
    [
      `select at at time zone 'UTC', extract(day from at) from trades`,
      `select "at" at time zone 'UTC', extract(day from "at") from trades`,
    ],
    [`select AT from trades where AT > '2024-01-01'`, `select "AT" from trades where "AT" > '2024-01-01'`],
    ['select sum(show) from words', 'select sum("show") from words'],
    [
      'select * from words qualify row_number() over (order by qualify) = 1',
      'select * from words qualify row_number() over (order by "qualify") = 1',
    ],
    ['select -- at\n at /* at */ from trades', 'select -- at\n "at" /* at */ from trades'],
  ];
  for (const [text, wanted] of texts)
    test(text, async () => {
      assert.equal(rewritten(text), wanted);
      await connection.run(wanted);
    });
});

describe("DuckDB's own syntax is left alone", () => {
  const texts = [
    'PIVOT trades ON price USING count(*)',
    'FROM (PIVOT trades ON price USING count(*))',
    'SELECT * FROM trades PIVOT (count(*) FOR price IN (7))',
    'UNPIVOT words ON COLUMNS(*)',
    'SELECT * FROM (SELECT 1 AS a, 2 AS b) UNPIVOT INCLUDE NULLS (v FOR n IN (a, b))',
    'WITH x AS (PIVOT trades ON price USING count(*)) SELECT * FROM x',
    'SELECT * FROM trades QUALIFY row_number() OVER () = 1',
    'FROM trades SELECT * QUALIFY -1 < row_number() OVER ()',
    'SELECT trades.* FROM trades QUALIFY -1 < row_number() OVER ()',
    'SELECT price, count(*) FROM trades GROUP BY price QUALIFY NOT row_number() OVER () < 0',
    'SELECT ARRAY(FROM trades SELECT price)',
    'DESCRIBE trades',
    'DESCRIBE SELECT * FROM trades',
    'SUMMARIZE trades',
    'SUMMARIZE FROM trades',
    'SHOW TABLES',
    'FROM (DESCRIBE trades)',
    'FROM (DESCRIBE SELECT price FROM trades)',
    'FROM (SUMMARIZE FROM trades)',
    'SELECT * FROM (SHOW TABLES)',
    'SELECT * FROM (SHOW)',
    'SELECT * FROM trades a ASOF JOIN trades b ON a.price >= b.price',
    'SELECT * FROM trades a ASOF LEFT JOIN trades b ON a.price >= b.price',
    'SELECT * FROM trades a SEMI JOIN trades b ON a.price = b.price',
    'SELECT * FROM trades ANTI JOIN (SELECT 8 AS price) b USING (price)',
    'SELECT * FROM trades a POSITIONAL JOIN trades b',
    'SELECT price FROM trades UNION ALL BY NAME SELECT price FROM trades',
    'SELECT price FROM trades UNION BY NAME SELECT price FROM trades',
    'SELECT price, count(*) FROM trades GROUP BY price ORDER BY price',
    'SELECT price FROM trades GROUP BY ALL ORDER BY ALL',
    'SELECT sum(price) OVER (PARTITION BY price ORDER BY price) FROM trades',
    'SELECT list_transform([1, 2], lambda x: x + 1)',
    'SELECT list_transform([1, 2], lambda x, i: x + i)',
    'SELECT list_transform([1], lambda rows: rows + 1)',
    'SELECT list_transform([1], lambda if: if + 1)',
    'SELECT list_transform([1], lambda nulls, escape: nulls + escape)',
    'SELECT * FROM trades QUALIFY (SELECT true) AND row_number() OVER () = 1',
    "SELECT 'a' GLOB '*'",
    "SELECT 1 WHERE 'a' GLOB 'a*' AND true",
    "SELECT TIMESTAMP '2024-01-01' AT TIME ZONE 'UTC'",
    `SELECT max("at") AT TIME ZONE 'UTC' FROM trades`,
    `SELECT CASE WHEN true THEN TIMESTAMP '2024-01-01' END AT TIME ZONE 'UTC'`,
    'SELECT greatest(UNPACK(COLUMNS(*))) FROM words',
    'SELECT * FROM trades WHERE price IN (7) LIMIT 1',
  ];
  for (const text of texts)
    test(text, async () => {
      assert.equal(rewritten(text), null);
      await connection.run(text);
    });
});

test('a place in a statement with such words is that of the original', () => {
  const text = 'select at, nope, show from public.trades where at > x';
  const { rewritten } = readPostgresStatement(text);
  assert.ok(rewritten);
  for (const word of ['nope', 'where', 'x'])
    assert.equal(rewritten.originOf(rewritten.text.lastIndexOf(word)), text.lastIndexOf(word), word);
  assert.equal(rewritten.originOf(rewritten.text.indexOf('"show"')), text.indexOf('show'));
});
