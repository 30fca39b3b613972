import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { DuckdbStatement } from '../../../src/engine/duckdb/duckdb-statement.ts';
import { Sandbox } from '../../../src/engine/duckdb/sandbox.ts';
import {
  allowedTableFunctions,
  deniedFunctions,
} from '../../../src/engine/duckdb/statement/allowed-functions.ts';
import { createTableView } from '../../../src/engine/duckdb/tables/table-view.ts';
import type { FrameholdError } from '../../../src/model/errors.ts';
import { runPython } from '../../support/python.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { runStatement, sandboxOptions, transcodedTable } from './statement-runs.ts';

const folder = temporaryFolder('sandbox');
after(() => removeFolder(folder));
const own = join(folder, 'own');
const others = join(folder, 'others');
const otherTemp = join(folder, 'other-temp');
for (const each of [own, others, otherTemp]) mkdirSync(each);
const write = `
import sys
import pyarrow as pa
for name in ["mine", "theirs"]:
    table = pa.table({"a": [1, 2, 3], "s": ["x", "y", None]})
    with pa.OSFile(f"{sys.argv[1]}/{name}.arrows", "wb") as sink:
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
print("null")
`;
await runPython(['-c', write, folder], null);
const mine = await transcodedTable('mine', join(folder, 'mine.arrows'), own);
const theirs = await transcodedTable('theirs', join(folder, 'theirs.arrows'), others);
const mineFile = mine.files[0] as string;
const theirFile = theirs.files[0] as string;
const secret = join(folder, 'secret.csv');
writeFileSync(secret, 'password\nhunter2\n');
writeFileSync(join(otherTemp, 'spill.tmp'), 'rows of another statement');
const target = join(folder, 'written.csv');
const analyticsPath = join(folder, 'analytics.duckdb');
const options = sandboxOptions(folder, { analyticsPath });

writeFileSync(join(options.tempDirectory, 'spill.tmp'), 'rows of another statement');
{
  const instance = await DuckDBInstance.create(analyticsPath);
  const connection = await instance.connect();
  await connection.run('CREATE TABLE known AS SELECT 42 AS answer');
  await connection.run("CREATE MACRO leak() AS (SELECT current_setting('allowed_paths'))");
  await connection.run('CREATE SEQUENCE counter');
  connection.disconnectSync();
  instance.closeSync();
}
const untouched = readFileSync(mineFile);

type Attempt = readonly [name: string, sql: string, reason: RegExp];

/** Each kind of statement that is not offered says so in words of its own. */
const onlyQueries =
  /Only queries|Only one statement|not offered|no files|attach no|no settings|cannot be installed|no transactions|only tables|no views|no temporary|not prepared|to maintain|Only a query|only a query|to choose|is dropped by|out of the rows/;
const notAllowed = /is not allowed/;
const noTable = /There is no table/;

/** Each with the reason that a caller gets. All are refused before a file is opened or a setting is read. */
const attempts: readonly Attempt[] = [
  // Files by their names.
  ['a file as a table', `SELECT * FROM '${secret}'`, noTable],
  ['a file as a quoted name', `SELECT * FROM "${secret}"`, noTable],
  ['another frame by its file', `SELECT * FROM '${theirFile}'`, noTable],
  ["the statement's own file by its path", `SELECT * FROM mine, '${mineFile}'`, noTable],
  ['a glob as a table', `SELECT * FROM '${others}/*.parquet'`, noTable],
  ['a relative file', "SELECT * FROM '../x.parquet'", noTable],
  ['a URL as a table', "SELECT * FROM 'https://example.com/x.parquet'", noTable],
  ['an object of S3 as a table', "SELECT * FROM 's3://bucket/x.parquet'", noTable],
  ['a file FROM-first', `FROM '${secret}'`, noTable],
  ['a file in a subquery', `SELECT (SELECT count(*) FROM '${secret}')`, noTable],
  ['a file in EXISTS', `SELECT EXISTS (FROM '${secret}')`, noTable],
  ['a file in IN', `SELECT 1 IN (FROM '${secret}')`, noTable],
  ['a file in a common table expression', `WITH c AS (FROM '${secret}') FROM c`, noTable],
  [
    'a file in a recursive one',
    `WITH RECURSIVE r AS (SELECT 1 a UNION ALL SELECT a FROM r, '${secret}') FROM r`,
    noTable,
  ],
  ['a file in a lateral join', `FROM mine, LATERAL (FROM '${secret}')`, noTable],
  ['a file in a join', `FROM mine JOIN '${secret}' ON true`, noTable],
  ['a file in UNION', `SELECT 'x' UNION ALL FROM '${secret}'`, noTable],
  ['a file in PIVOT', `PIVOT '${secret}' ON password IN ('x') USING count(*)`, noTable],
  ['a file in UNPIVOT', `UNPIVOT '${secret}' ON password`, noTable],
  ['a file in DESCRIBE', `DESCRIBE '${secret}'`, noTable],
  ['a file in SUMMARIZE', `SUMMARIZE '${secret}'`, noTable],
  ['a file in EXPLAIN', `EXPLAIN SELECT * FROM '${secret}'`, noTable],
  ['a file in EXPLAIN ANALYZE', `EXPLAIN ANALYZE SELECT * FROM '${secret}'`, noTable],
  ['a file in ORDER BY', `SELECT a FROM mine ORDER BY (SELECT count(*) FROM '${secret}')`, noTable],
  ['a file in LIMIT', `SELECT a FROM mine LIMIT (SELECT count(*) FROM '${secret}')`, noTable],
  [
    'a file in a window',
    `SELECT sum(a) OVER (ORDER BY (SELECT count(*) FROM '${secret}')) FROM mine`,
    noTable,
  ],
  ['a file in FILTER', `SELECT count(*) FILTER ((SELECT count(*) FROM '${secret}') > 0) FROM mine`, noTable],
  ['a file in a lambda', `SELECT list_transform([1], lambda x: (SELECT count(*) FROM '${secret}'))`, noTable],
  ['a file in the rows of CREATE TABLE', `CREATE TABLE x AS FROM '${secret}'`, noTable],
  ['a file in the rows of INSERT', `INSERT INTO mine FROM '${secret}'`, noTable],
  ['a file in VALUES', `VALUES ((SELECT count(*) FROM '${secret}'))`, noTable],
  [
    'a file behind a name of WITH that ends before',
    `SELECT * FROM (WITH "x" AS (SELECT 1) FROM x), "x"`,
    noTable,
  ],
  [
    'a name of WITH that is a file',
    `WITH "${secret}" AS (SELECT 1) SELECT * FROM "${secret}"`,
    /A name in WITH/,
  ],
  [
    'a name of WITH that is a view of the engine',
    'WITH duckdb_views AS (SELECT 1) FROM duckdb_views',
    /A name in WITH/,
  ],
  ['a name with quotes in it', `SELECT * FROM "x"" FROM '${secret}' --"`, noTable],
  ['a name with a slash as a schema', `SELECT * FROM "${folder}"."secret.csv"`, /cannot be read/],
  ['a zero in the text', `SELECT 1 FROM mine\0, '${secret}'`, /not valid Unicode/],
  // Table functions.
  ['read_csv', `SELECT * FROM read_csv('${secret}')`, notAllowed],
  ['read_csv_auto', `SELECT * FROM read_csv_auto('${secret}')`, notAllowed],
  ['read_text', `SELECT * FROM read_text('${secret}')`, notAllowed],
  ['read_blob', `SELECT * FROM read_blob('${secret}')`, notAllowed],
  ['read_json', `SELECT * FROM read_json('${secret}')`, notAllowed],
  ['read_ndjson_objects', `SELECT * FROM read_ndjson_objects('${secret}')`, notAllowed],
  ['read_parquet', `SELECT * FROM read_parquet('${theirFile}')`, notAllowed],
  ['parquet_scan', `SELECT * FROM parquet_scan('${theirFile}')`, notAllowed],
  [
    'read_parquet of its own file',
    `SELECT * FROM mine, read_parquet('${mineFile}', filename = true)`,
    notAllowed,
  ],
  ['parquet_metadata', `SELECT * FROM parquet_metadata('${theirFile}')`, notAllowed],
  ['parquet_schema', `SELECT * FROM parquet_schema('${mineFile}')`, notAllowed],
  ['parquet_kv_metadata', `SELECT * FROM parquet_kv_metadata('${mineFile}')`, notAllowed],
  ['read_duckdb', `SELECT * FROM read_duckdb('${analyticsPath}')`, notAllowed],
  ['glob', `SELECT * FROM glob('${folder}/*')`, notAllowed],
  ['sniff_csv', `SELECT * FROM sniff_csv('${secret}')`, notAllowed],
  ['a function quoted', `SELECT * FROM "READ_TEXT"('${secret}')`, notAllowed],
  ['a function with a schema', `SELECT * FROM main.read_text('${secret}')`, notAllowed],
  ['a function with a catalog', `SELECT * FROM system.main.read_text('${secret}')`, notAllowed],
  ['a function in a lateral join', `SELECT * FROM mine, LATERAL read_text('${secret}')`, notAllowed],
  ['a function in a list of FROM', `SELECT * FROM mine, range(3), read_text('${secret}')`, notAllowed],
  [
    'a function inside of unnest',
    `SELECT unnest((SELECT list(content) FROM read_text('${secret}')))`,
    notAllowed,
  ],
  ['temporary files of others', `SELECT * FROM read_blob('${otherTemp}/*')`, notAllowed],
  ['its own temporary files', `SELECT * FROM read_blob('${options.tempDirectory}/*')`, notAllowed],
  ['query()', `SELECT * FROM query('SELECT * FROM read_text(''${secret}'')')`, notAllowed],
  ['query_table()', `SELECT * FROM query_table('${secret}')`, notAllowed],
  ['query_table() of a list', `SELECT * FROM query_table(['mine', '${secret}'])`, notAllowed],
  ['histogram() of a table by name', `SELECT * FROM histogram('${secret}', password)`, notAllowed],
  [
    'json_execute_serialized_sql',
    `SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))`,
    notAllowed,
  ],
  ['PRAGMA json_execute_serialized_sql', `PRAGMA json_execute_serialized_sql('{}')`, onlyQueries],
  ['json_serialize_plan', `SELECT json_serialize_plan('SELECT * FROM ''${secret}''')`, notAllowed],
  ['from_substrait', "SELECT * FROM from_substrait('x'::BLOB)", notAllowed],
  ['duckdb_secrets', 'SELECT * FROM duckdb_secrets()', notAllowed],
  ['which_secret', "SELECT * FROM which_secret('s3://x', 's3')", notAllowed],
  ['duckdb_settings', 'SELECT * FROM duckdb_settings()', notAllowed],
  ['duckdb_views', 'SELECT sql FROM duckdb_views()', notAllowed],
  ['duckdb_tables', 'SELECT * FROM duckdb_tables()', notAllowed],
  ['duckdb_databases', 'SELECT path FROM duckdb_databases()', notAllowed],
  ['duckdb_temporary_files', 'SELECT * FROM duckdb_temporary_files()', notAllowed],
  ['duckdb_external_file_cache', 'SELECT * FROM duckdb_external_file_cache()', notAllowed],
  ['duckdb_logs', 'SELECT * FROM duckdb_logs()', notAllowed],
  ['duckdb_variables', 'SELECT * FROM duckdb_variables()', notAllowed],
  ['pragma_database_list', 'SELECT * FROM pragma_database_size()', notAllowed],
  ['enable_logging as a function', "SELECT * FROM enable_logging('QueryLog')", notAllowed],
  ['checkpoint as a function', 'SELECT * FROM checkpoint()', notAllowed],
  ['sql_auto_complete', `SELECT * FROM sql_auto_complete('SELECT * FROM ''${folder}/')`, notAllowed],
  ['seq_scan', 'SELECT * FROM seq_scan()', notAllowed],
  ['arrow_scan', 'SELECT * FROM arrow_scan(1, 2, 3)', notAllowed],
  // The catalog.
  ['other views of information_schema', 'SELECT * FROM information_schema.views', /is not offered/],
  ['information_schema of memory', 'SELECT * FROM memory.information_schema.tables', /cannot be read/],
  ['the table behind information_schema', 'SELECT * FROM "information schema:tables"', noTable],
  [
    'information_schema of another catalog',
    'SELECT * FROM system.information_schema.tables',
    /cannot be read/,
  ],
  ['information_schema of analytics', 'SELECT * FROM analytics.information_schema.tables', /cannot be read/],
  ['pg_catalog', 'SELECT * FROM pg_catalog.pg_class', /cannot be read/],
  ['pg_views without a schema', 'SELECT * FROM pg_views', noTable],
  ['sqlite_master', 'SELECT sql FROM sqlite_master', noTable],
  ['sqlite_master of main', 'SELECT sql FROM main.sqlite_master', noTable],
  ['sqlite_master of framehold', 'SELECT sql FROM framehold.main.sqlite_master', noTable],
  ['sqlite_master of analytics', 'SELECT sql FROM analytics.main.sqlite_master', noTable],
  ['duckdb_views as a table', 'SELECT sql FROM duckdb_views', noTable],
  ['duckdb_databases of analytics', 'SELECT path FROM analytics.duckdb_databases', noTable],
  ['the catalog system', 'SELECT * FROM system.main.duckdb_views', /cannot be read/],
  ['the catalog temp', 'SELECT * FROM temp.main.x', /cannot be read/],
  ['the catalog memory', 'SELECT * FROM memory.main.x', /cannot be read/],
  ['a table that is not in analytics', 'SELECT * FROM analytics.unknown', noTable],
  ['a macro of analytics', 'SELECT analytics.main.leak()', /schema before it/],
  ['a sequence of analytics', "SELECT nextval('analytics.main.counter')", notAllowed],
  ['SHOW TABLES of another schema', 'SHOW TABLES FROM system.main', /SHOW is not offered/],
  ['SHOW of settings', 'SHOW VARIABLES', /SHOW is not offered|no table/],
  ['SHOW in a subquery', 'SELECT * FROM (SHOW TABLES)', /SHOW is not offered/],
  ['a statement behind SHOW TABLES', `SHOW TABLES; COPY mine TO '${target}'`, onlyQueries],
  ['PIVOT over a type', 'PIVOT mine ON a IN some_type USING count(*)', /not offered|Only queries/],
  ['PIVOT without values', 'PIVOT mine ON a USING count(*)', onlyQueries],
  ['the AT clause', 'SELECT * FROM mine AT (VERSION => 1)', /AT is not offered/],
  ['a name of an upstream query', 'SELECT * FROM "tsdb:0"', /No frame can have/],
  // Functions in expressions.
  ['current_setting', "SELECT current_setting('allowed_paths')", notAllowed],
  ['current_setting in its other spelling', "SELECT ('allowed_paths').current_setting()", notAllowed],
  ['current_setting in upper case', "SELECT CURRENT_SETTING('temp_directory')", notAllowed],
  ['getvariable', "SELECT getvariable('x')", notAllowed],
  ['getenv', "SELECT getenv('HOME')", notAllowed],
  ['write_log', "SELECT write_log('x')", notAllowed],
  ['pg_get_viewdef', 'SELECT pg_get_viewdef(1)', notAllowed],
  ['tsdb() of an expression', "SELECT * FROM tsdb('a' || 'b')", /one literal/],
  ['tsdb() of a parameter', 'SELECT * FROM tsdb($1)', /one literal/],
  // Statements.
  ['COPY TO', `COPY (SELECT 1) TO '${target}'`, onlyQueries],
  ['COPY TO its own file', `COPY (SELECT 1 AS a) TO '${mineFile}' (FORMAT parquet)`, onlyQueries],
  ['COPY FROM', `COPY mine FROM '${secret}'`, onlyQueries],
  ['COPY FROM DATABASE', 'COPY FROM DATABASE analytics TO framehold', onlyQueries],
  ['EXPORT DATABASE', `EXPORT DATABASE '${folder}'`, onlyQueries],
  ['IMPORT DATABASE', `IMPORT DATABASE '${folder}'`, onlyQueries],
  ['ATTACH', `ATTACH '${analyticsPath}' AS x`, onlyQueries],
  ['ATTACH in memory', "ATTACH ':memory:' AS x", onlyQueries],
  ['DETACH', 'DETACH analytics', onlyQueries],
  ['USE', 'USE memory', onlyQueries],
  ['INSTALL', 'INSTALL httpfs', onlyQueries],
  ['FORCE INSTALL', "FORCE INSTALL httpfs FROM 'http://example.com'", onlyQueries],
  ['LOAD', 'LOAD httpfs', onlyQueries],
  ['LOAD of a file', `LOAD '${folder}/x.duckdb_extension'`, onlyQueries],
  ['UPDATE EXTENSIONS', 'UPDATE EXTENSIONS', onlyQueries],
  ['CREATE SECRET', "CREATE SECRET s (TYPE s3, KEY_ID 'x', SECRET 'y')", onlyQueries],
  ['DROP SECRET', 'DROP SECRET s', onlyQueries],
  ['PRAGMA', 'PRAGMA database_list', onlyQueries],
  ['PRAGMA with a value', 'PRAGMA threads = 8', onlyQueries],
  ['SET', "SET memory_limit = '100GB'", onlyQueries],
  ['SET GLOBAL', 'SET GLOBAL enable_external_access = true', onlyQueries],
  ['RESET', 'RESET lock_configuration', onlyQueries],
  ['SET VARIABLE', 'SET VARIABLE x = 1', onlyQueries],
  ['SET of the search path', "SET schema = 'memory.main'", onlyQueries],
  [
    'CALL enable_logging',
    `CALL enable_logging(storage = 'file', storage_config = {'path': '${folder}'})`,
    onlyQueries,
  ],
  ['CALL of a table function', `CALL read_text('${secret}')`, onlyQueries],
  ['CHECKPOINT', 'CHECKPOINT', onlyQueries],
  ['FORCE CHECKPOINT', 'FORCE CHECKPOINT analytics', onlyQueries],
  ['VACUUM', 'VACUUM', onlyQueries],
  ['ANALYZE', 'ANALYZE', onlyQueries],
  ['BEGIN', 'BEGIN', onlyQueries],
  ['COMMIT', 'COMMIT', onlyQueries],
  ['PREPARE', `PREPARE p AS SELECT * FROM '${secret}'`, onlyQueries],
  ['EXECUTE', 'EXECUTE p', onlyQueries],
  ['DEALLOCATE', 'DEALLOCATE p', onlyQueries],
  ['CREATE VIEW', `CREATE VIEW v AS FROM '${secret}'`, onlyQueries],
  ['CREATE OR REPLACE VIEW', 'CREATE OR REPLACE VIEW mine AS SELECT 1', onlyQueries],
  ['CREATE TEMP TABLE', 'CREATE TEMP TABLE x AS SELECT 1', onlyQueries],
  ['CREATE TABLE with a check', 'CREATE TABLE x (a INTEGER CHECK (a > 0))', /CHECK is not offered/],
  [
    'a query in a type',
    `CREATE TABLE x (a INTEGER[(SELECT count(*) FROM '${secret}')])`,
    /syntax error|not allowed|refused|Only/i,
  ],
  ['a file behind a list of columns', `CREATE TABLE x (a INTEGER) AS FROM '${secret}'`, /named in its query/],
  ['CREATE TABLE elsewhere', 'CREATE TABLE analytics.main.x AS SELECT 1', /Nothing can be written/],
  ['CREATE MACRO', 'CREATE MACRO m() AS 1', onlyQueries],
  ['CREATE FUNCTION', 'CREATE FUNCTION m() AS TABLE SELECT 1', onlyQueries],
  ['CREATE TYPE', "CREATE TYPE t AS ENUM ('a')", onlyQueries],
  ['CREATE SCHEMA', 'CREATE SCHEMA s', onlyQueries],
  ['CREATE SEQUENCE', 'CREATE SEQUENCE s', onlyQueries],
  ['CREATE INDEX', 'CREATE INDEX i ON mine (a)', onlyQueries],
  ['ALTER TABLE', 'ALTER TABLE mine ADD COLUMN x INTEGER', onlyQueries],
  ['ALTER DATABASE', 'ALTER DATABASE analytics SET ALIAS TO x', onlyQueries],
  ['COMMENT ON VIEW', "COMMENT ON VIEW mine IS 'x'", /Comments are on tables and columns/],
  ['COMMENT ON a column of a file', `COMMENT ON COLUMN '${secret}'.a IS 'x'`, /Comments are on tables/],
  ['COMMENT ON elsewhere', "COMMENT ON TABLE analytics.main.known IS 'x'", /Nothing can be written/],
  ['UPDATE', 'UPDATE mine SET a = 1', onlyQueries],
  ['DELETE', 'DELETE FROM mine', onlyQueries],
  ['MERGE INTO', 'MERGE INTO mine USING mine m ON mine.a = m.a WHEN MATCHED THEN DELETE', onlyQueries],
  ['TRUNCATE', 'TRUNCATE mine', onlyQueries],
  ['DROP VIEW', 'DROP VIEW mine', onlyQueries],
  ['DROP SCHEMA', 'DROP SCHEMA main CASCADE', onlyQueries],
  ['DROP TABLE elsewhere', 'DROP TABLE analytics.main.known', /Nothing can be written/],
  ['INSERT elsewhere', 'INSERT INTO analytics.main.known VALUES (1)', /Nothing can be written/],
  ['INSERT OR REPLACE', 'INSERT OR REPLACE INTO mine VALUES (1, 2)', onlyQueries],
  ['two statements', 'SELECT 1; SELECT 2', onlyQueries],
  ['a second statement behind a comment', `SELECT 1 /* ; */; COPY (SELECT 1) TO '${target}'`, onlyQueries],
  [
    'a second statement behind a comment of a line',
    `SELECT 1 -- x\n; COPY (SELECT 1) TO '${target}'`,
    onlyQueries,
  ],
  ['a statement before the query', `SET threads = 8; SELECT 1`, onlyQueries],
  ['a statement hidden behind EXPLAIN', `EXPLAIN COPY (SELECT 1) TO '${target}'`, onlyQueries],
  ['a statement behind EXPLAIN ANALYZE', `EXPLAIN ANALYZE COPY (SELECT 1) TO '${target}'`, onlyQueries],
  ['a statement behind CREATE TABLE AS', `CREATE TABLE x AS COPY mine TO '${target}'`, onlyQueries],
  ['a statement behind INSERT INTO', `INSERT INTO mine SELECT 1; COPY mine TO '${target}'`, onlyQueries],
  ['a statement behind DROP TABLE', `DROP TABLE x; COPY mine TO '${target}'`, onlyQueries],
  [
    'a statement behind COMMENT ON',
    `COMMENT ON TABLE mine IS 'x'; COPY mine TO '${target}'`,
    /Comments are on tables and columns/,
  ],
  ['a parenthesis that closes too early', 'INSERT INTO mine SELECT 1) AS x(a), (SELECT 2', /syntax error/],
  ['two EXPLAINs', 'EXPLAIN EXPLAIN SELECT 1', /syntax error|Only queries/],
];

test('no attempt has a name that another has', () => {
  assert.equal(new Set(attempts.map(([name]) => name)).size, attempts.length);
});

for (const [name, sql, reason] of attempts) {
  test(`refused: ${name}`, async () => {
    const request = { sql, options, tables: [mine], insertInto: mine.schemaMessage };
    await assert.rejects(runStatement(request), (error: FrameholdError) => {
      assert.ok(['sql_refused', 'sql_invalid'].includes(error.kind), `${error.kind}: ${error.message}`);
      assert.match(error.message, reason);
      return true;
    });
  });
}

test('the catalog shows the frames that were given, whatever else the instance has', async () => {
  for (const [sql, rows] of [
    ['SHOW TABLES', 2],
    ['SHOW ALL TABLES', 2],
    ['SHOW DATABASES', 1],
    ['SELECT * FROM information_schema.tables', 2],
    ['SELECT * FROM mine, framehold.information_schema.columns', null],
    ['SELECT table_name FROM information_schema.schemata, information_schema.tables t', null],
  ] as const) {
    const statement = await DuckdbStatement.begin(sql, { ...options, analyticsPath: null }, 'acme');
    const catalog = ['given', 'other:shared'].map((name) => ({
      name,
      schemaMessage: mine.schemaMessage,
      notes: null,
    }));
    await statement.bind({ tables: sql.includes('mine') ? [mine] : [], catalog, insertInto: null });
    const texts: string[] = [];
    for await (const { header, body } of statement.run(null))
      texts.push(Buffer.from(header).toString('latin1'), Buffer.concat(body).toString('latin1'));
    await statement.close();
    const text = texts.join('');
    if (rows === 2) assert.ok(text.includes('given') && text.includes('other:shared'), sql);
    assert.ok(!text.includes('information schema') && !text.includes(folder), sql);
  }
});

test('nothing was written, nothing changed', () => {
  assert.equal(existsSync(target), false);
  assert.deepEqual(readFileSync(mineFile), untouched);
  assert.deepEqual(readdirSync(own), ['mine.0.parquet']);
  assert.deepEqual(readdirSync(options.tempDirectory), ['spill.tmp']);
});

test('errors of the engine name no path', async () => {
  const table = { ...mine, files: [join(own, 'gone.parquet')] };
  await assert.rejects(
    runStatement({ sql: 'SELECT * FROM mine', options, tables: [table] }),
    (error: FrameholdError) => {
      assert.equal(error.kind, 'engine_failed');
      assert.ok(!error.message.includes(folder), error.message);
      return true;
    },
  );
});

test('neither a plan, a profile, nor a hidden column names a file', async () => {
  for (const sql of [
    'EXPLAIN SELECT * FROM mine WHERE a > 1',
    'EXPLAIN (FORMAT JSON) SELECT * FROM mine',
    'EXPLAIN ANALYZE SELECT * FROM mine m JOIN mine n USING (a)',
    'EXPLAIN (ANALYZE, FORMAT JSON) SELECT * FROM mine',
  ]) {
    const { stream } = await runStatement({ sql, options, tables: [mine] });
    const text = Buffer.from(stream).toString();
    assert.ok(text.includes('READ_PARQUET'), sql);
    assert.ok(!text.includes('mine.0') && !text.includes('.parquet'), text);
  }
  for (const column of ['filename', 'file_row_number', 'file_index', 'rowid'])
    await assert.rejects(
      runStatement({ sql: `SELECT ${column} FROM mine`, options, tables: [mine] }),
      /not found in FROM clause/,
    );
});

/** What the instance alone denies: statements that never saw the allowlist. */
const bypassed: readonly (readonly [sql: string, reason: RegExp])[] = [
  [`SELECT * FROM '${theirFile}'`, /Permission Error/],
  [`SELECT * FROM read_text('${secret}')`, /Permission Error/],
  [`SELECT * FROM read_blob('${otherTemp}/*')`, /Permission Error/],
  [`SELECT * FROM glob('${folder}/*')`, /Permission Error/],
  [`SELECT * FROM read_csv('${secret}')`, /Permission Error/],
  [`SELECT * FROM '${own}/../others/theirs.0.parquet'`, /Permission Error/],
  [`SELECT * FROM parquet_metadata('${theirFile}')`, /Permission Error/],
  [`COPY (SELECT 1) TO '${target}'`, /Permission Error/],
  [`EXPORT DATABASE '${folder}/export'`, /Permission Error/],
  [`ATTACH '${folder}/new.duckdb'`, /Permission Error/],
  ['INSTALL httpfs', /Permission Error/],
  ['LOAD httpfs', /Permission Error|disabled/],
  ["SELECT * FROM 'https://example.com/x.parquet'", /Permission Error/],
  ['SET GLOBAL enable_external_access = true', /locked|Cannot change/],
  ["SET GLOBAL allowed_paths = ['/']", /locked|Cannot change/],
  ['SET threads = 8', /locked/],
  ["SET TimeZone = 'Europe/Berlin'", /locked/],
  ['RESET lock_configuration', /locked/],
  [`CREATE PERSISTENT SECRET s (TYPE http, BEARER_TOKEN 'x')`, /Error/],
  [`SELECT * FROM query('FROM ''${secret}''')`, /Permission Error/],
];

for (const lasting of [false, true])
  test(`the instance alone, without the allowlist, opens no file but those of its statement${lasting ? ', if it lives on' : ''}`, async () => {
    const sandbox = await Sandbox.open(options);
    try {
      await (lasting ? sandbox.lockToLinks() : sandbox.lockToFiles(mine.files));
      const files = lasting ? sandbox.links.make(mine.files) : mine.files;
      const connection = await sandbox.connect();
      await createTableView(connection, { ...mine, files: files ?? [] });
      const reader = await connection.runAndReadAll('SELECT count(*) FROM mine');
      assert.equal(Number(reader.value(0, 0)), 3);
      for (const [sql, reason] of bypassed) await assert.rejects(connection.run(sql), reason, sql);
    } finally {
      sandbox.close();
    }
    assert.equal(existsSync(target), false);
  });

test('functions that look beyond their arguments are denied, in this version of the engine', async () => {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const macros = await connection.runAndReadAll(
    `SELECT DISTINCT function_name, macro_definition FROM duckdb_functions()
     WHERE function_type = 'macro' AND regexp_matches(macro_definition, '\\bfrom\\b|current_setting|\\b(duckdb|pragma)_\\w+\\(|pg_catalog', 'i')`,
  );
  const reaching = macros.getRows().map(([name, text]) => `${name}: ${text}`);
  const open = reaching.filter((each) => !deniedFunctions.has(each.split(':')[0] as string));
  assert.deepEqual(open, []);
  const tables = await connection.runAndReadAll(
    "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type IN ('table', 'table_macro')",
  );
  const known = new Set(tables.getRows().map(([name]) => String(name)));
  assert.deepEqual(
    [...allowedTableFunctions].filter((name) => !known.has(name)),
    [],
  );
  connection.disconnectSync();
  instance.closeSync();
});

test('tables that a statement does not name are not taken', async () => {
  const statement = await DuckdbStatement.begin('SELECT * FROM mine', options, 'acme');
  try {
    await assert.rejects(statement.bind({ tables: [mine, theirs], insertInto: null }), /does not name/);
  } finally {
    await statement.close();
  }
});
