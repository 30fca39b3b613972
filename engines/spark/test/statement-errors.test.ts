import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type ErrorKind, FrameholdError } from '../../../server/src/model/errors.ts';
import type { EngineTable } from '../../../server/src/ports/engine.ts';
import { parquetTable } from '../../../server/test/engine/parquet-table.ts';
import { removeFolder, temporaryFolder } from '../../../server/test/support/temporary-folder.ts';
import type { SparkEngine } from '../src/spark-engine.ts';
import { openSparkEngine, rowsOf } from './spark-engines.ts';
import { type SparkConnectServer, startSparkConnect } from './support/spark-connect-server.ts';

const folder = temporaryFolder('spark-errors');
let spark: SparkConnectServer;
let engine: SparkEngine;
let trades: EngineTable;

before(async () => {
  spark = await startSparkConnect();
  engine = await openSparkEngine(spark.url);
  trades = await parquetTable(
    folder,
    'trades',
    "SELECT range::BIGINT AS id, 'x' || range AS name FROM range(1000)",
  );
});

after(async () => {
  await engine.close();
  await spark.stop();
  removeFolder(folder);
});

/** Where the reason is written, marked by a bar. null: Spark does not say where. */
interface Case {
  readonly sql: string;
  readonly kind: ErrorKind;
  readonly says: RegExp;
}

const cases: readonly Case[] = [
  { sql: 'SELECT id,\n  |no_such FROM trades', kind: 'sql_invalid', says: /no_such.*Did you mean.*`id`/s },
  { sql: "SELECT '😀', |no_such FROM trades", kind: 'sql_invalid', says: /no_such/ },
  { sql: 'SELECT /* first */ id FROM trades ORDER BY |t.id', kind: 'sql_invalid', says: /`t`\.`id`/ },
  { sql: 'SELECT |1 / (id - 5) FROM trades', kind: 'sql_failed', says: /^Division by zero.*try_divide/ },
  { sql: 'SELECT |CAST(name AS INT) FROM trades', kind: 'sql_failed', says: /'x\d+'.*cannot be cast/ },
  { sql: 'SELECT |9223372036854775807 + id FROM trades', kind: 'sql_failed', says: /overflow/ },
  { sql: 'SELECT |(SELECT id FROM trades) AS one', kind: 'sql_failed', says: /more than one row/i },
  { sql: 'SELECT |substr(id) FROM trades', kind: 'sql_invalid', says: /`substr` requires/ },
  { sql: 'SELECT |id + array(1) FROM trades', kind: 'sql_invalid', says: /type/i },
  { sql: '|SELECT id, count(*) FROM trades', kind: 'sql_invalid', says: /group by/i },
  {
    sql: 'SELECT |element_at(array(1), CAST(id AS INT) + 2) FROM trades',
    kind: 'sql_failed',
    says: /index/i,
  },
];

test('errors about a statement have the kind, words and place that its caller needs, and nothing of the server', async () => {
  for (const { sql, kind, says } of cases) {
    const position = sql.indexOf('|');
    const error = await rowsOf(engine, sql.replace('|', ''), [trades]).then(
      () => assert.fail(`no error: ${sql}`),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof FrameholdError, sql);
    assert.equal(error.kind, kind, `${sql}: ${error.message}`);
    assert.match(error.message, says, sql);
    const shown = `${error.message} ${error.hint}`;
    // Nothing of views, files, classes, plans and settings.
    assert.doesNotMatch(
      shown,
      /fh_|\.parquet|file:|dev\/shm|org\.apache|java\.|spark\.sql|SQLSTATE|\+- |== SQL/,
      sql,
    );
    assert.equal(error.place?.position, position, `${sql}: ${JSON.stringify(error.place)}`);
  }
});

test('files that are not there are an error of the engine, without their address', async () => {
  const lost = { ...trades, files: [`${folder}/not-there.parquet`] };
  await assert.rejects(rowsOf(engine, 'SELECT * FROM trades', [lost]), (error: FrameholdError) => {
    assert.equal(error.kind, 'engine_failed');
    assert.doesNotMatch(`${error.message} ${error.hint}`, /not-there|parquet|shm/);
    assert.match(String((error.cause as Error).message), /not-there/);
    return true;
  });
});

test('the place of an error behind a parameter is that in the text of the caller', async () => {
  const sql = 'SELECT ? AS a, ? AS b, no_such FROM trades';
  const values = ['a long text, much longer than its mark', 12345678901n];
  await assert.rejects(rowsOf(engine, sql, [trades], { kind: 'json', values }), (error: FrameholdError) => {
    assert.equal(error.place?.position, sql.indexOf('no_such'));
    return true;
  });
});
