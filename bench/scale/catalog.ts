/**
 * The catalog in PostgreSQL: a million names beside a thousand, what a name costs in bytes, and the load of ten nodes on one database.
 * `node bench/scale/catalog.ts [names, 1000000] [seconds of each load, 15]`
 */
import { join } from 'node:path';
import { openPostgresCatalog } from '../../server/src/catalog/postgres/postgres-catalog.ts';
import type { Catalog } from '../../server/src/ports/catalog/catalog.ts';
import { Database } from '../../server/src/postgres/database.ts';
import { change } from '../../server/test/catalog/change-builder.ts';
import { Child } from '../../server/test/support/child-process.ts';
import { nameOf } from '../catalog/measure.ts';
import type { ClientFigures, OperationFigures } from './catalog-client.ts';
import { MeasuredPostgres } from './measured-postgres.ts';
import { median } from './median.ts';
import { multiplyNames } from './multiply-names.ts';

const many = Number(process.argv[2] ?? 1_000_000);
const seconds = Number(process.argv[3] ?? 15);
const few = 1_000;
const tenant = 'default';
const rounds = 4_000;

const postgres = await MeasuredPostgres.start();
try {
  const small = await postgres.newCatalog();
  const large = await postgres.newCatalog();
  for (const url of [small, large]) await seed(url, few);
  await multiplyNames((text) => postgres.query(text, large), Math.round(many / few) - 1);
  await postgres.query('VACUUM ANALYZE', small);
  await compareSizes(small, large);
  await bytesOfNames(large);
  const idle = await cpuOf(async () => new Promise((resolve) => setTimeout(resolve, 5_000)));
  console.log(`PostgreSQL without any load: ${(idle / 5).toFixed(3)} CPU s/s`);
  await nodesOnOneCatalog(large);
} finally {
  await postgres.stop();
}

async function withCatalog<Answer>(
  url: string,
  work: (catalog: Catalog) => Promise<Answer>,
): Promise<Answer> {
  const database = new Database({ url, connectionsMax: 16, timeoutMs: 60_000 });
  const catalog = openPostgresCatalog(database);
  try {
    return await work(catalog);
  } finally {
    await catalog.close();
    await database.close();
  }
}

async function seed(url: string, names: number): Promise<void> {
  await withCatalog(url, async (catalog) => {
    for (let done = 0; done < names; done += 100)
      await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          catalog.commit(change(nameOf(done + index), 'create', { tenant, now: Date.now() })),
        ),
      );
  });
}

/** In turns, one request at a time: what a request waits for. */
async function compareSizes(smallUrl: string, largeUrl: string): Promise<void> {
  await withCatalog(smallUrl, (small) =>
    withCatalog(largeUrl, async (large) => {
      const lookup = (catalog: Catalog) => () =>
        catalog.resolve(tenant, nameOf(Math.floor(Math.random() * few)), null, Date.now());
      // A copy of a name, which no cache has: of a thousand names every one is soon in memory.
      const anyLookup = () => {
        const copy = 1 + Math.floor(Math.random() * (Math.round(many / few) - 1));
        const name = `${nameOf(Math.floor(Math.random() * few))}-${copy}`;
        return large.resolve(tenant, name, null, Date.now());
      };
      const page = (catalog: Catalog) => () =>
        catalog.list(tenant, { prefix: '', after: null, limit: 100 }, Date.now());
      const times = await inTurns({
        fewLookup: lookup(small),
        manyLookup: anyLookup,
        fewPage: page(small),
        manyPage: page(large),
      });
      const line = (what: string, before: number, after: number) =>
        console.log(
          `${what.padEnd(12)} ${few} names ${before.toFixed(3)} ms, ${many} names ${after.toFixed(3)} ms, ratio ${(after / before).toFixed(2)}`,
        );
      line('look-up', times.fewLookup, times.manyLookup);
      line('first page', times.fewPage, times.manyPage);
    }),
  );
}

/** Medians in milliseconds. */
async function inTurns<Name extends string>(
  works: Readonly<Record<Name, () => Promise<unknown>>>,
): Promise<Record<Name, number>> {
  const names = Object.keys(works) as Name[];
  const times = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (const name of names) {
      const began = performance.now();
      await works[name]();
      // The first ones open connections and plan statements.
      if (round >= rounds / 10) times.get(name)?.push(performance.now() - began);
    }
  return Object.fromEntries(names.map((name) => [name, median(times.get(name) ?? [])])) as Record<
    Name,
    number
  >;
}

async function bytesOfNames(url: string): Promise<void> {
  const rows = await postgres.query(
    `SELECT relname AS table, pg_total_relation_size(oid)::float8 AS bytes, pg_relation_size(oid)::float8 AS rows
     FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY bytes DESC`,
    url,
  );
  let sum = 0;
  for (const { table, bytes, rows: heap } of rows) {
    const each = Number(bytes) / many;
    sum += each;
    if (each >= 5)
      console.log(
        `bytes for each name: ${String(table).padEnd(10)} ${each.toFixed(0)} (rows ${(Number(heap) / many).toFixed(0)}, indexes ${((Number(bytes) - Number(heap)) / many).toFixed(0)})`,
      );
  }
  console.log(
    `bytes for each name: together   ${sum.toFixed(0)}, one version and one part of one object each`,
  );
}

interface Crowd {
  readonly title: string;
  readonly nodes: number;
  readonly tenants: number;
  readonly lookups: number;
  readonly commits: number;
}

async function nodesOnOneCatalog(url: string): Promise<void> {
  const crowds: readonly Crowd[] = [
    { title: 'look-ups, 1 node', nodes: 1, tenants: 1, lookups: 64, commits: 0 },
    { title: 'look-ups, 10 nodes', nodes: 10, tenants: 1, lookups: 64, commits: 0 },
    { title: 'look-ups one by one, 10 nodes', nodes: 10, tenants: 1, lookups: 1, commits: 0 },
    { title: 'commits, 1 tenant, 1 node', nodes: 1, tenants: 1, lookups: 0, commits: 16 },
    { title: 'commits, 1 tenant, 10 nodes', nodes: 10, tenants: 1, lookups: 0, commits: 4 },
    { title: 'commits, 1000 tenants, 10 nodes', nodes: 10, tenants: 1_000, lookups: 0, commits: 4 },
    { title: 'both, 1000 tenants, 10 nodes', nodes: 10, tenants: 1_000, lookups: 16, commits: 2 },
  ];
  for (const crowd of crowds) await measureCrowd(url, crowd);
}

async function measureCrowd(url: string, { title, nodes, tenants, lookups, commits }: Crowd): Promise<void> {
  const script = join(import.meta.dirname, 'catalog-client.ts');
  const args = [script, url, seconds, tenants, lookups, commits, few].map(String);
  const clients = Array.from({ length: nodes }, () => new Child({ command: process.execPath, args }));
  try {
    await Promise.all(clients.map((client) => client.line(/^ready$/)));
    const before = { cpu: postgres.cpuSeconds, transactions: await transactionsOf(url) };
    for (const client of clients) client.signal('SIGUSR2');
    const lines = await Promise.all(clients.map((client) => client.line(/^\{.*/)));
    const cpu = postgres.cpuSeconds - before.cpu;
    const transactions = (await transactionsOf(url)) - before.transactions;
    report(
      title,
      lines.map(([line]) => JSON.parse(line) as ClientFigures),
      cpu,
      transactions,
    );
  } finally {
    await Promise.all(clients.map((client) => client.stop()));
  }
}

async function transactionsOf(url: string): Promise<number> {
  // Backends report what they have done about once a second.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const [row] = await postgres.query(
    'SELECT xact_commit::float8 AS transactions FROM pg_stat_database WHERE datname = current_database()',
    url,
  );
  return Number(row?.transactions);
}

function report(title: string, figures: readonly ClientFigures[], cpu: number, transactions: number): void {
  const sum = (pick: (each: ClientFigures) => number) => figures.reduce((all, each) => all + pick(each), 0);
  const operations = sum(({ lookups, commits }) => lookups.count + commits.count);
  const line = (what: string, pick: (each: ClientFigures) => OperationFigures) => {
    const count = sum((each) => pick(each).count);
    if (count === 0) return '';
    const p50 = median(figures.map((each) => pick(each).p50Ms));
    const p99 = Math.max(...figures.map((each) => pick(each).p99Ms));
    return `  ${what} ${(count / seconds).toFixed(0)}/s p50 ${p50.toFixed(1)} p99 ${p99.toFixed(1)} ms`;
  };
  console.log(
    `${title.padEnd(32)}${line('look-ups', (each) => each.lookups)}${line('commits', (each) => each.commits)}  ` +
      `PostgreSQL ${((cpu / operations) * 1e6).toFixed(0)} µs CPU and ${(transactions / operations).toFixed(2)} transactions each, ` +
      `${(cpu / seconds).toFixed(2)} cores; clients ${((sum((each) => each.cpuSeconds) / operations) * 1e6).toFixed(0)} µs CPU each`,
  );
}

async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = postgres.cpuSeconds;
  await work();
  return postgres.cpuSeconds - before;
}
