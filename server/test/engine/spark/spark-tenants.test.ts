import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { SparkEngine } from '../../../src/engine/spark/spark-engine.ts';
import type { EngineTable } from '../../../src/frames/ports/engine.ts';
import { type SparkConnectServer, startSparkConnect } from '../../support/spark/spark-connect-server.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { parquetTable } from '../parquet-table.ts';
import { openSparkEngine, rowsOf } from './spark-engines.ts';

const folder = temporaryFolder('spark-tenants');
let spark: SparkConnectServer;
let engines: readonly SparkEngine[];
let tables: readonly EngineTable[];

before(async () => {
  spark = await startSparkConnect();
  engines = [await openSparkEngine(spark.url), await openSparkEngine(spark.url)];
  tables = [
    await tableOf(folder, 'one', 'SELECT range::BIGINT AS id, 1 AS owner FROM range(1000)'),
    await tableOf(folder, 'two', 'SELECT range::BIGINT AS id, 2 AS owner FROM range(2000)'),
  ];
});

after(async () => {
  await Promise.all(engines.map((engine) => engine.close()));
  await spark.stop();
  removeFolder(folder);
});

/** Both are called `held` in SQL. */
async function tableOf(where: string, file: string, query: string): Promise<EngineTable> {
  return { ...(await parquetTable(where, file, query)), name: 'held' };
}

test('statements at once, of two engines and of one, each see their own frame of the same name', async () => {
  const sql = 'SELECT count(*) AS n, min(owner) AS a, max(owner) AS b FROM held';
  const asked = Array.from({ length: 12 }, (_, index) => ({
    engine: engines[index % 2] as SparkEngine,
    which: Math.floor(index / 2) % 2,
  }));
  const found = await Promise.all(
    asked.map(({ engine, which }) => rowsOf(engine, sql, [tables[which] as EngineTable])),
  );
  for (const [index, { which }] of asked.entries())
    assert.deepEqual(found[index], [[which === 0 ? '1000' : '2000', which + 1, which + 1]]);
});

test('views of a session are unknown to others, under every name that could mean them', async () => {
  const [mine, other] = tables as [EngineTable, EngineTable];
  const [engine, stranger] = engines as [SparkEngine, SparkEngine];
  const statement = await engine.begin('SELECT * FROM held', new AbortController().signal);
  await statement.bind({ tables: [mine], insertInto: null });
  for (const name of ['`fh_0`', 'fh_0', '`fh_1`', 'held2'])
    await assert.rejects(rowsOf(stranger, `SELECT * FROM ${name}`, [other]), { kind: 'sql_invalid' }, name);
  for (const name of ['session.fh_0', 'global_temp.fh_0', 'system.session.fh_0', 'default.fh_0'])
    await assert.rejects(rowsOf(stranger, `SELECT * FROM ${name}`, [other]), { kind: 'sql_refused' }, name);
  await statement.close();
});

test('a reader that is slow holds little memory here, and does not hold up others', async () => {
  const [engine, stranger] = engines as [SparkEngine, SparkEngine];
  const [, table] = tables as [EngineTable, EngineTable];
  // 4M rows of 16 bytes and more: 64 MB.
  const sql = 'SELECT a.id, b.id AS other FROM held a CROSS JOIN held b';
  const statement = await engine.begin(sql, new AbortController().signal);
  await statement.bind({ tables: [table], insertInto: null });
  let [rows, others, heldMax] = [0, 0, 0];
  const before = process.memoryUsage().arrayBuffers + process.memoryUsage().external;
  for await (const { bodyBytes } of statement.run(null)) {
    rows += bodyBytes;
    if (others >= 3) continue;
    others += (await rowsOf(stranger, 'SELECT 1 AS one')).length;
    const { arrayBuffers, external } = process.memoryUsage();
    heldMax = Math.max(heldMax, arrayBuffers + external - before);
  }
  await statement.close();
  assert.equal(others, 3);
  assert.ok(rows >= 4_000_000 * 16, `${rows} bytes`);
  assert.ok(heldMax < 24 * 1024 ** 2, `${heldMax} bytes are held while the reader waits`);
});
