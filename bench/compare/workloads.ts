import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { putFrame } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { runClient } from '../flight/servers.ts';
import { wrk } from '../load/wrk.ts';
import { MemoryWatch, treeCpuSeconds, treeMegabytes } from '../sql/process-tree.ts';
import { sqlClient } from '../sql/sql-client.ts';

/** What all runs share, so that both builds do the same work. */
export interface Shared {
  readonly questdbUrl: string;
  /** The frame of 1,000 rows that the cases of `/exec` ask for. */
  readonly ticks: Buffer<ArrayBuffer>;
  /** An Arrow stream of `flightBatches` batches of 4 MiB. */
  readonly flightSource: string;
}

/** Name of a figure → CPU time, or memory, of the server and the processes that it started, in the unit that the name says. */
export type Figures = Readonly<Record<string, number>>;

export const flightBatches = 64;
const execSeconds = 3;
const sqlRows = 2_000_000;
const sqlFetched = 1_000_000;
const aggregates = [
  'SELECT count(*), sum(id), sum(value), min(key), max(key) FROM measured',
  'SELECT key, count(*) AS n, sum(value) AS s FROM measured GROUP BY key ORDER BY key',
  'SELECT left(text, 1) AS c, count(*), max(text) FROM measured WHERE value > 500 GROUP BY c ORDER BY c',
];
const aggregateRounds = 5;
/** The kernel counts in hundredths of a second: what is measured should take some hundred of them. */
const putRounds = 2;
const getRounds = 6;
const fetchRounds = 3;

const memorySeconds = 8;
const memoryPauseMs = 4_000;
const memoryLookMs = 200;
const statementsScript = join(import.meta.dirname, '..', 'load', 'statements.lua');

/** As the cases of `/exec`: a held frame, and QuestDB through the proxy. Time per request, because wrk runs for a time and not for a number. */
export async function exec(build: string, { questdbUrl, ticks }: Shared): Promise<Figures> {
  await using server = await start(build, { SERVICE_TSDB_HTTP_URL: questdbUrl });
  const { framehold } = server;
  await putFrame(framehold.url, 'ticks', ticks);
  const select = encodeURIComponent('select id, price, ts, name from ticks');
  const perRequest = async (url: string): Promise<number> => {
    await wrk(url, { seconds: 1 });
    const before = treeCpuSeconds(framehold.pid);
    const { requestsPerSecond, failures } = await wrk(url, { seconds: execSeconds });
    if (failures > 0) throw new Error(`${url}: ${failures} requests failed`);
    return (1_000 * (treeCpuSeconds(framehold.pid) - before)) / (requestsPerSecond * execSeconds);
  };
  return {
    'exec: held frame, ms a request': await perRequest(`${framehold.url}/exec?handle=ticks&fmt=json`),
    'exec: proxy, ms a request': await perRequest(`${framehold.url}/exec?query=${select}&fmt=json`),
  };
}

/** As the cases of Flight: puts and gets of the same bytes, once to warm up and then measured. */
export async function flight(build: string, { flightSource }: Shared): Promise<Figures> {
  // Settling would compete for the same processors in its own time.
  await using server = await start(build, {}, ['--settle-threads', '0']);
  const { framehold } = server;
  const perGigabyte = async (
    rounds: number,
    run: (round: number) => ReturnType<typeof runClient>,
  ): Promise<number> => {
    await run(0);
    const before = treeCpuSeconds(framehold.pid);
    let bytes = 0;
    for (let round = 1; round <= rounds; round++) bytes += (await run(round)).bytes;
    return (treeCpuSeconds(framehold.pid) - before) / (bytes / 1e9);
  };
  return {
    'flight: DoPut, s a GB': await perGigabyte(putRounds, (round) =>
      runClient('put', framehold.grpcUrl, `put-${round}`, flightSource),
    ),
    'flight: DoGet, s a GB': await perGigabyte(getRounds, () => runClient('get', framehold.grpcUrl, 'put-0')),
  };
}

/** As the cases of SQL: aggregates, and a large result over HTTP and ADBC. */
export async function sql(build: string): Promise<Figures> {
  // Files stay as they were first written, so that nothing is compressed again while statements are measured.
  await using server = await start(build, { FRAMEHOLD_SQL_THREADS: '2', FRAMEHOLD_COMPRESSION_LEVEL: '1' });
  const { framehold } = server;
  await sqlClient('put', framehold.grpcUrl, 'measured', String(sqlRows), '1');
  const cpuOf = async (work: () => Promise<void>): Promise<number> => {
    const before = treeCpuSeconds(framehold.pid);
    await work();
    return treeCpuSeconds(framehold.pid) - before;
  };
  const ask = async (statement: string): Promise<void> => {
    const answer = await fetch(`${framehold.url}/v1/sql?fmt=arrow`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ sql: statement }),
    });
    const body = await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`${answer.status}: ${Buffer.from(body).toString()}`);
  };
  // The first statements settle the frame and compare its files with their hashes, some at a time.
  for (let round = 0; round < 12; round++) await ask('SELECT count(*) FROM measured');
  for (const statement of aggregates) await ask(statement);
  const select = `SELECT id, key, value, text FROM measured WHERE id < ${sqlFetched}`;
  const fetchOver = (route: 'http' | 'adbc', url: string) =>
    cpuOf(async () => {
      for (let round = 0; round < fetchRounds; round++) {
        const { rows } = await sqlClient<{ rows: number }>(`fetch-${route}`, url, select);
        if (rows !== sqlFetched) throw new Error(`${route}: ${rows} rows`);
      }
    });
  return {
    'sql: aggregates, s': await cpuOf(async () => {
      for (let round = 0; round < aggregateRounds; round++)
        for (const statement of aggregates) await ask(statement);
    }),
    'sql: 3,000,000 rows over HTTP, s': await fetchOver('http', framehold.url),
    'sql: 3,000,000 rows over ADBC, s': await fetchOver('adbc', framehold.grpcUrl),
  };
}

/** Resident memory of the server and of its processes: at rest, at the peak under statements of eight connections, and when they are over. */
export async function memory(build: string): Promise<Figures> {
  await using server = await start(build, {});
  const { url, grpcUrl, pid } = server.framehold;
  const now = (name: string): Figures => {
    const { server: own, engines } = treeMegabytes(pid);
    return { [`memory: ${name}, server, MB`]: own, [`memory: ${name}, engines, MB`]: engines };
  };
  await sleep(memoryPauseMs);
  const figures: Record<string, number> = { ...now('at rest') };
  await sqlClient('put', grpcUrl, 'measured', String(sqlRows), '1');
  const statements = {
    'select 1': 'select {n}',
    'small GROUP BY': 'select key, sum(value) from measured where id < 1000 and {n} > 0 group by 1',
    'whole GROUP BY': 'select key, sum(value) from measured where {n} > 0 group by 1',
  };
  let number = 1;
  for (const [name, statement] of Object.entries(statements)) {
    const watch = new MemoryWatch(pid, memoryLookMs);
    try {
      const script = { file: statementsScript, args: [statement, String(number)] };
      await wrk(url, { seconds: memorySeconds, script });
    } finally {
      watch.stop();
    }
    // Above all that one run can count to: no answer is one that was kept.
    number += 1_000_000;
    figures[`memory: ${name}, server, MB`] = watch.peak('server');
    figures[`memory: ${name}, engines, MB`] = watch.peak('engines');
  }
  await sleep(memoryPauseMs);
  return { ...figures, ...now('afterwards') };
}

/** The built server of a checkout. */
async function start(
  build: string,
  env: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
): Promise<AsyncDisposable & { readonly framehold: Framehold }> {
  const command = [process.execPath, join(build, 'server', 'dist', 'main.js')] as const;
  const framehold = await Framehold.start({ command, env, flags });
  return { framehold, [Symbol.asyncDispose]: () => framehold.remove() };
}
