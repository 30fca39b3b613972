/**
 * What each kind of request costs: processor time of the node and of PostgreSQL, transactions and S3 requests. For one node with a disk and for
 * one with PostgreSQL and S3. `node bench/scale/requests.ts [disk|shared|both] [scale, 1] [small|all]`
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { arrowBytes, pythonCommand } from '../../server/test/support/python.ts';
import { removeFolder, temporaryFolder } from '../../server/test/support/temporary-folder.ts';
import { quantile } from '../load/watched-server.ts';
import { wrk } from '../load/wrk.ts';
import { type Costs, diskSite, type Site, sharedSite } from './site.ts';

const which = process.argv[2] ?? 'both';
const scale = Number(process.argv[3] ?? 1);
/** Only what a node answers most of the time. */
const onlySmall = process.argv[4] === 'small';
const arrowType = 'application/vnd.apache.arrow.stream';
/** As a busy node has them: it then asks the catalog for many names at once. */
const connections = 64;
/** Of the frame that large transfers move: 24 batches of 4 MiB. */
const largeBatches = 24;

interface Kind {
  readonly title: string;
  readonly count: number;
  /** Under way at the same time. */
  readonly flight: number;
  readonly ask: (site: Site, index: number) => Promise<unknown>;
}

const folder = temporaryFolder('scale');
const source = join(folder, 'large.arrow');
try {
  await client('make', source, String(largeBatches));
  const { small } = await arrowBytes({
    small: `pa.table({'id': pa.array(range(1, 1001), pa.int64()), 'price': [x * 1.25 for x in range(1, 1001)],
      'ts': pa.array([1704067200000000 + x * 1000000 for x in range(1000)], pa.timestamp('us')),
      'name': [f'name-{x}' for x in range(1, 1001)]})`,
  });
  const flags = ['--transcode-threads', '0'];
  if (which !== 'shared') await measure(await diskSite(flags), small as Uint8Array);
  if (which !== 'disk') await measure(await sharedSite(flags), small as Uint8Array);
} finally {
  removeFolder(folder);
}

async function measure(site: Site, small: Uint8Array): Promise<void> {
  try {
    console.log(`\n${site.title}`);
    const put = (name: string) => request(site, 'PUT', `/v1/frames/${name}`, small);
    for (let index = 0; index < 50; index++) await put(`small-${index}`);
    await client('put', site.grpcUrl, 'large', source, site.headers.authorization ?? '');
    const path = (index: number) => `/v1/frames/small-${index % 50}`;
    await measureIdle(site);
    for (const [title, path] of [
      ['manifest', '/v1/frames/small-1'],
      ['/exec of 1,000 rows, warm', '/exec?handle=small-1&fmt=json'],
    ] as const)
      await measureUrl(site, title, path);
    if (onlySmall) return;
    const kinds: readonly Kind[] = [
      {
        title: '/exec, one at a time',
        count: 2_000,
        flight: 1,
        ask: (_, index) => request(site, 'GET', `/exec?handle=small-${index % 50}&fmt=json`),
      },
      {
        title: '1,000 rows as CSV, other rows each time',
        count: 1_000,
        flight: 8,
        ask: (_, index) => request(site, 'GET', `${path(index)}/rows?fmt=csv&offset=${index % 500}`),
      },
      {
        title: 'first page of the list',
        count: 1_000,
        flight: 4,
        ask: () => request(site, 'GET', '/v1/frames?limit=100'),
      },
      { title: 'put of 36 KB, a new name', count: 1_000, flight: 8, ask: (_, index) => put(`new-${index}`) },
      {
        title: 'put of 36 KB, replaced',
        count: 1_000,
        flight: 8,
        ask: (_, index) => put(`small-${index % 50}`),
      },
      {
        title: 'append of 36 KB',
        count: 500,
        flight: 8,
        ask: (_, index) => request(site, 'POST', `/v1/frames/new-${index % 100}/rows`, small),
      },
      {
        title: 'drop',
        count: 500,
        flight: 8,
        ask: (_, index) => request(site, 'DELETE', `/v1/frames/new-${index}`),
      },
    ];
    for (const kind of kinds) await measureKind(site, kind);
    for (const mode of ['get', 'put'] as const) await measureLarge(site, mode);
  } finally {
    await site.stop();
  }
}

/** What a node does by itself: heartbeats, polling, jobs. */
async function measureIdle(site: Site): Promise<void> {
  const seconds = Math.max(5, Math.round(20 * scale));
  const before = await site.costs();
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  report('a second without requests', before, await site.costs(), seconds, [], null);
}

/** So many that compiling and connecting do not count. */
async function measureUrl(site: Site, title: string, path: string): Promise<void> {
  const seconds = Math.max(5, Math.round(20 * scale));
  const headers = Object.entries(site.headers).map(([name, value]) => `${name}: ${value}`);
  await wrk(`${site.url}${path}`, { seconds, headers, connections });
  const before = await site.costs();
  const { requestsPerSecond, failures } = await wrk(`${site.url}${path}`, { seconds, headers, connections });
  if (failures > 0) throw new Error(`${title}: ${failures} requests failed`);
  report(title, before, await site.costs(), requestsPerSecond * seconds, [], requestsPerSecond);
}

async function measureKind(site: Site, kind: Kind): Promise<void> {
  const count = Math.ceil(kind.count * scale);
  // Connections, caches, compiled code.
  if (kind.title.startsWith('/exec'))
    await repeat(Math.min(500, count), kind.flight, (index) => kind.ask(site, index));
  const before = await site.costs();
  const began = performance.now();
  const times = await repeat(count, kind.flight, (index) => kind.ask(site, index));
  const seconds = (performance.now() - began) / 1_000;
  report(kind.title, before, await site.costs(), count, times, count / seconds);
}

/** DoGet and DoPut of 100 MB. */
async function measureLarge(site: Site, mode: 'get' | 'put'): Promise<void> {
  const rounds = Math.max(3, Math.round(5 * scale));
  const authorization = site.headers.authorization ?? '';
  const run = (index: number) =>
    mode === 'get'
      ? client('get', site.grpcUrl, 'large', authorization)
      : client('put', site.grpcUrl, `large-${index}`, source, authorization);
  await run(rounds);
  const before = await site.costs();
  const times: number[] = [];
  let bytes = 0;
  for (let index = 0; index < rounds; index++) {
    const { seconds, bytes: moved } = await run(index);
    times.push(seconds * 1_000);
    bytes += moved;
  }
  const after = await site.costs();
  report(`Flight ${mode} of ${(bytes / rounds / 1e6).toFixed(0)} MB`, before, after, rounds, times, null);
  console.log(
    `${''.padEnd(42)}${((after.nodeCpuSeconds - before.nodeCpuSeconds) / (bytes / 1e9)).toFixed(2)} CPU s/GB of the node`,
  );
}

async function request(site: Site, method: string, path: string, body?: Uint8Array): Promise<void> {
  const headers = { ...site.headers, ...(body === undefined ? {} : { 'content-type': arrowType }) };
  const answer = await fetch(`${site.url}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> }),
  });
  const bytes = await answer.arrayBuffer();
  if (!answer.ok)
    throw new Error(`${method} ${path}: ${answer.status} ${Buffer.from(bytes).toString().slice(0, 300)}`);
}

/** The times of all, in milliseconds. */
async function repeat(
  count: number,
  flight: number,
  work: (index: number) => Promise<unknown>,
): Promise<number[]> {
  const times: number[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: flight }, async () => {
      while (next < count) {
        const index = next++;
        const began = performance.now();
        await work(index);
        times.push(performance.now() - began);
      }
    }),
  );
  return times;
}

function report(
  title: string,
  before: Costs,
  after: Costs,
  count: number,
  times: readonly number[],
  rate: number | null,
): void {
  const each = (pick: (costs: Costs) => number) => ((pick(after) - pick(before)) / count) * 1e6;
  const sorted = times.toSorted((a, b) => a - b);
  const requests = Object.keys(after.s3Requests)
    .map((name) => [name, ((after.s3Requests[name] ?? 0) - (before.s3Requests[name] ?? 0)) / count] as const)
    .filter(([, number]) => number >= 0.01)
    .map(([name, number]) => `${number.toFixed(2)} ${name}`);
  const columns = [
    title.padEnd(40),
    `node ${each((costs) => costs.nodeCpuSeconds).toFixed(0)} µs`,
    `PostgreSQL ${each((costs) => costs.postgresCpuSeconds).toFixed(0)} µs`,
    `${((after.transactions - before.transactions) / count).toFixed(2)} transactions`,
    requests.length === 0 ? 'no S3 request' : `S3 ${requests.join(', ')}`,
    ...(times.length === 0
      ? []
      : [`p50 ${quantile(sorted, 0.5).toFixed(2)} p99 ${quantile(sorted, 0.99).toFixed(1)} ms`]),
    ...(rate === null ? [] : [`${rate.toFixed(0)}/s`]),
  ];
  console.log(columns.join('  '));
}

async function client(
  ...args: readonly string[]
): Promise<{ readonly seconds: number; readonly bytes: number }> {
  const script = join(import.meta.dirname, '..', 'flight', 'client.py');
  const { stdout } = await promisify(execFile)(pythonCommand, [script, ...args], { timeout: 600_000 });
  return JSON.parse(stdout) as { readonly seconds: number; readonly bytes: number };
}
