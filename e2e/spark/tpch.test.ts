/**
 * The 22 queries of TPC-H through Spark, over HTTP and ADBC, give what DuckDB in Python gives. `e2e/python/spark_tpch.py` states which columns may
 * differ, by how much and why; `npm run test:spark` runs scale factor 1, the benchmark's smallest.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import {
  type SparkConnectServer,
  startSparkConnect,
} from '../../engines/spark/test/support/spark-connect-server.ts';
import { inWholeSparkRun } from '../../engines/spark/test/support/spark-run.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { runPython } from '../../server/test/support/python.ts';
import { partsFolder } from '../../server/test/support/repository.ts';
import { removeFolder, temporaryFolder } from '../../server/test/support/temporary-folder.ts';

const scale = inWholeSparkRun(1, 0.01);
const python = join(import.meta.dirname, '..', 'python');
const timeoutMs = 1_800_000;
const queryNumbers = Array.from({ length: 22 }, (_, index) => String(index + 1));

interface Report {
  readonly faults: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly rows: Readonly<Record<string, number>>;
  readonly seconds: Readonly<Record<string, number>>;
}

const run = promisify(execFile);
const folder = temporaryFolder('spark-tpch');
let spark: SparkConnectServer;
let framehold: Framehold;
let report: Report;

before(async () => {
  spark = await startSparkConnect();
  const generator = join(partsFolder, 'venv', 'bin', 'tpchgen-cli');
  await run(generator, ['parquet', '-s', String(scale), `--output-dir=${folder}`]);
  const texts = await run(join(partsFolder, 'tpch', 'bin', 'python'), [join(python, 'tpch_texts.py')]);
  framehold = await Framehold.start({ env: { FRAMEHOLD_SPARK_URL: spark.url } });
  const request = {
    http: framehold.url,
    grpc: framehold.grpcUrl,
    folder,
    queries: JSON.parse(texts.stdout) as Record<string, string>,
  };
  report = (await runPython([join(python, 'spark_tpch.py')], request, timeoutMs)) as Report;
});
after(async () => {
  await framehold?.remove();
  await spark?.stop();
  removeFolder(folder);
});

test('the tables have the rows that their scale says', () => {
  assert.equal(Object.keys(report.rows).length, 8);
  assert.equal(report.rows.orders, 1_500_000 * scale);
});

for (const number of queryNumbers)
  test(`query ${number} is equal`, (t) => {
    const seconds = (route: string) => report.seconds[`${route} ${number}`]?.toFixed(2);
    t.diagnostic(`HTTP ${seconds('http')} s, ADBC ${seconds('adbc')} s, DuckDB ${seconds('duckdb')} s`);
    assert.deepEqual(report.faults[number], {});
  });

test('there are exactly 22 queries', () => {
  assert.deepEqual(Object.keys(report.faults), queryNumbers);
});
