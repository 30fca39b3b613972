/**
 * An aggregate, an aggregate with a group for each customer, and a join, over frames that are larger than the memory of everything that takes part:
 * Spark's standalone mode with two executors of 1.5 GB each. The answers are known from the rows as they are made. Then DuckDB, the default
 * engine, runs the same statements within the same memory. Needs about three times GIGABYTES on the disk of TMPDIR.
 *   npm run bench:spark-large -- [gigabytes of Parquet, 20] [customers, 50,000,000] [statements, aggregate,wide,join] [engines, spark,duckdb]
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SparkCluster } from '../../engines/spark/test/support/spark-cluster.ts';
import { pythonCommand } from '../../server/test/support/python.ts';
import { residentMegabytes } from '../load/process-state.ts';
import { treeCpuSeconds } from '../sql/process-tree.ts';
import { startBuilt, transcodedFiles } from '../sql/sql-client.ts';

const gigabytes = Number(process.argv[2] ?? 20);
const customers = Number(process.argv[3] ?? 50_000_000);
const executorMemory = '1500m';
const statementMs = 3_600_000;
const payload = ['a', 'b', 'c', 'd', 'e'];

const statements = {
  aggregate: `SELECT customer % 1000 AS bucket, count(*) AS n, sum(amount) AS s, ${payload
    .map((column) => `bit_xor(${column}) AS ${column}`)
    .join(', ')} FROM facts GROUP BY customer % 1000 ORDER BY bucket`,
  wide: `SELECT count(*) AS customers, max(n) AS n, max(s) AS s, sum(s) AS total
    FROM (SELECT customer, count(*) AS n, sum(amount) AS s FROM facts GROUP BY customer) AS each`,
  join: `SELECT c.segment, count(*) AS n, sum(f.amount) AS s, bit_xor(f.a) AS x
    FROM facts AS f JOIN customers AS c ON f.customer = c.customer GROUP BY c.segment ORDER BY c.segment`,
};
type Title = keyof typeof statements;
const titles = (process.argv[4]?.split(',') ?? Object.keys(statements)) as Title[];
const engines = process.argv[5]?.split(',') ?? ['spark', 'duckdb'];

interface Made {
  readonly rows: number;
  readonly arrowBytes: number;
  readonly answers: Readonly<Record<Title, readonly (readonly number[])[]>>;
}

const cluster = await SparkCluster.start({ executorMemory, conf: { 'spark.sql.shuffle.partitions': '64' } });
const framehold = await startBuilt({
  FRAMEHOLD_SPARK_URL: cluster.url,
  // Arrow forms are removed as soon as their Parquet has been compared: the disk must not hold both.
  FRAMEHOLD_STORAGE_CACHE_SIZE_GB: '1',
  FRAMEHOLD_SQL_MEMORY_BYTES_MAX: '1500000000',
  FRAMEHOLD_SQL_TIMEOUT_MS: String(statementMs),
  FRAMEHOLD_SPARK_TIMEOUT_MS: String(statementMs),
});
try {
  const began = Date.now();
  const script = join(import.meta.dirname, 'large_frames.py');
  const args = [script, framehold.grpcUrl, String(gigabytes), String(customers)];
  const { stdout } = await promisify(execFile)(pythonCommand, args, { maxBuffer: 64 * 1024 * 1024 });
  const made = parseExactly(stdout) as Made;
  const files = await transcodedFiles(framehold);
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
  console.log(
    `${made.rows} rows, ${gb(made.arrowBytes)} of Arrow, ${gb(bytes)} of Parquet in ${files.length} files: put and transcoded in ${seconds(began)}`,
  );
  for (const title of titles) for (const engine of engines) await measure(title, engine, made.answers[title]);
} finally {
  await framehold.remove();
  await cluster.stop();
}

async function measure(title: Title, engine: string, wanted: readonly (readonly unknown[])[]): Promise<void> {
  const processes = engine === 'spark' ? sparkProcesses() : [framehold.pid];
  const [began, cpuBegan] = [Date.now(), cpuOf(processes)];
  let peak = 0;
  const watch = setInterval(() => {
    // One that has just ended has no memory to tell of.
    peak = Math.max(peak, ...executors().map(residentMegabytes).filter(Number.isFinite));
  }, 1_000);
  const answer = await post('/v1/sql?fmt=json', JSON.stringify({ sql: statements[title], engine }));
  const text = (await answer.setEncoding('utf8').toArray()).join('');
  clearInterval(watch);
  const figures = `${seconds(began)}, ${(cpuOf(processes) - cpuBegan).toFixed(0)} CPU s`;
  if (answer.statusCode !== 200) {
    // DuckDB may say that its memory does not suffice: that is what this is about.
    if (engine === 'spark') throw new Error(text);
    console.log(`${title}, ${engine}: ${answer.statusCode} after ${figures}: ${text}`);
    return;
  }
  const { dataset } = parseExactly(text) as { dataset: unknown[][] };
  assert.deepEqual(dataset, wanted, `${title}, ${engine}`);
  const memory = engine === 'spark' ? `, executors up to ${peak.toFixed()} MB` : '';
  console.log(`${title}, ${engine}: right, ${dataset.length} rows in ${figures}${memory}`);
}

/** The first row may take long: fetch would give up after five minutes. */
function post(path: string, body: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    request(framehold.url + path, { method: 'POST', headers }, resolve)
      .on('error', reject)
      .end(body);
  });
}

function executors(): number[] {
  return cluster.workers.flatMap((worker) => worker.executors);
}

function sparkProcesses(): number[] {
  return [framehold.pid, cluster.connect.pid, ...executors()];
}

function cpuOf(processes: readonly number[]): number {
  return processes.map(treeCpuSeconds).reduce((sum, each) => sum + each, 0);
}

/** Whole numbers that a double cannot hold stay texts, on both sides. */
function parseExactly(text: string): unknown {
  const exact = (_key: string, value: unknown, context?: { readonly source?: string }) =>
    Number.isInteger(value) && !Number.isSafeInteger(value) ? context?.source : value;
  return JSON.parse(text, exact as (key: string, value: unknown) => unknown);
}

function gb(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}

function seconds(began: number): string {
  return `${((Date.now() - began) / 1_000).toFixed(0)} s`;
}
