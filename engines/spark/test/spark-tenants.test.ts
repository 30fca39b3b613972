import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { EngineTable } from '../../../server/src/ports/engine.ts';
import { parquetTable } from '../../../server/test/engine/parquet-table.ts';
import { removeFolder, temporaryFolder } from '../../../server/test/support/temporary-folder.ts';
import type { SparkEngine } from '../src/spark-engine.ts';
import { openSparkEngine, rowsOf } from './spark-engines.ts';
import { type SparkConnectServer, startSparkConnect } from './support/spark-connect-server.ts';

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

test('views of a session are unknown to others, under every name that could mean them', async () => {
  const [mine, other] = tables as [EngineTable, EngineTable];
  const [engine, stranger] = engines as [SparkEngine, SparkEngine];
  const statement = await engine.begin('SELECT * FROM held', 'acme', new AbortController().signal);
  await statement.bind({ tables: [mine], insertInto: null });
  for (const name of ['`fh_0`', 'fh_0', '`fh_1`', 'held2'])
    await assert.rejects(rowsOf(stranger, `SELECT * FROM ${name}`, [other]), { kind: 'sql_invalid' }, name);
  for (const name of ['session.fh_0', 'global_temp.fh_0', 'system.session.fh_0', 'default.fh_0'])
    await assert.rejects(rowsOf(stranger, `SELECT * FROM ${name}`, [other]), { kind: 'sql_refused' }, name);
  await statement.close();
});
