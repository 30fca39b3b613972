/**
 * What one node asks of the catalog: `node catalog-client.ts URL SECONDS TENANTS LOOKUPS COMMITS NAMES`. So many look-ups and commits are under
 * way all the time, from when it is told to begin until the time is over. The last line of output is what was done and how long it took.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { openPostgresCatalog } from '../../server/src/catalog/postgres/postgres-catalog.ts';
import type { Catalog } from '../../server/src/ports/catalog/catalog.ts';
import { Database } from '../../server/src/postgres/database.ts';
import { change } from '../../server/test/catalog/change-builder.ts';
import { nameOf } from '../catalog/measure.ts';
import { quantile } from '../load/watched-server.ts';

export interface ClientFigures {
  readonly lookups: OperationFigures;
  readonly commits: OperationFigures;
  readonly cpuSeconds: number;
}

export interface OperationFigures {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const warmSeconds = 2;
/** As many as a node has unless it is configured. */
const connectionsMax = 16;

if (import.meta.main) {
  const [url = '', seconds, tenants, lookups, commits, names] = process.argv.slice(2);
  const database = new Database({ url, connectionsMax, timeoutMs: 30_000 });
  const catalog = openPostgresCatalog(database);
  const asked = {
    tenants: Number(tenants),
    lookups: Number(lookups),
    commits: Number(commits),
    names: Number(names),
  };
  // Connections, planned statements, compiled code.
  await load(catalog, { ...asked, seconds: warmSeconds });
  const told = once(process, 'SIGUSR2');
  console.log('ready');
  await told;
  const figures = await load(catalog, { ...asked, seconds: Number(seconds) });
  console.log(JSON.stringify(figures));
  await catalog.close();
  await database.close();
}

interface Load {
  readonly seconds: number;
  readonly tenants: number;
  readonly lookups: number;
  readonly commits: number;
  /** How many of `nameOf` the tenant `default` has. */
  readonly names: number;
}

async function load(
  catalog: Catalog,
  { seconds, tenants, lookups, commits, names }: Load,
): Promise<ClientFigures> {
  const own = randomBytes(4).toString('hex');
  const until = performance.now() + seconds * 1_000;
  const before = process.cpuUsage();
  const lookupTimes: number[] = [];
  const commitTimes: number[] = [];
  const repeat = async (times: number[], work: () => Promise<unknown>) => {
    while (performance.now() < until) {
      const began = performance.now();
      await work();
      times.push(performance.now() - began);
    }
  };
  let made = 0;
  const lookup = () =>
    catalog.resolve('default', nameOf(Math.floor(Math.random() * names)), null, Date.now());
  const commit = () => {
    const count = made++;
    const tenant = `tenant-${count % tenants}`;
    return catalog.commit(change(`${own}-${count}`, 'create', { tenant, now: Date.now() }));
  };
  await Promise.all([
    ...Array.from({ length: lookups }, () => repeat(lookupTimes, lookup)),
    ...Array.from({ length: commits }, () => repeat(commitTimes, commit)),
  ]);
  const { user, system } = process.cpuUsage(before);
  return {
    lookups: figuresOf(lookupTimes),
    commits: figuresOf(commitTimes),
    cpuSeconds: (user + system) / 1e6,
  };
}

function figuresOf(times: readonly number[]): OperationFigures {
  const sorted = times.toSorted((a, b) => a - b);
  return { count: times.length, p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99) };
}
