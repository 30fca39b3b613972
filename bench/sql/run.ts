/**
 * SQL through Framehold beside DuckDB in Python, on the same Parquet files, in turns: aggregates by time, a large result by CPU.
 *   npm run bench:sql -- [rows of the frame, 20,000,000] [rows fetched, 10,000,000] [rounds, 5]
 */
import { treeCpuSeconds } from './process-tree.ts';
import { settledFiles, sqlClient, startBuilt, verdict } from './sql-client.ts';

const targets = { aggregates: 1.1, fetchCpu: 2.0 };
const rows = Number(process.argv[2] ?? 20_000_000);
const fetched = Number(process.argv[3] ?? 10_000_000);
const rounds = Number(process.argv[4] ?? 5);
const name = 'measured';

interface Fetch {
  readonly cpu: number;
  readonly seconds: number;
}

const framehold = await startBuilt({ FRAMEHOLD_SQL_THREADS: '2' });
let met = true;
try {
  await sqlClient('put', framehold.grpcUrl, name, String(rows), '1');
  const files = await settledFiles(framehold);
  await aggregates(files);
  await fetch(files);
} finally {
  await framehold.remove();
}
process.exitCode = met ? 0 : 1;

async function aggregates(files: readonly string[]): Promise<void> {
  const report = await sqlClient<Record<string, Record<'duckdb' | 'http' | 'adbc', number>>>(
    'aggregates',
    framehold.url,
    framehold.grpcUrl,
    String(rounds),
    name,
    ...files,
  );
  const sums = { duckdb: 0, http: 0, adbc: 0 };
  for (const [title, seconds] of Object.entries(report)) {
    for (const route of ['duckdb', 'http', 'adbc'] as const) sums[route] += seconds[route];
    console.log(line(title, seconds));
  }
  console.log(line('all', sums));
  const ratio = sums.http / sums.duckdb;
  met &&= ratio <= targets.aggregates;
  console.log(
    `aggregates: ${ratio.toFixed(2)} of DuckDB's time, wanted ${targets.aggregates}: ${verdict(ratio <= targets.aggregates)}`,
  );
}

function line(title: string, seconds: Readonly<Record<'duckdb' | 'http' | 'adbc', number>>): string {
  const ratio = (route: 'http' | 'adbc') =>
    `${route} ${(seconds[route] * 1_000).toFixed(0)} ms (${(seconds[route] / seconds.duckdb).toFixed(2)})`;
  return `${title.padEnd(20)}  DuckDB ${(seconds.duckdb * 1_000).toFixed(0)} ms  ${ratio('http')}  ${ratio('adbc')}`;
}

/** The processor time of the server and its engines, against that of a Python process that makes the same bytes. */
async function fetch(files: readonly string[]): Promise<void> {
  const sql = `SELECT id, key, value, text FROM ${name} WHERE id < ${fetched}`;
  const all: Record<'duckdb' | 'http' | 'adbc', number[]> = { duckdb: [], http: [], adbc: [] };
  for (let round = 0; round < rounds; round++) {
    const bare = await sqlClient<{ ipc: Fetch; table: Fetch }>('fetch-duckdb', sql, name, ...files);
    all.duckdb.push(bare.ipc.cpu);
    for (const [route, url] of [
      ['http', framehold.url],
      ['adbc', framehold.grpcUrl],
    ] as const) {
      const before = treeCpuSeconds(framehold.pid);
      const got = await sqlClient<Fetch & { rows: number }>(`fetch-${route}`, url, sql);
      all[route].push(treeCpuSeconds(framehold.pid) - before);
      if (got.rows !== Math.min(fetched, rows)) throw new Error(`${route}: ${got.rows} rows`);
      console.log(
        `fetch ${route}: ${all[route].at(-1)?.toFixed(2)} CPU s in the server, ${got.cpu.toFixed(2)} in the client, ${got.seconds.toFixed(2)} s; ` +
          `DuckDB as IPC ${bare.ipc.cpu.toFixed(2)} CPU s, as a table ${bare.table.cpu.toFixed(2)}`,
      );
    }
  }
  for (const route of ['http', 'adbc'] as const) {
    const ratio = median(all[route]) / median(all.duckdb);
    met &&= ratio <= targets.fetchCpu;
    console.log(
      `${fetched} rows over ${route}: ${ratio.toFixed(2)} of Python's CPU, wanted ${targets.fetchCpu}: ${verdict(ratio <= targets.fetchCpu)}`,
    );
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
