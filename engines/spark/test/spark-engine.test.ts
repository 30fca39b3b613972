import { after, before } from 'node:test';
import { engineConformance } from '../../../server/test/engine/engine-conformance.ts';
import type { EngineDialect } from '../../../server/test/engine/engine-dialect.ts';
import { SparkEngine } from '../src/spark-engine.ts';
import { type SparkConnectServer, startSparkConnect } from './support/spark-connect-server.ts';

/**
 * More rows than Spark can make in minutes. A task looks whether it was ended between two rows of a, each of which has a million others: with much
 * more of them it would go on for minutes after its job was stopped, and keep its slot.
 */
const endless = 'numbers a CROSS JOIN numbers b CROSS JOIN (SELECT id FROM numbers WHERE id < 10) c';

const sparkDialect: EngineDialect = {
  offers: { changes: false, upstream: false, fileOrder: false, parameterTypes: false, memoryLimit: false },
  longQuery: `SELECT sum(sin(a.id * b.id + c.id)) AS s FROM ${endless}`,
  // Spark gives the rows of a part of the work when that part is done: those of the first table, and then none.
  endlessRows: `SELECT id FROM numbers UNION ALL SELECT a.id FROM ${endless} WHERE sin(a.id * b.id + c.id) > 2`,
  manyRows: 'SELECT a.id FROM numbers a CROSS JOIN (SELECT id FROM numbers WHERE id < 20) b',
  manyRowsMs: 8_000,
  failsLate:
    "SELECT CAST(CASE WHEN a.id = 90000 AND b.id = 9 THEN 'x' ELSE '1' END AS INT) AS n FROM numbers a CROSS JOIN (SELECT id FROM numbers WHERE id < 10) b",
  failsInTable:
    "SELECT CAST(CASE WHEN id = 90000 THEN 'x' ELSE CAST(id AS STRING) END AS BIGINT) AS n FROM numbers WHERE id >= 0",
  needsMemory: '',
  parameter: () => '?',
  namedParameters: 'SELECT :a + :b AS c',
  upstreamTwice: "SELECT * FROM tsdb('select x') a JOIN tsdb('select x') b USING (id)",
  readsForAWhile:
    'SELECT sum(sin(a.id * b.id)) AS s FROM numbers a CROSS JOIN (SELECT id FROM numbers WHERE id < 1000) b',
  stopMs: 5_000,
  refused: [
    'CACHE TABLE x AS SELECT 1',
    'SELECT * FROM parquet.`/tmp/x`',
    'SET spark.sql.runSQLOnFiles = true',
    "SELECT reflect('java.lang.System', 'getenv', 'HOME')",
  ],
};

let spark: SparkConnectServer;
before(async () => {
  spark = await startSparkConnect();
});
after(() => spark.stop());

engineConformance('Spark', sparkDialect, (limits) =>
  SparkEngine.open({
    url: spark.url,
    token: null,
    caFile: null,
    statementsMax: limits.places,
    queueMax: limits.queueMax,
    queueWaitMs: limits.queueWaitMs,
    timeoutMs: limits.timeoutMs,
    observe: () => {},
  }),
);
