/**
 * The same statements on the same Parquet files, in turns: DuckDB in Python, Spark with its own Python client, and Spark through Framehold, over
 * HTTP and ADBC. Medians of time, and the processor time of everything that took part.
 *   npm run bench:spark -- [rows of the frame, 20,000,000] [rows fetched, 5,000,000] [rounds, 7]
 */
import { join } from 'node:path';
import { OwnSparkConnect } from '../../engines/spark/test/support/spark-connect-server.ts';
import { sparkPython } from '../../engines/spark/test/support/spark-parts.ts';
import { pythonCommand } from '../../server/test/support/python.ts';
import { treeCpuSeconds } from '../sql/process-tree.ts';
import { sqlClient, startBuilt, transcodedFiles, verdict } from '../sql/sql-client.ts';
import { StatementClient } from './statement-client.ts';

/** What Framehold may cost over Spark's own client. */
const targets = { smallMs: 150, fetchRatio: 1.05 };
const rows = Number(process.argv[2] ?? 20_000_000);
const fetched = Number(process.argv[3] ?? 5_000_000);
const rounds = Number(process.argv[4] ?? 7);
const name = 'measured';

const statements = {
  small: `SELECT id, key, value FROM ${name} WHERE id < 100`,
  aggregate: `SELECT key, count(*) AS n, sum(value) AS s FROM ${name} GROUP BY key ORDER BY key`,
  join: `SELECT count(*) AS n, sum(a.value) AS s FROM ${name} a JOIN ${name} b ON a.id = b.id * 2 WHERE b.key < 100`,
  fetch: `SELECT id, key, value, text FROM ${name} WHERE id < ${fetched}`,
};
type Title = keyof typeof statements;
const routes = ['duckdb', 'bare', 'http', 'adbc'] as const;
type Route = (typeof routes)[number];

interface Sample {
  readonly seconds: number;
  readonly cpu: number;
}

const spark = await OwnSparkConnect.start({ memory: '2g' });
const framehold = await startBuilt({ FRAMEHOLD_SPARK_URL: spark.url });
let met = true;
try {
  await sqlClient('put', framehold.grpcUrl, name, String(rows), '1');
  const files = await transcodedFiles(framehold);
  const script = (file: string) => join(import.meta.dirname, file);
  const other = (...args: string[]) =>
    StatementClient.start(pythonCommand, [script('other_clients.py'), ...args]);
  await using duckdb = await other('duckdb', name, ...files);
  await using bare = await StatementClient.start(sparkPython, [
    script('bare_spark.py'),
    spark.url,
    name,
    ...files,
  ]);
  await using http = await other('http', framehold.url, 'spark');
  await using adbc = await other('adbc', framehold.grpcUrl, 'spark');
  const clients: Readonly<Record<Route, StatementClient>> = { duckdb, bare, http, adbc };
  for (const title of Object.keys(statements) as Title[]) report(title, await measure(clients, title));
} finally {
  await framehold.remove();
  await spark.stop();
}
process.exitCode = met ? 0 : 1;

async function measure(
  clients: Readonly<Record<Route, StatementClient>>,
  title: Title,
): Promise<Readonly<Record<Route, Sample>>> {
  const samples: Record<Route, Sample[]> = { duckdb: [], bare: [], http: [], adbc: [] };
  let expected: number | null = null;
  // The first round compiles what the others use.
  for (let round = 0; round <= rounds; round++)
    for (const route of routes) {
      const before = serverCpu(route);
      const answer = await clients[route].run(statements[title]);
      expected ??= answer.rows;
      if (answer.rows !== expected)
        throw new Error(`${title}, ${route}: ${answer.rows} rows, not ${expected}`);
      if (round > 0)
        samples[route].push({ seconds: answer.seconds, cpu: answer.cpu + serverCpu(route) - before });
    }
  return Object.fromEntries(
    routes.map((route) => [
      route,
      {
        seconds: median(samples[route].map(({ seconds }) => seconds)),
        cpu: median(samples[route].map(({ cpu }) => cpu)),
      },
    ]),
  ) as Record<Route, Sample>;
}

function serverCpu(route: Route): number {
  if (route === 'duckdb') return 0;
  return treeCpuSeconds(spark.pid) + (route === 'bare' ? 0 : treeCpuSeconds(framehold.pid));
}

function report(title: Title, samples: Readonly<Record<Route, Sample>>): void {
  const text = (route: Route) =>
    `${route} ${(samples[route].seconds * 1_000).toFixed(0)} ms, ${samples[route].cpu.toFixed(2)} CPU s`;
  console.log(`${title.padEnd(10)} ${routes.map(text).join('; ')}`);
  for (const route of ['http', 'adbc'] as const) {
    const overMs = (samples[route].seconds - samples.bare.seconds) * 1_000;
    const ratio = samples[route].seconds / samples.bare.seconds;
    if (title === 'small')
      judge(title, route, `${overMs.toFixed(0)} ms over Spark's client`, overMs < targets.smallMs);
    else
      judge(
        title,
        route,
        `${ratio.toFixed(3)} of Spark's client`,
        title !== 'fetch' || ratio < targets.fetchRatio,
      );
  }
}

function judge(title: Title, route: Route, figure: string, isMet: boolean): void {
  met &&= isMet;
  console.log(`  ${title} over ${route}: ${figure}: ${verdict(isMet)}`);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
