/**
 * What authentication and access cost a warm `/exec` read: `node bench/access/run.ts [rounds]`. Two processes of the same program differ by a
 * tenth for as long as they run, and the machine from one second to the next. So two open servers and one that asks for a token are all in
 * this process, and are asked in turns, a few hundred requests each; what counts is the CPU time of the one thread that answers.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { compose, type RunningServer } from '../../server/src/compose/server.ts';
import { loadSettings } from '../../server/src/config/load.ts';
import { putFrame } from '../../server/test/support/frame-client.ts';
import { arrowBytes } from '../../server/test/support/python.ts';
import { temporaryFolder } from '../../server/test/support/temporary-folder.ts';
import { TestCredentials } from '../../server/test/support/test-credentials.ts';
import type { Asking } from './requests.ts';

const rounds = Number(process.argv[2] ?? 200);
const requests = 400;
/** Until everything that is asked again and again is compiled. */
const warmRounds = 30;

const { ticks } = await arrowBytes({
  ticks: `pa.table({'id': pa.array(range(100), pa.int64()), 'price': [x * 1.25 for x in range(100)], 'name': [f'name-{x}' for x in range(100)]})`,
});
const open = await startServer();
const other = await startServer();
const closed = await startServer();
// Before there are credentials: it belongs to the tenant `default`, whose token reads it.
for (const { url } of [open, other, closed]) await putFrame(url, 'ticks', ticks);
const token = `Bearer ${tokenFor(closed.folder)}`;

const modes = {
  open: { url: open.url, headers: {} },
  // By how much two servers differ that are the same.
  'another one': { url: other.url, headers: {} },
  // What the longer request costs by itself.
  'open, longer': { url: open.url, headers: { 'x-unheard-of': token } },
  'with a token': { url: closed.url, headers: { authorization: token } },
} as const;
type Mode = keyof typeof modes;
const names = Object.keys(modes) as Mode[];
const costs: Record<Mode, number[]> = { open: [], 'another one': [], 'open, longer': [], 'with a token': [] };

const asking = fork(join(import.meta.dirname, 'asking.ts'));
try {
  for (let round = -warmRounds; round < rounds; round++) {
    for (const mode of round % 2 === 0 ? names : names.toReversed()) {
      const cost = await costOf(modes[mode]);
      if (round >= 0) costs[mode].push(cost);
    }
  }
  report();
} finally {
  asking.kill();
  for (const { server } of [open, other, closed]) await server.close();
}

/** Microseconds of one request. */
async function costOf({ url, headers }: Omit<Asking, 'count'>): Promise<number> {
  const before = process.threadCpuUsage();
  asking.send({ url: `${url}/exec?handle=ticks&fmt=json`, headers, count: requests } satisfies Asking);
  await once(asking, 'message');
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / requests;
}

async function startServer(): Promise<{ server: RunningServer; url: string; folder: string }> {
  const folder = temporaryFolder('access');
  const flags = new Map([['data-dir', folder]]);
  const environment = {
    SERVICE_HTTP_BIND_ADDRESS: '127.0.0.1:0',
    SERVICE_GRPC_HOST: '127.0.0.1',
    SERVICE_GRPC_PORT: '0',
    FRAMEHOLD_LOG_LEVEL: 'warn',
  };
  const server = await compose(loadSettings({ flags, environment, directory: folder }).settings);
  return { server, url: `http://127.0.0.1:${(server.http as AddressInfo).port}`, folder };
}

function tokenFor(folder: string): string {
  using credentials = new TestCredentials(folder);
  return credentials.create({ tenant: 'default', scopes: ['read'] });
}

function quantile(values: readonly number[], part: number): number {
  return values.toSorted((one, other) => one - other)[Math.floor((values.length - 1) * part)] ?? Number.NaN;
}

/** Ratios within a round: what slows a round down slows all of it. */
function report(): void {
  for (const mode of names) {
    const ratios = costs[mode].map((cost, round) => cost / (costs.open[round] ?? Number.NaN));
    const [low, middle, high] = [0.25, 0.5, 0.75].map((part) => quantile(ratios, part).toFixed(3));
    const cost = quantile(costs[mode], 0.5).toFixed(1).padStart(6);
    console.log(
      `${mode.padEnd(14)} ${cost} µs of CPU each  ${middle} of open (half of the rounds: ${low} to ${high})`,
    );
  }
}
