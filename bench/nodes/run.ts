/**
 * What many nodes cost against one with a disk, in turns on one machine: the time of a warm /exec, of a warm DoGet and of a durable DoPut of 100 MB, and
 * the CPU time of a warm read with one, two and three nodes. PostgreSQL and the object store are on the same machine, so their own CPU time competes
 * with the nodes: wall times here are worse than with machines of their own.
 *   npm run bench:nodes [-- --rounds 10]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Cluster } from '../../server/test/support/cluster/cluster.ts';
import { builtCommand, Framehold } from '../../server/test/support/framehold-process.ts';
import { arrowBytes } from '../../server/test/support/python.ts';
import { type ClientReport, runClient } from '../flight/servers.ts';
import { median } from '../scale/median.ts';
import { treeCpuSeconds } from '../sql/process-tree.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '10' } } });
const rounds = Number(values.rounds);
if (!(rounds >= 1)) throw new Error('--rounds: a number of at least 1');

/** 25 batches of 4 MiB. */
const batches = 25;
const execRequests = 1_000;
/** Of one measurement of CPU time: requests to each node, and how many of them are under way. */
const smallCount = 3_000;
const callers = 2;
const largeCount = 6;
/** Transcoding would compete for the same processors in its own time. */
const flags = ['--transcode-threads', '0'];

const folder = mkdtempSync(join(tmpdir(), 'framehold-nodes-'));
process.env.TEST_BUILT = 'true';
const disk = await Framehold.start({ flags, command: builtCommand });
const cluster = await Cluster.start({ nodes: 3, flags });
/** Servers that share nothing but this machine: what more processes cost by themselves. */
const apart = [
  disk,
  ...(await Promise.all([1, 2].map(() => Framehold.start({ flags, command: builtCommand })))),
];
try {
  const token = (cluster.credential ?? '').replace('Bearer ', '');
  const source = join(folder, 'source.arrow');
  await runClient('make', source, String(batches));
  const { ticks } = await arrowBytes({
    ticks: `pa.table({'id': pa.array(range(1, 1001), pa.int64()), 'price': [x * 1.25 for x in range(1, 1001)],
      'name': [f'name-{x}' for x in range(1, 1001)]})`,
  });
  const node = cluster.node(0).framehold;
  const places = { disk: { server: disk, token: '' }, nodes: { server: node, token } } as const;
  type Place = keyof typeof places;
  for (const { server, token: own } of Object.values(places)) await put(server, own, ticks);

  const exec = { disk: [] as number[], nodes: [] as number[] };
  const get = { disk: [] as number[], nodes: [] as number[] };
  const stored = { disk: [] as number[], nodes: [] as number[] };
  const getCpu = { disk: [] as number[], nodes: [] as number[] };
  for (let round = 0; round <= rounds; round++) {
    const order: readonly Place[] = round % 2 === 0 ? ['disk', 'nodes'] : ['nodes', 'disk'];
    for (const place of order) {
      const { server, token: own } = places[place];
      const execMs = await execTime(server, own);
      const write = await client(own, 'put', server.grpcUrl, `large-${round}`, source);
      await client(own, 'get', server.grpcUrl, `large-${round}`);
      const before = treeCpuSeconds(server.pid);
      const read = await client(own, 'get', server.grpcUrl, `large-${round}`);
      // The first round warms up.
      if (round === 0) continue;
      exec[place].push(execMs);
      stored[place].push(write.seconds);
      get[place].push(read.seconds);
      getCpu[place].push(treeCpuSeconds(server.pid) - before);
    }
  }
  console.log('medians of', rounds, 'rounds                 one disk   PostgreSQL + S3');
  line('warm /exec, 1,000 rows, ms', median(exec.disk), median(exec.nodes), 'more', (a, b) => b - a);
  line('warm DoGet of 105 MB, s', median(get.disk), median(get.nodes));
  line('the same, CPU s of the server', median(getCpu.disk), median(getCpu.nodes));
  line('durable DoPut of 105 MB, s', median(stored.disk), median(stored.nodes));

  const all = cluster.nodes.map(({ framehold }) => framehold);
  const name = `large-${rounds}`;
  for (const { grpcUrl } of all) await client(token, 'get', grpcUrl, name);
  for (const server of apart.slice(1)) await put(server, '', ticks);
  const alone = new Map<number, number[]>();
  const small = new Map<number, number[]>();
  const large = new Map<number, number[]>();
  for (let round = 0; round < Math.min(5, rounds); round++) {
    for (const count of [1, 2, 3]) {
      const used = all.slice(0, count);
      add(small, count, (await cpuOf(used, () => smallReads(used, token))) / (count * smallCount));
      const others = apart.slice(0, count);
      add(alone, count, (await cpuOf(others, () => smallReads(others, ''))) / (count * smallCount));
      add(large, count, (await cpuOf(used, () => largeReads(used, token, name))) / (count * largeCount));
    }
  }
  console.log('\nCPU of a warm read, each node with the same load          1        2        3 nodes');
  const row = (of: ReadonlyMap<number, number[]>, scale: number, digits: number) =>
    [1, 2, 3].map((count) => (median(of.get(count) ?? []) * scale).toFixed(digits).padStart(8)).join(' ');
  console.log(`  /exec of 1,000 rows, µs a request                ${row(small, 1e6, 0)}`);
  console.log(`  the same, servers with disks that share nothing  ${row(alone, 1e6, 0)}`);
  console.log(`  DoGet of 105 MB, s a read                        ${row(large, 1, 3)}`);
} finally {
  await cluster.remove();
  await Promise.all(apart.map((server) => server.remove()));
  rmSync(folder, { recursive: true, force: true });
}

function line(
  name: string,
  one: number,
  many: number,
  word = 'ratio',
  compare = (a: number, b: number) => b / a,
): void {
  console.log(
    `  ${name.padEnd(34)} ${one.toFixed(3).padStart(8)} ${many.toFixed(3).padStart(8)}   ${word} ${compare(one, many).toFixed(2)}`,
  );
}

async function put(server: Framehold, token: string, body: Buffer<ArrayBuffer>): Promise<void> {
  const answer = await fetch(`${server.url}/v1/frames/ticks`, {
    method: 'PUT',
    headers: headersOf(token, true),
    body,
  });
  if (!answer.ok) throw new Error(await answer.text());
}

function headersOf(token: string, isArrow = false): Record<string, string> {
  return {
    ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
    ...(isArrow ? { 'content-type': 'application/vnd.apache.arrow.stream' } : {}),
  };
}

/** One after the other on one connection: what a caller feels. */
async function execTime(server: Framehold, token: string): Promise<number> {
  const times: number[] = [];
  for (let request = 0; request < execRequests; request++) {
    const began = performance.now();
    const answer = await fetch(`${server.url}/exec?handle=ticks&fmt=json`, { headers: headersOf(token) });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`/exec answered ${answer.status}`);
    times.push(performance.now() - began);
  }
  return median(times);
}

async function client(token: string, ...args: readonly string[]): Promise<ClientReport> {
  return await runClient(...args, ...(token === '' ? [] : [`Bearer ${token}`]));
}

/** CPU seconds of the servers while the work is done. */
async function cpuOf(servers: readonly Framehold[], work: () => Promise<void>): Promise<number> {
  const cpu = () => servers.reduce((sum, { pid }) => sum + treeCpuSeconds(pid), 0);
  const before = cpu();
  await work();
  return cpu() - before;
}

/** Each node gets the same load: look-ups that come together share a statement, so a node with more callers takes less for each of them. */
async function smallReads(servers: readonly Framehold[], token: string): Promise<void> {
  let next = 0;
  const caller = async () => {
    while (next < servers.length * smallCount) {
      const server = servers[next++ % servers.length] as Framehold;
      const answer = await fetch(`${server.url}/exec?handle=ticks&fmt=json`, { headers: headersOf(token) });
      await answer.arrayBuffer();
      if (!answer.ok) throw new Error(`/exec answered ${answer.status}`);
    }
  };
  await Promise.all(Array.from({ length: servers.length * callers }, caller));
}

async function largeReads(servers: readonly Framehold[], token: string, name: string): Promise<void> {
  for (let read = 0; read < servers.length * largeCount; read++)
    await client(token, 'get', (servers[read % servers.length] as Framehold).grpcUrl, name);
}

function add(figures: Map<number, number[]>, count: number, value: number): void {
  figures.set(count, [...(figures.get(count) ?? []), value]);
}
