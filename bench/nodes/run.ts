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
import { wrk } from '../exec/wrk.ts';
import { type ClientReport, runClient } from '../flight/servers.ts';
import { median } from '../scale/median.ts';
import { treeCpuSeconds } from '../sql/process-tree.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '10' } } });
const rounds = Number(values.rounds);
if (!(rounds >= 1)) throw new Error('--rounds: a number of at least 1');

/** 25 batches of 4 MiB. */
const batches = 25;
const execRequests = 400;
const loadSeconds = 5;
/** Settling would compete for the same processors in its own time. */
const flags = ['--settle-threads', '0'];

const folder = mkdtempSync(join(tmpdir(), 'framehold-nodes-'));
process.env.TEST_BUILT = 'true';
const disk = await Framehold.start({ flags, command: builtCommand });
const cluster = await Cluster.start({ nodes: 3, flags });
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

  console.log('\nCPU time of the nodes for a warm /exec of 1,000 rows, µs a request');
  for (const count of [1, 2, 3]) {
    const used = cluster.nodes.slice(0, count).map(({ framehold }) => framehold);
    const taken: number[] = [];
    for (let round = 0; round < Math.min(5, rounds); round++) taken.push(await cpuOfReads(used, token));
    console.log(`  ${count} node${count === 1 ? ' ' : 's'}  ${median(taken).toFixed()}`);
  }
} finally {
  await cluster.remove();
  await disk.remove();
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

async function cpuOfReads(servers: readonly Framehold[], token: string): Promise<number> {
  const cpu = () => servers.reduce((sum, { pid }) => sum + treeCpuSeconds(pid), 0);
  const header = [`authorization: Bearer ${token}`];
  const before = cpu();
  const loads = await Promise.all(
    servers.map(({ url }) => wrk(`${url}/exec?handle=ticks&fmt=json`, loadSeconds, header)),
  );
  const requests = loads.reduce((sum, { requestsPerSecond }) => sum + requestsPerSecond * loadSeconds, 0);
  if (loads.some(({ failures }) => failures > 0)) throw new Error('requests failed');
  return (1e6 * (cpu() - before)) / requests;
}
