import { sqlClient, startBuilt, transcodedFiles } from '../../sql/sql-client.ts';
import type { BenchmarkCase, CaseFamily, OpenFamily, Sample, Sides, Size } from '../benchmark-case.ts';
import { measureTree } from '../measure-tree.ts';
import { PythonWorker, type WorkerAnswer } from '../python-worker.ts';

const routes = ['http', 'adbc'] as const;
type Route = (typeof routes)[number];
const titles = { http: 'HTTP', adbc: 'ADBC' } as const;
const aggregateLimits = { http: 1.05, adbc: 1.1 } as const;

const aggregateCases = routes.map(
  (route): BenchmarkCase => ({
    name: `aggregates-${route}`,
    title: `six aggregates over 20M rows, ${titles[route]}`,
    quantity: 'time',
    unit: 's/statement',
    peer: 'DuckDB in Python',
    targets: [{ of: 'ratio', atMost: aggregateLimits[route] }],
  }),
);
const fetchCases = routes.map(
  (route): BenchmarkCase => ({
    name: `fetch-${route}`,
    title: `10M rows as Arrow, ${titles[route]}`,
    quantity: 'cpu',
    unit: 'CPU s',
    peer: 'DuckDB in Python, as Arrow IPC',
    targets: [{ of: 'ratio', atMost: 1.6 }],
    inShare: route === 'http',
  }),
);

/** Large statements on the same Parquet files, and large results. */
export const results: CaseFamily = { name: 'results', cases: [...aggregateCases, ...fetchCases], open };

const rowsAtFullScale = 20_000_000;
const fetchedAtFullScale = 10_000_000;
const name = 'measured';
/** Statements compare files that were not read since the start with their hashes, some at a time. That comes once, and is not measured. */
const warmUps = 12;

const aggregates = [
  `SELECT count(*), sum(id), sum(value), min(key), max(key) FROM ${name}`,
  `SELECT key, count(*) AS n, sum(value) AS s, avg(value) AS a FROM ${name} GROUP BY key ORDER BY key`,
  `SELECT count(*), max(s) FROM (SELECT id % 1000000 AS k, sum(value) AS s FROM ${name} GROUP BY k)`,
  `SELECT left(text, 1) AS c, count(*), max(text) FROM ${name} WHERE value > 500 AND key % 3 = 0 GROUP BY c ORDER BY c`,
  `SELECT count(DISTINCT key), approx_count_distinct(id) > 0 FROM ${name}`,
  `SELECT max(r) FROM (SELECT row_number() OVER (PARTITION BY key ORDER BY id) AS r FROM ${name} WHERE id % 10 = 0)`,
];

/** The same answer, and another literal each time: an answer that was kept would measure nothing. */
function aggregatesOf(round: number): string[] {
  return aggregates.map((sql) => `SELECT * FROM (${sql}) WHERE ${round} >= 0`);
}

async function open({ scale }: Size): Promise<OpenFamily> {
  await using opened = new AsyncDisposableStack();
  const duckdb = opened.use(await PythonWorker.start());
  const client = opened.use(await PythonWorker.start());
  const framehold = opened.adopt(await startBuilt({ FRAMEHOLD_SQL_THREADS: '2' }), (each) => each.remove());
  const fetched = Math.round(fetchedAtFullScale * scale);
  await sqlClient('put', framehold.grpcUrl, name, String(Math.round(rowsAtFullScale * scale)), '1');
  await duckdb.do('open_view', { name, files: await transcodedFiles(framehold) });
  const urls = { http: framehold.url, adbc: framehold.grpcUrl } as const;
  for (let count = 0; count < warmUps; count++)
    await client.do('total_http', {
      url: urls.http,
      sqls: [`SELECT count(*) FROM ${name} WHERE id >= ${count}`],
    });

  const expected = (await duckdb.do('total', { sqls: aggregatesOf(0) })).digest;
  const assertSame = (answer: WorkerAnswer): Sample => {
    if (answer.digest !== expected) throw new Error('an answer differs from that of DuckDB');
    return answer;
  };
  const assertRows = (answer: WorkerAnswer): Sample => {
    if (answer.rows !== fetched) throw new Error(`${answer.rows} rows, not ${fetched}`);
    return answer;
  };
  const ours = (run: () => Promise<Sample>): Promise<Sample> =>
    measureTree(framehold.pid, async () => {
      const { work, seconds } = await run();
      return { work, seconds };
    });
  const aggregateSides = (route: Route): Sides => ({
    framehold: (round) =>
      ours(async () =>
        assertSame(await client.do(`total_${route}`, { url: urls[route], sqls: aggregatesOf(round) })),
      ),
    peer: async (round) => assertSame(await duckdb.do('total', { sqls: aggregatesOf(round) })),
  });
  const rowsOf = (round: number) =>
    `SELECT id, key, value, text FROM ${name} WHERE id < ${fetched} AND ${round} >= 0`;
  const fetchSides = (route: Route): Sides => ({
    framehold: (round) =>
      ours(async () =>
        assertRows(await client.do(`fetch_${route}`, { url: urls[route], sql: rowsOf(round) })),
      ),
    peer: async (round) => assertRows(await duckdb.do('fetch_ipc', { sql: rowsOf(round) })),
  });
  const closing = opened.move();
  return {
    sides: Object.fromEntries(
      routes.flatMap((route) => [
        [`aggregates-${route}`, aggregateSides(route)],
        [`fetch-${route}`, fetchSides(route)],
      ]),
    ),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}
