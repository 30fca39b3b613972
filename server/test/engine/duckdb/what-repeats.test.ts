import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { DuckdbStatement } from '../../../src/engine/duckdb/duckdb-statement.ts';
import {
  argumentsOf,
  callingByName,
  repeatableFunctions,
  wordsThatCall,
} from '../../../src/engine/duckdb/statement/repeatable-functions.ts';
import { whatRepeats } from '../../../src/engine/duckdb/statement/what-repeats.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { sandboxOptions } from './statement-runs.ts';

const folder = temporaryFolder('what-repeats');
const options = sandboxOptions(folder);
const instance = await DuckDBInstance.create(':memory:');
const connection = await instance.connect();
await connection.run("SET TimeZone = 'UTC'");
after(() => {
  connection.disconnectSync();
  instance.closeSync();
  removeFolder(folder);
});

async function rowsOf(sql: string): Promise<readonly (readonly unknown[])[]> {
  return (await connection.runAndReadAll(sql)).getRowsJson();
}

async function repeats(sql: string) {
  const statement = await DuckdbStatement.begin(sql, options, 'acme');
  await statement.close();
  return statement.shape.repeats;
}

test('no function is on the list that the engine itself calls volatile or consistent within a query only', async () => {
  const unstable = await rowsOf(
    "SELECT DISTINCT lower(function_name) FROM duckdb_functions() WHERE stability IN ('VOLATILE', 'CONSISTENT_WITHIN_QUERY')",
  );
  const names = unstable.map(([name]) => String(name));
  assert.ok(names.includes('random') && names.includes('now'), 'the column means what it did');
  assert.deepEqual(
    names.filter((name) => repeatableFunctions.has(name)),
    [],
  );
});

test('every name on the list is a function of the engine', async () => {
  const known = new Set(
    (await rowsOf('SELECT DISTINCT lower(function_name) FROM duckdb_functions()')).flat(),
  );
  // The parser and the binder have their own functions.
  const ofTheBinder = new Set(['->', 'unnest', 'repeat_row']);
  assert.deepEqual(
    [...repeatableFunctions].filter((name) => !known.has(name) && !ofTheBinder.has(name)),
    [],
  );
  for (const name of [...argumentsOf.keys(), ...callingByName])
    assert.ok(repeatableFunctions.has(name), name);
});

test('macros on the list are made of functions on the list', async () => {
  const macros = await rowsOf(
    "SELECT DISTINCT lower(function_name), macro_definition FROM duckdb_functions() WHERE function_type = 'macro'",
  );
  const listed = macros.filter(([name]) => repeatableFunctions.has(String(name)));
  assert.ok(listed.length > 40, `${listed.length} macros`);
  for (const [name, definition] of listed) {
    const tree = await treeOf(`SELECT ${definition}`);
    assert.equal(whatRepeats(tree), 'rows', `${name}: ${definition}`);
  }
  const [ago] = macros.filter(([name]) => name === 'ago');
  assert.equal(whatRepeats(await treeOf(`SELECT ${ago?.[1]}`)), 'columns');
});

test('what the engine takes for a function without parentheses is known', async () => {
  const candidates = new Set([
    ...(await rowsOf('SELECT DISTINCT lower(function_name) FROM duckdb_functions()')).flat().map(String),
    ...(await rowsOf('SELECT keyword_name FROM duckdb_keywords()')).flat().map(String),
    ...wordsThatCall,
  ]);
  const calling: string[] = [];
  for (const word of candidates) {
    const tree = await treeOf(`SELECT ${word} FROM range(1) t(zz)`).catch(() => null);
    if (tree === null || JSON.stringify(tree).includes('"error":true')) continue;
    const bound = await connection.prepare(`SELECT ${word} FROM range(1) t(zz)`).catch(() => null);
    // Constants such as TRUE are no columns.
    if (bound !== null && JSON.stringify(tree).includes(`"column_names":["${word}"]`)) calling.push(word);
    bound?.destroySync();
  }
  assert.deepEqual(calling.sort(), [...wordsThatCall, 'user'].sort());
  assert.deepEqual(await rowsOf('SELECT user'), [['duckdb']]);
});

test('no text means the present when it is cast', async () => {
  const types = [
    'DATE',
    'TIME',
    'TIMETZ',
    'TIMESTAMP',
    'TIMESTAMPTZ',
    'TIMESTAMP_S',
    'TIMESTAMP_MS',
    'TIMESTAMP_NS',
  ];
  for (const word of ['now', 'today', 'tomorrow', 'yesterday', 'current', 'NOW', '10:00'])
    for (const type of types) {
      const isTimeOfDay = word === '10:00' && type.startsWith('TIME') && !type.startsWith('TIMES');
      const [[cast]] = (await rowsOf(`SELECT TRY_CAST('${word}' AS ${type})::VARCHAR`)) as [[unknown]];
      if (!isTimeOfDay) assert.equal(cast, null, `${word} as ${type}`);
    }
});

test('rows repeat if every function is on the list, and every source is a frame', async () => {
  for (const sql of [
    'SELECT a, count(*), sum(b) FROM t GROUP BY a ORDER BY a',
    'FROM t',
    'SELECT * FROM t JOIN u USING (a) WHERE a > $1 LIMIT 3',
    "SELECT date_trunc('hour', ts), strftime(ts, '%H') FROM t",
    'SELECT age(a, b) FROM t',
    "SELECT list_aggregate(l, 'sum'), l[1], x -> 'a', x ->> 'b', s.f FROM t",
    'WITH c AS (SELECT a FROM t), d AS (FROM c) SELECT * FROM d, range(3) UNION ALL FROM c',
    'SELECT rank() OVER (PARTITION BY a ORDER BY b) FROM t QUALIFY row_number() OVER () < 3',
    'SELECT user, a::DATE, TRY_CAST(b AS TIMESTAMPTZ), [x + 1 FOR x IN l IF x > 2] FROM t',
    'PIVOT t ON a IN (1, 2) USING sum(b)',
    "SELECT * FROM t WHERE s SIMILAR TO 'a.*' AND s COLLATE de < 'b' AND a BETWEEN 1 AND 2 AND b IN (FROM u)",
  ])
    assert.equal(await repeats(sql), 'rows', sql);
});

test('of what reads a clock, a random source, a session or a sample only the columns repeat', async () => {
  for (const sql of [
    'SELECT now() FROM t',
    'SELECT NOW() FROM t',
    'SELECT "now"() FROM t',
    'SELECT * FROM t WHERE ts > now() - INTERVAL 1 DAY',
    'SELECT a FROM t ORDER BY random()',
    'SELECT * FROM t LIMIT (SELECT 1 + random()::INT)',
    'SELECT a FROM t WHERE a IN (SELECT uuid()::VARCHAR FROM u)',
    'SELECT age(a) FROM t',
    'SELECT ago(INTERVAL 1 DAY) FROM t',
    'SELECT current_date FROM t',
    'SELECT CURRENT_TIMESTAMP FROM t',
    'SELECT a FROM t WHERE d < "current_date"',
    'SELECT localtime, localtimestamp, current_time FROM t',
    'SELECT current_localtimestamp() FROM t',
    'SELECT today(), get_current_time() FROM t',
    'SELECT current_user FROM t',
    'SELECT current_schema(), current_database() FROM t',
    'SELECT txid_current() FROM t',
    'SELECT version() FROM t',
    'SELECT * FROM t USING SAMPLE 3',
    'SELECT * FROM t TABLESAMPLE 10%',
    'SELECT * FROM t TABLESAMPLE reservoir(10) REPEATABLE (1)',
    'SELECT * FROM (SELECT * FROM t USING SAMPLE 3 ROWS) x',
    'SELECT reservoir_quantile(a, 0.5) FROM t',
    "SELECT list_aggregate(l, 'reservoir_quantile', 0.5) FROM t",
    'SELECT list_aggregate(l, s) FROM t',
    'SELECT list_transform(l, lambda x: x + random()) FROM t',
    'SELECT sum(a) FILTER (random() > 0.5) FROM t',
    'SELECT sum(a) OVER (ORDER BY random()) FROM t',
    'WITH c AS (SELECT random() r) SELECT * FROM t, c',
    'SELECT CASE WHEN a > 0 THEN a ELSE random() END FROM t',
    'SELECT pg_typeof(a), pg_postmaster_start_time() FROM t',
    'SELECT * FROM t, pg_timezone_names()',
    'SELECT stats(a) FROM t',
    'DESCRIBE t',
    'SUMMARIZE t',
  ])
    assert.equal(await repeats(sql), 'columns', sql);
});

test('nothing is certain to repeat of other kinds, of other sources, and without a frame', async () => {
  for (const sql of [
    'SELECT 1',
    'FROM range(3)',
    'EXPLAIN SELECT * FROM t',
    'EXPLAIN ANALYZE SELECT * FROM t',
    'CREATE TABLE x AS FROM t',
    'INSERT INTO t SELECT 1',
    'DROP TABLE t',
    "SELECT * FROM t, tsdb('select 1')",
    'SELECT * FROM t, analytics.known',
    'SELECT * FROM t, information_schema.tables',
    'SHOW TABLES',
  ])
    assert.equal(await repeats(sql), undefined, sql);
});

async function treeOf(sql: string): Promise<unknown> {
  const reader = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [sql]);
  const answer = JSON.parse(String(reader.value(0, 0)));
  if (answer.error) throw new Error(answer.error_message);
  return answer;
}
