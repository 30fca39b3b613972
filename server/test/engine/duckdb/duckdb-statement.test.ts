import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { nestedTypeText } from '../../../src/arrow/schema/type-text.ts';
import { DuckdbStatement } from '../../../src/engine/duckdb/duckdb-statement.ts';
import { schemaOf } from '../../../src/engine/duckdb/tables/table-view.ts';
import type { FrameholdError } from '../../../src/model/errors.ts';
import type { EngineTable, StatementParameters } from '../../../src/ports/engine.ts';
import { runPython } from '../../support/python.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { type RunRequest, runStatement, sandboxOptions, transcodedTable } from './statement-runs.ts';

const folder = temporaryFolder('statement');
after(() => removeFolder(folder));
const parquet = join(folder, 'parquet');
mkdirSync(parquet);
const write = `
import datetime, sys
import pyarrow as pa
def put(name, table):
    with pa.OSFile(f"{sys.argv[1]}/{name}.arrows", "wb") as sink:
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
put("t", pa.table({"a": [1, 2, 3, None], "s": ["x", "y", "x", None], "l": [[1], [2, 3], [], None]}))
put("u", pa.table({"a": [2, 3, 4], "d": [0.5, 1.5, 2.5]}))
put("odd.name-1", pa.table({"a": [7]}))
put("sqlite_master", pa.table({"a": [8]}))
put("times", pa.table({"t": pa.array([datetime.datetime(2024, 7, 1, 12)], pa.timestamp("us")), "z": pa.array([datetime.datetime(2024, 7, 1, 12)], pa.timestamp("us", "Europe/Berlin"))}))
put("target", pa.table({"i": pa.array([], pa.int16()), "s": pa.array([], pa.large_string()), "d": pa.array([], pa.decimal128(9, 2)), "t": pa.array([], pa.timestamp("ms", "UTC"))}))
print("null")
`;
await runPython(['-c', write, folder], null);
const tables: EngineTable[] = [];
for (const name of ['t', 'u', 'odd.name-1', 'sqlite_master', 'times', 'target'])
  tables.push(await transcodedTable(name, join(folder, `${name}.arrows`), parquet));
const target = tables.find(({ name }) => name === 'target') as EngineTable;
const analyticsPath = join(folder, 'analytics.duckdb');
const options = sandboxOptions(folder, { analyticsPath });

/** Reads the streams that were collected, once: rows as text, and the columns' types. */
const read = `
import json, sys
import pyarrow as pa
answer = []
for path in json.load(sys.stdin):
    table = pa.ipc.open_stream(path).read_all()
    answer.append({"columns": [f"{f.name}: {f.type}" for f in table.schema], "rows": [[None if v is None else str(v) for v in row.values()] for row in table.to_pylist()]})
print(json.dumps(answer))
`;
interface Rows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
}
type Request = Partial<RunRequest> & { readonly sql: string };
let count = 0;

/** The rows of several statements: Python, which reads them, is started once. */
async function allRowsOf(requests: readonly Request[]): Promise<readonly Rows[]> {
  const paths: string[] = [];
  for (const request of requests) {
    const { stream } = await runStatement({ options, tables, ...request }).catch((error: Error) => {
      throw new Error(`${request.sql}: ${error.message}`, { cause: error });
    });
    const path = join(folder, `${count++}.out`);
    writeFileSync(path, stream);
    paths.push(path);
  }
  return (await runPython(['-c', read], paths)) as Rows[];
}

async function rowsOf(request: Request): Promise<Rows> {
  return (await allRowsOf([request]))[0] as Rows;
}

function json(values: unknown[] | Record<string, unknown>): StatementParameters {
  return { kind: 'json', values };
}

/** What runs, and the rows it gives. */
const queries: readonly (readonly [sql: string, rows: readonly (readonly (string | null)[])[]])[] = [
  ["SELECT a FROM t WHERE s = 'x' ORDER BY a;", [['1'], ['3']]],
  ['FROM u SELECT max(d) -- a comment', [['2.5']]],
  ['SELECT count(*) FROM framehold.main.t, main.u, framehold.u AS v', [['36']]],
  ['SELECT sum(T.A) FROM T', [['6']]],
  ['SELECT a FROM "odd.name-1"', [['7']]],
  ['SELECT a FROM sqlite_master', [['8']]],
  ['WITH t AS (SELECT 5 AS a) SELECT a FROM t', [['5']]],
  ['WITH x AS (FROM t), y AS (FROM x) SELECT count(*) FROM y', [['4']]],
  ['SELECT * FROM (WITH u AS (SELECT 9 AS n) FROM u), (SELECT max(a) FROM u)', [['9', '4']]],
  ['WITH x AS MATERIALIZED (SELECT 1 AS n) SELECT a.n + b.n FROM x a, x b', [['2']]],
  [
    'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 4) SELECT sum(n) FROM r',
    [['10']],
  ],
  [
    'WITH RECURSIVE r USING KEY (k) AS (SELECT 1 AS k, 1 AS n UNION SELECT k, n + 1 FROM r WHERE n < 3) SELECT n FROM r',
    [['3']],
  ],
  [
    'SELECT a, row_number() OVER (ORDER BY a DESC NULLS LAST) FROM t QUALIFY row_number() OVER (ORDER BY a) = 1',
    [['1', '3']],
  ],
  [
    'SELECT t.a, x.m FROM t, LATERAL (SELECT max(u.a) AS m FROM u WHERE u.a > t.a) x ORDER BY 1 LIMIT 1',
    [['1', '4']],
  ],
  [
    'SELECT a FROM t WHERE a IN (SELECT a FROM u) AND EXISTS (FROM u WHERE u.a = t.a) ORDER BY 1',
    [['2'], ['3']],
  ],
  ['SELECT 1 UNION ALL SELECT 2 EXCEPT SELECT 2', [['1']]],
  ['(SELECT 1) INTERSECT (SELECT 1)', [['1']]],
  ["PIVOT (SELECT s, a FROM t WHERE a IS NOT NULL) ON s IN ('x', 'y') USING sum(a)", [['4', '2']]],
  [
    'UNPIVOT (SELECT 1 AS p, 2 AS q) ON p, q',
    [
      ['p', '1'],
      ['q', '2'],
    ],
  ],
  [
    "VALUES (1, 'a'), (2, 'b')",
    [
      ['1', 'a'],
      ['2', 'b'],
    ],
  ],
  [
    'TABLE u',
    [
      ['2', '0.5'],
      ['3', '1.5'],
      ['4', '2.5'],
    ],
  ],
  ['SELECT * FROM range(2)', [['0'], ['1']]],
  ['SELECT sum(generate_series) FROM generate_series(1, 3)', [['6']]],
  [
    'SELECT a, unnest(l) FROM t WHERE a = 2',
    [
      ['2', '2'],
      ['2', '3'],
    ],
  ],
  ['SELECT x FROM t, unnest(t.l) AS n(x) ORDER BY x', [['1'], ['2'], ['3']]],
  ['SELECT list_transform([1, 2], lambda x: x + 1)', [['[2, 3]']]],
  ['SELECT [x * 2 FOR x IN l IF x > 2] FROM t WHERE a = 2', [['[6]']]],
  ["SELECT value FROM json_each('[1]')", [['1']]],
  ['SELECT COLUMNS(* EXCLUDE (l)) FROM t WHERE a = 1', [['1', 'x']]],
  ['SELECT count(*) FROM t NATURAL JOIN u', [['2']]],
  ['SELECT t.a, u.a AS b FROM t POSITIONAL JOIN u LIMIT 1', [['1', '2']]],
  ['SELECT count(*) FROM t ASOF JOIN u ON t.a >= u.a', [['2']]],
  [
    'SELECT s, count(*) FROM t GROUP BY ROLLUP (s) ORDER BY ALL',
    [
      ['x', '2'],
      ['y', '1'],
      [null, '1'],
      [null, '4'],
    ],
  ],
  ['SELECT count(*) FROM t TABLESAMPLE 100%', [['4']]],
  [
    'SELECT column_name, column_type FROM (DESCRIBE u)',
    [
      ['a', 'BIGINT'],
      ['d', 'DOUBLE'],
    ],
  ],
  [
    'SELECT column_name, "max" FROM (SUMMARIZE u)',
    [
      ['a', '4'],
      ['d', '2.5'],
    ],
  ],
  ["SELECT current_database(), current_schema(), 'x' COLLATE NOCASE = 'X'", [['framehold', 'main', 'True']]],
  [
    "SELECT t::VARCHAR, z::VARCHAR, '2024-01-01 00:00:00'::TIMESTAMPTZ::VARCHAR FROM times",
    [['2024-07-01 12:00:00', '2024-07-01 12:00:00+00', '2024-01-01 00:00:00+00']],
  ],
  ["SELECT $$a 'quoted' text; -- $$ /* ; */", [["a 'quoted' text; -- "]]],
  ['SELECT answer FROM analytics.known JOIN analytics.main.known k USING (answer)', [['42']]],
  ['SELECT n FROM analytics.deep.er', [['1']]],
];

{
  const instance = await DuckDBInstance.create(analyticsPath);
  const connection = await instance.connect();
  await connection.run(
    'CREATE TABLE known AS SELECT 42 AS answer; CREATE SCHEMA deep; CREATE VIEW deep.er AS SELECT 1 AS n',
  );
  connection.disconnectSync();
  instance.closeSync();
}

test('queries run as the engine has them', async (context) => {
  const results = await allRowsOf(queries.map(([sql]) => ({ sql })));
  for (const [index, [sql, expected]] of queries.entries())
    await context.test(sql, () => assert.deepEqual(results[index]?.rows, expected));
});

test('DESCRIBE and SUMMARIZE of a frame and of a query', async () => {
  assert.deepEqual(
    (await rowsOf({ sql: 'DESCRIBE u' })).rows.map((row) => row.slice(0, 2)),
    [
      ['a', 'BIGINT'],
      ['d', 'DOUBLE'],
    ],
  );
  assert.equal((await rowsOf({ sql: 'SUMMARIZE SELECT a FROM t' })).rows[0]?.[0], 'a');
  assert.equal((await rowsOf({ sql: 'DESCRIBE SELECT 1 AS x' })).rows[0]?.[0], 'x');
});

test('EXPLAIN in its forms', async () => {
  for (const sql of [
    'EXPLAIN FROM t',
    'EXPLAIN (SELECT a FROM t)',
    'EXPLAIN (FORMAT JSON) FROM t',
    'EXPLAIN ANALYZE FROM t',
    'EXPLAIN (ANALYZE, FORMAT JSON) FROM t',
  ]) {
    const { columns, rows } = await rowsOf({ sql });
    assert.deepEqual(columns, ['explain_key: string', 'explain_value: string']);
    assert.equal(rows[0]?.[0], sql.includes('ANALYZE') ? 'analyzed_plan' : 'physical_plan');
    assert.match(rows[0]?.[1] as string, /READ_PARQUET/);
  }
});

/** A mark is where the error is; it is not part of the statement. */
const misplaced: readonly (readonly [marked: string, message: RegExp])[] = [
  ['▸SELEC 1', /syntax error/],
  ['SELECT 1 FROM t WHERE▸', /end of input/],
  ['SELECT a,\n  s\r\n FRM ▸t x', /syntax error/],
  ['SELECT \'é🦆\' AS "ü",\n\t▸nope FROM t', /"nope" not found/],
  ['/* é */ SELECT a FROM t WHERE ▸no_such(a) = 1; -- end', /no_such does not exist/],
  ['EXPLAIN SELECT ▸nope FROM t', /"nope" not found/],
  ['EXPLAIN (ANALYZE, FORMAT JSON)\nSELECT ▸nope FROM t', /"nope" not found/],
  ['CREATE TABLE "é" AS\nSELECT ▸nope FROM t', /"nope" not found/],
  ['CREATE TABLE x AS SELECT 1 ▸2', /syntax error/],
  ['INSERT INTO target (i) SELECT ▸nope FROM t', /"nope" not found/],
  ['INSERT INTO target (i) VALUES (1) ▸ON CONFLICT DO NOTHING', /syntax error/],
  ["SELECT * FROM tsdb('select 1') WHERE ▸nope = 1", /"nope" not found/],
  ["SELECT * FROM tsdb('select 1') x, tsdb('select é') JOIN t ON ▸nope = 1", /"nope" not found/],
  ['SELECT * FROM information_schema.tables, t WHERE\n▸nope = $1', /"nope" not found/],
];

test('an error has its place in the text that the caller sent', async () => {
  const upstream = [0, 1].map((index) => ({ ...(tables[1] as EngineTable), name: `tsdb:${index}` }));
  for (const [marked, message] of misplaced) {
    const position = marked.indexOf('▸');
    const sql = marked.replace('▸', '');
    const before = sql.slice(0, position).split(/\r\n|\n/);
    const place = { position, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
    const given = sql.includes("é')") ? upstream : upstream.slice(0, 1);
    const used = sql.includes('tsdb') ? [...tables, ...given] : tables;
    const insert = sql.startsWith('INSERT') ? { insertInto: target.schemaMessage } : {};
    await assert.rejects(runStatement({ options, tables: used, sql, ...insert }), (error: FrameholdError) => {
      assert.deepEqual([error.kind, error.place], ['sql_invalid', place], `${marked}: ${error.message}`);
      assert.match(error.message, message);
      return true;
    });
  }
});

test('an error has no place if the engine does not say one, or counts other characters than the caller has sent', async () => {
  for (const sql of [
    'SELECT 1 UNION SELECT 1, 2',
    'SELECT\u00a01, nope FROM t',
    'SELECT\u00a01 frm t x y',
    'INSERT INTO target (nope) SELECT 1',
  ]) {
    const insert = sql.startsWith('INSERT') ? { insertInto: target.schemaMessage } : {};
    await assert.rejects(runStatement({ options, tables, sql, ...insert }), (error: FrameholdError) => {
      assert.deepEqual([error.kind, error.place], ['sql_invalid', undefined], `${sql}: ${error.message}`);
      return true;
    });
  }
});

test('parameters: positional, numbered, named, and those that decide the type of the rows', async () => {
  const cases: readonly (readonly [string, StatementParameters, readonly (readonly string[])[]])[] = [
    ['SELECT a FROM t WHERE a > ? AND s = ?', json([1n, 'x']), [['3']]],
    ['SELECT a FROM t WHERE a = $2 OR a = $1 ORDER BY 1', json([3n, 1n]), [['1'], ['3']]],
    ['SELECT a FROM t WHERE a = $x', json({ x: 2n }), [['2']]],
    ['SELECT $1 AS v', json(['text']), [['text']]],
    ['SELECT $1 + a AS v FROM t WHERE a = 1', json([4n]), [['5']]],
    ['SELECT * FROM range($1)', json([2n]), [['0'], ['1']]],
    ['SELECT $2 AS v, $1 AS w', json([1n, 2n]), [['2', '1']]],
  ];
  const results = await allRowsOf(cases.map(([sql, parameters]) => ({ sql, parameters })));
  for (const [index, [sql, , expected]] of cases.entries())
    assert.deepEqual(results[index]?.rows, expected, sql);
});

test('a parameter has the type of its cast, also within another cast', async () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['SELECT ?::DATE::VARCHAR', ['date32']],
    ['SELECT ?::VARCHAR::TIMESTAMP, ?::DECIMAL(4, 1)::DOUBLE', ['utf8', 'decimal128(4, 1)']],
    ["SELECT ?::DATE || 'x'", ['date32']],
    ['SELECT $a::DATE::VARCHAR, $a::DATE', ['date32']],
    ['SELECT $a::DATE::VARCHAR, $a::VARCHAR', ['null']],
    ['SELECT $a::DATE::VARCHAR, $a', ['null']],
  ];
  for (const [sql, expected] of cases) {
    const statement = await DuckdbStatement.begin(sql, options, 'acme');
    const { parameterSchemaMessage } = await statement.bind({ tables: [], insertInto: null });
    await statement.close();
    assert.deepEqual(schemaOf(parameterSchemaMessage).fields.map(nestedTypeText), expected, sql);
  }
});

test('bind reports the types of parameters, and no columns if their types depend on values', async () => {
  const statement = await DuckdbStatement.begin('SELECT a FROM t WHERE a = $1 AND s = $2', options, 'acme');
  const bound = await statement.bind({ tables: tables.filter(({ name }) => name === 't'), insertInto: null });
  await statement.close();
  const fields = schemaOf(bound.parameterSchemaMessage).fields;
  assert.deepEqual(
    fields.map(({ name, type }) => `${name} ${type.kind}`),
    ['$1 int', '$2 utf8'],
  );
  const untyped = await DuckdbStatement.begin('SELECT $1', options, 'acme');
  assert.equal(untyped.shape.parameterCount, 1);
  assert.equal(
    schemaOf((await untyped.bind({ tables: [], insertInto: null })).schemaMessage).fields.length,
    0,
  );
  await assert.rejects(
    untyped.run(json([1n])).next(),
    (error: FrameholdError) => error.kind === 'sql_invalid',
  );
  await untyped.close();
});

const insertInto = target.schemaMessage;
const targetColumns = ['i: int16', 's: large_string', 'd: decimal128(9, 2)', 't: timestamp[ms, tz=UTC]'];

test('INSERT gives rows with the schema of the target, cast as the engine does, with null for columns that are not named', async () => {
  const cases: readonly (readonly [string, readonly (readonly (string | null)[])[]])[] = [
    [
      "INSERT INTO target VALUES (1, 'x', 2.5, '2024-01-01 00:00:00+00')",
      [['1', 'x', '2.50', '2024-01-01 00:00:00+00:00']],
    ],
    [
      "INSERT INTO target (s, i) VALUES (1, '2'), ('y', DEFAULT)",
      [
        ['2', '1', null, null],
        [null, 'y', null, null],
      ],
    ],
    ['INSERT INTO target (d, s) SELECT a, s FROM t WHERE a = 1;', [[null, 'x', '1.00', null]]],
    ['INSERT INTO framehold.main.target BY NAME SELECT 5 AS d, 6 AS I', [['6', null, '5.00', null]]],
    ['INSERT INTO target (i) (SELECT 1) -- one', [['1', null, null, null]]],
    [
      'INSERT INTO target (i) FROM range(2)',
      [
        ['0', null, null, null],
        ['1', null, null, null],
      ],
    ],
    ['INSERT INTO target (i) WITH x AS (SELECT 3) FROM x', [['3', null, null, null]]],
  ];
  const results = await allRowsOf(cases.map(([sql]) => ({ sql, insertInto })));
  for (const [index, [sql, expected]] of cases.entries()) {
    assert.deepEqual(results[index]?.columns, targetColumns, sql);
    assert.deepEqual(results[index]?.rows, expected, sql);
  }
  const { rows } = await rowsOf({
    sql: 'INSERT INTO target (i, s) VALUES (?, ?)',
    insertInto,
    parameters: json([7n, 'q']),
  });
  assert.deepEqual(rows, [['7', 'q', null, null]]);
  const streamed = await rowsOf({
    sql: 'INSERT INTO target (i) SELECT $1',
    insertInto,
    parameters: json([7n]),
  });
  assert.deepEqual(streamed.rows, [['7', null, null, null]]);
});

test('INSERT refuses what the engine refuses', async () => {
  const cases: readonly (readonly [string, string])[] = [
    ['INSERT INTO target VALUES (1)', 'sql_invalid'],
    ['INSERT INTO target (nothing) VALUES (1)', 'sql_invalid'],
    ['INSERT INTO target (i) VALUES (100000)', 'sql_failed'],
    ['INSERT INTO target (i) SELECT s FROM t', 'sql_failed'],
    ['INSERT INTO target BY NAME SELECT 1 AS nothing', 'sql_invalid'],
    ['INSERT INTO target (i) VALUES (1) RETURNING i', 'sql_invalid'],
  ];
  for (const [sql, kind] of cases)
    await assert.rejects(runStatement({ sql, options, tables, insertInto }), (error: FrameholdError) => {
      assert.equal(error.kind, kind, `${sql}: ${error.message}`);
      return true;
    });
});

test('the shape says what is changed and what is read', async () => {
  const shapeOf = async (sql: string) => {
    const statement = await DuckdbStatement.begin(sql, options, 'acme');
    await statement.close();
    return statement.shape;
  };
  assert.deepEqual(await shapeOf('CREATE OR REPLACE TABLE "New one" AS SELECT * FROM T, t, "u@3"'), {
    kind: 'create',
    target: { name: 'New one', orReplace: true, conditional: false, columns: null, byName: false },
    tables: ['T', 'u@3'],
    upstreamQueries: [],
    catalog: [],
    parameterCount: 0,
  });
  assert.equal((await shapeOf('CREATE TABLE IF NOT EXISTS x AS VALUES (1)')).target?.conditional, true);
  assert.deepEqual((await shapeOf('DROP TABLE IF EXISTS main.x;')).target?.conditional, true);
  assert.equal((await shapeOf('drop /* it */ table x')).kind, 'drop');
  assert.deepEqual((await shapeOf('INSERT INTO x ("a b", c) SELECT 1, 2')).target?.columns, ['a b', 'c']);
  assert.deepEqual(
    (await shapeOf("SELECT 'ä', * FROM tsdb('a') x, TSDB ( 'it''s' ), u, tsdb('a')")).upstreamQueries,
    ['a', "it's"],
  );
});

test('tsdb() reads the table that was fetched for it', async () => {
  const fetched = { ...(tables.find(({ name }) => name === 'u') as EngineTable), name: 'tsdb:0' };
  const withFetched = [...tables, fetched];
  for (const [sql, value] of [
    ["SELECT sum(x.d) FROM t JOIN tsdb('select €') x USING (a)", '2.0'],
    ["SELECT 'ä😀', max(tsdb.a) FROM tsdb($$x$$)", '4'],
    ["SELECT count(*) FROM tsdb('x'), tsdb('x')", '9'],
    ["EXPLAIN SELECT * FROM tsdb('x')", null],
    ["WITH q AS (FROM tsdb('x')) SELECT count(*) FROM q", '3'],
  ] as const) {
    const { rows } = await rowsOf({ sql, tables: withFetched });
    if (value !== null) assert.equal(rows[0]?.at(-1), value, sql);
  }
});

test('a statement that is not offered gets the hint for its own kind', async () => {
  const cases: readonly (readonly [string, RegExp, RegExp])[] = [
    ['UPDATE t SET a = 1', /UPDATE/, /CREATE OR REPLACE TABLE name AS SELECT \* REPLACE/],
    ['DELETE FROM t WHERE a = 1', /DELETE/, /CREATE OR REPLACE TABLE name AS SELECT/],
    ['WITH x AS (SELECT 1) DELETE FROM t', /WITH/, /CREATE OR REPLACE TABLE/],
    ['EXPLAIN DELETE FROM t', /DELETE/, /CREATE OR REPLACE TABLE/],
    ['truncate t', /TRUNCATE/, /WHERE false/],
    ['MERGE INTO t USING u ON t.a = u.a WHEN MATCHED THEN DELETE', /MERGE/, /join/],
    ['alter table t rename to u', /ALTER/, /CREATE OR REPLACE TABLE/],
    ['CREATE OR REPLACE VIEW v AS SELECT 1', /no views/, /WITH/],
    ['create temp table x as select 1', /no temporary tables/, /ttl/],
    ['create table x', /list of columns/, /CREATE TABLE name \(column TYPE/],
    ['create table x (a int primary key)', /PRIMARY is not offered/, /Leave it out/],
    ['create table x (a int not null)', /NOT NULL is not offered/, /Leave it out/],
    ['create table x (a int, primary key (a))', /PRIMARY is not offered/, /Leave it out/],
    ['create table x (a int default 1)', /DEFAULT is not offered/, /Leave it out/],
    ['create table x (a int, foreign key (a) references t (a))', /FOREIGN/, /Leave it out/],
    ['create table x (like t)', /LIKE/, /WHERE false/],
    ['create table x (a int) as select 1', /named in its query/, /AS SELECT a AS/],
    ['create table x (a int) with (b = 1)', /Nothing may follow/, /CREATE TABLE name/],
    ['create table x (a int); drop table t', /Nothing may follow/, /one statement/],
    ['create schema s', /only tables/, /CREATE TABLE/],
    ['drop table a, b', /One table/, /DROP TABLE/],
    ['insert or replace into t values (1)', /INSERT/, /INSERT INTO name/],
    ["COPY t TO 'x.csv'", /no files/, /fmt=csv/],
    ["ATTACH 'x.db'", /attach/, /analytics/],
    ['use memory', /choose/, /framehold\.main/],
    ["SET TimeZone = 'Europe/Paris'", /settings/, /AT TIME ZONE/],
    ['PRAGMA table_info(t)', /settings/, /DESCRIBE/],
    ['INSTALL httpfs', /Extensions/, /Functions/],
    ['BEGIN', /no transactions/, /leave this one out/],
    ['begin; select 1; commit', /no transactions/, /leave this one out/],
    ['ROLLBACK', /nothing is undone/, /restore/],
    ['PREPARE p AS SELECT 1', /prepared/, /parameters/],
    ['vacuum', /maintain/, /background/],
    ['GRANT SELECT ON t TO x', /Access/, /shares/],
    ['call pragma_version()', /CALL/, /FROM/],
    ['select 1; select 2', /one statement/, /one after another/],
    ['PIVOT t ON a USING sum(b)', /Only queries/, /PIVOT/],
  ];
  for (const [sql, message, hint] of cases)
    await assert.rejects(DuckdbStatement.begin(sql, options, 'acme'), (error: FrameholdError) => {
      assert.equal(error.kind, 'sql_refused', sql);
      assert.match(error.message, message, sql);
      assert.match(error.hint ?? '', hint, sql);
      return true;
    });
  const invalid = ['WITH x AS (SELEC 1) SELECT 1', 'INSERT INTO t VALUES (1) RETURNING a'];
  for (const sql of invalid)
    await assert.rejects(DuckdbStatement.begin(sql, options, 'acme'), { kind: 'sql_invalid' }, sql);
});

test('failures have the kind that they are', async () => {
  const cases: readonly (readonly [string, string, RegExp])[] = [
    ['SELEC 1', 'sql_invalid', /syntax error/],
    ['', 'sql_invalid', /no statement/],
    ['-- nothing', 'sql_invalid', /no statement/],
    ['SELECT nothing FROM t', 'sql_invalid', /nothing/],
    ['SELECT nothing(1)', 'sql_invalid', /nothing/],
    ['SELECT -1e400', 'sql_invalid', /larger than a DOUBLE/],
    ['SELECT 1 WHERE 1e400 > 1', 'sql_invalid', /larger than a DOUBLE/],
    ['SELECT CAST(s AS INTEGER) FROM t', 'sql_failed', /Conversion Error/],
    ['SELECT a FROM t WHERE a = $1', 'sql_invalid', /./],
    ['SELECT * FROM t WHERE a = $1 AND s = $x', 'sql_invalid', /[Mm]ixing/],
    ['SELECT (SELECT a FROM t)', 'sql_failed', /more than one row/i],
    ['SELECT list(range) FROM range(200000000)', 'sql_memory', /more memory/],
  ];
  for (const [sql, kind, text] of cases)
    await assert.rejects(runStatement({ sql, options, tables }), (error: FrameholdError) => {
      assert.equal(error.kind, kind, `${sql}: ${error.message}`);
      assert.match(error.message, text);
      assert.ok(!error.message.includes(folder));
      return true;
    });
});

test('a statement is interrupted while it runs, and closed at any time', async () => {
  const statement = await DuckdbStatement.begin(
    'SELECT count(*) FROM range(10000000) a, range(1000000) b',
    options,
    'acme',
  );
  await statement.bind({ tables: [], insertInto: null });
  const rows = statement.run(null).next();
  const timer = setInterval(() => statement.interrupt(), 20);
  await assert.rejects(rows, (error: FrameholdError) => error.kind === 'cancelled');
  clearInterval(timer);
  await statement.close();
  await statement.close();
  statement.interrupt();
});

test('an instance made ahead serves one statement', async () => {
  await DuckdbStatement.warm(options);
  await DuckdbStatement.warm(options);
  assert.deepEqual((await rowsOf({ sql: 'SELECT max(a) FROM u' })).rows, [['4']]);
  assert.deepEqual((await rowsOf({ sql: 'SELECT min(a) FROM t' })).rows, [['1']]);
});

test('the analytics database is created if it does not exist, and an error says if none is attached', async () => {
  const path = join(folder, 'new.duckdb');
  const request = { sql: 'SELECT * FROM analytics.x', tables: [] };
  await assert.rejects(
    runStatement({ ...request, options: sandboxOptions(folder, { analyticsPath: path }) }),
    /There is no table analytics.main.x/,
  );
  await assert.rejects(
    runStatement({ ...request, options: sandboxOptions(folder) }),
    /No database is attached as analytics/,
  );
});

/** Nested `levels` deep, the innermost value included; a map is two levels. */
const nestings: readonly (readonly [kind: string, nested: (levels: number) => string])[] = [
  ['lists', (levels) => `${'['.repeat(levels - 1)}1${']'.repeat(levels - 1)}`],
  ['structs', (levels) => `${'{a:'.repeat(levels - 1)}1${'}'.repeat(levels - 1)}`],
  ['unions', (levels) => `${'union_value(u := '.repeat(levels - 1)}1${')'.repeat(levels - 1)}`],
  ['arrays', (levels) => `${'array_value('.repeat(levels - 1)}1${')'.repeat(levels - 1)}`],
  ['maps', (levels) => `${'MAP {1:'.repeat((levels - 1) >> 1)}1${'}'.repeat((levels - 1) >> 1)}`],
];

test('results are nested up to 64 deep, and deeper ones are refused by name', async (context) => {
  for (const [kind, nested] of nestings)
    await context.test(kind, async () => {
      await runStatement({ sql: `SELECT ${nested(63)} AS v`, options });
      await assert.rejects(
        runStatement({ sql: `SELECT ${nested(67)} AS v`, options }),
        (error: FrameholdError) =>
          error.kind === 'sql_invalid' && /"v" is nested more than 64/.test(error.message),
      );
    });
});
