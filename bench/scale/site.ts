import { execFileSync } from 'node:child_process';
import { builtCommand, Framehold } from '../../server/test/support/framehold-process.ts';
import { type S3Server, startS3 } from '../../server/test/support/s3-server.ts';
import { removeFolder, temporaryFolder } from '../../server/test/support/temporary-folder.ts';
import { treeCpuSeconds } from '../sql/process-tree.ts';
import { MeasuredPostgres } from './measured-postgres.ts';

/** What a request has cost, and where. */
export interface Costs {
  readonly nodeCpuSeconds: number;
  readonly postgresCpuSeconds: number;
  readonly transactions: number;
  /** By operation. */
  readonly s3Requests: Readonly<Record<string, number>>;
}

/** One server under measurement, with what it needs. */
export interface Site {
  readonly title: string;
  readonly url: string;
  readonly grpcUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Since the start. */
  costs(): Promise<Costs>;
  stop(): Promise<void>;
}

export interface SharedSite extends Site {
  /** Of the catalog's own database. */
  query(text: string): Promise<readonly Record<string, unknown>[]>;
  /** The same node with nothing in its cache. Its counts go on. */
  restartEmpty(): Promise<void>;
}

/** One node with its data directory. */
export async function diskSite(flags: readonly string[]): Promise<Site> {
  const framehold = await Framehold.start({ command: builtCommand, flags });
  return {
    title: 'disk',
    url: framehold.url,
    grpcUrl: framehold.grpcUrl,
    headers: {},
    costs: async () => ({
      nodeCpuSeconds: treeCpuSeconds(framehold.pid),
      postgresCpuSeconds: 0,
      transactions: 0,
      s3Requests: {},
    }),
    stop: () => framehold.remove(),
  };
}

/** One node whose catalog is in PostgreSQL, with fsync, and whose objects are in a versitygw on the same machine. */
export async function sharedSite(flags: readonly string[]): Promise<SharedSite> {
  const [postgres, s3] = await Promise.all([MeasuredPostgres.start(), startS3('versitygw')]);
  const database = await postgres.server.newDatabase();
  const start = () =>
    Framehold.start({
      command: builtCommand,
      env: s3.env,
      flags: [...sharedFlags(database, s3, s3.bucket), ...flags],
    });
  let framehold = await start();
  const earlier = { cpuSeconds: 0, s3Requests: {} as Record<string, number> };
  const headers = { authorization: `Bearer ${newToken(database)}` };
  return {
    title: 'S3 and PostgreSQL',
    get url() {
      return framehold.url;
    },
    get grpcUrl() {
      return framehold.grpcUrl;
    },
    headers,
    query: (text) => postgres.query(text, database),
    async restartEmpty() {
      earlier.cpuSeconds += treeCpuSeconds(framehold.pid);
      earlier.s3Requests = added(earlier.s3Requests, await s3Requests(framehold.url, headers));
      await framehold.remove();
      framehold = await start();
      // Starting is not part of what is measured.
      earlier.cpuSeconds -= treeCpuSeconds(framehold.pid);
    },
    async costs() {
      const [row] = await postgres.query(
        'SELECT xact_commit::float8 AS transactions FROM pg_stat_database WHERE datname = current_database()',
        database,
      );
      return {
        nodeCpuSeconds: earlier.cpuSeconds + treeCpuSeconds(framehold.pid),
        postgresCpuSeconds: postgres.cpuSeconds,
        transactions: Number(row?.transactions),
        s3Requests: added(earlier.s3Requests, await s3Requests(framehold.url, headers)),
      };
    },
    async stop() {
      await framehold.remove();
      await Promise.all([postgres.stop(), s3.stop()]);
    },
  };
}

function added(
  left: Readonly<Record<string, number>>,
  right: Readonly<Record<string, number>>,
): Record<string, number> {
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return Object.fromEntries([...names].map((name) => [name, (left[name] ?? 0) + (right[name] ?? 0)]));
}

export function sharedFlags(database: string, s3: S3Server, bucket: string): readonly string[] {
  return [
    ...['--catalog-url', database, '--storage-url', `s3://${bucket}/frames`],
    ...['--storage-s3-endpoint', s3.endpoint],
  ];
}

/** As an operator makes one. */
export function newToken(database: string): string {
  const home = temporaryFolder('operator');
  try {
    const [command, ...first] = builtCommand;
    const words = ['token', 'create', '--tenant', 'default', '--scope', 'admin', '--ttl', '1d'];
    const text = execFileSync(command, [...first, ...words, '--catalog-url', database, '--json'], {
      encoding: 'utf8',
      env: { HOME: home, PATH: process.env.PATH ?? '' },
    });
    return String((JSON.parse(text) as { token: unknown }).token);
  } finally {
    removeFolder(home);
  }
}

/** What the node says that it has asked, by operation, whatever became of it. */
async function s3Requests(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, number>>> {
  const answer = await fetch(`${url}/metrics`, { headers });
  const counts: Record<string, number> = {};
  for (const line of (await answer.text()).split('\n')) {
    const found = /^framehold_s3_requests_total\{(.*)\} (\d+)$/.exec(line);
    const operation = /operation="([^"]*)"/.exec(found?.[1] ?? '')?.[1];
    if (operation !== undefined) counts[operation] = (counts[operation] ?? 0) + Number(found?.[2]);
  }
  return counts;
}
