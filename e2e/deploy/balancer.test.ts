import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { settingTable } from '../../server/src/config/settings.ts';
import { PyArrowClient } from '../../server/test/flight/pyarrow-client.ts';
import { Cluster } from '../../server/test/support/cluster/cluster.ts';
import type { ClusterNode } from '../../server/test/support/cluster/cluster-node.ts';
import { ComposeBalancer, type ManagedPorts } from '../../server/test/support/compose-balancer.ts';
import { flightPython } from '../../server/test/support/flight-python.ts';
import { freePort } from '../../server/test/support/free-port.ts';
import { inLongRun } from '../../server/test/support/long-run.ts';
import { assertTook } from '../../server/test/support/machine-pace.ts';
import { timePasses } from '../../server/test/support/passing-time.ts';
import { eventually } from '../../server/test/support/patience.ts';
import { flightRows, slowFlight, slowGet, slowPut } from '../../server/test/support/slow-callers.ts';

const defaultOf = (setting: 'server.drain_ms' | 'server.drain_delay_ms') => settingTable[setting].default;

/** Requests of a minute with the settings that a server has by itself; or a share of that, with a shorter delay, which is still more than the balancer needs. */
const { drainDelayMs, seconds, restarts } = inLongRun(
  { drainDelayMs: defaultOf('server.drain_delay_ms'), seconds: 65, restarts: 3 },
  { drainDelayMs: '2500', seconds: 8, restarts: 1 },
);
const bytesPerRow = 8;

let cluster: Cluster;
let balancer: ComposeBalancer;
before(async () => {
  const env = {
    FRAMEHOLD_DRAIN_DELAY_MS: drainDelayMs,
    FRAMEHOLD_DRAIN_MS: defaultOf('server.drain_ms'),
  };
  cluster = await Cluster.prepare({ env });
  const nodes: ClusterNode[] = [];
  const ports: ManagedPorts[] = [];
  for (let count = 0; count < 3; count++) {
    // The balancer knows a node by its ports, also after a restart.
    const [http, grpc, management] = [await freePort(), await freePort(), await freePort()];
    const flags = ['--http-bind-address', `127.0.0.1:${http}`, '--grpc-port', String(grpc)];
    flags.push('--management-address', `127.0.0.1:${management}`);
    ports.push({ http, grpc, management });
    nodes.push(await cluster.addNode({ flags }));
  }
  await Promise.all([cluster.makeCredential(), ...nodes.map((node) => node.start())]);
  balancer = await ComposeBalancer.start(ports);
  await ask('PUT', '/v1/frames/trades', 'price\n10\n20\n', 201);
});
after(async () => {
  await balancer?.stop();
  await cluster?.remove();
});

async function ask(method: string, path: string, body: string | null, status: number): Promise<Response> {
  const answer = await fetch(balancer.url + path, {
    method,
    headers: { authorization: cluster.credential ?? '', 'content-type': 'text/csv' },
    body,
  });
  const text = await answer.text();
  assert.equal(answer.status, status, `${method} ${path}: ${text}`);
  return new Response(text, answer);
}

test('requests go to all nodes, and each answers them', async () => {
  const nodes = new Set<string | null>();
  // The balancer takes a node in when it has found it ready twice.
  await eventually('each node has answered', async () => {
    const answer = await ask('GET', '/v1/frames/trades', null, 200);
    nodes.add(answer.headers.get('framehold-node'));
    return nodes.size === 3;
  });
  assert.deepEqual([...nodes].sort(), ['node-0', 'node-1', 'node-2'], balancer.log());
});

test('Flight calls of one connection go to all nodes', async () => {
  const rows = await flightPython(
    balancer.grpcUrl,
    `
options = flight.FlightCallOptions(headers=[(b'authorization', given.encode())])
result = [client.do_get(flight.Ticket(b'trades'), options).read_all().to_pydict()['price'] for _ in range(6)]`,
    cluster.credential,
  );
  assert.deepEqual(rows, Array(6).fill([10, 20]));
  // Each node has counted calls: its own metrics say so.
  for (const { url } of cluster.nodes) {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    const calls = /^framehold_flight_calls_total\{method="[^"]*DoGet",status="OK"\} (\d+)$/m.exec(
      metrics,
    )?.[1];
    // Six calls over three nodes.
    assert.equal(calls, '2', url);
  }
});

/** Callers of short requests, until the signal aborts or one of them fails. Resolves with how many were answered. */
async function quickCallers(round: string, signal: AbortSignal): Promise<number> {
  let answered = 0;
  const failing = new AbortController();
  const until = AbortSignal.any([signal, failing.signal]);
  const callers = [0, 1, 2].map(async (caller) => {
    const frame = `quick-${round}-${caller}`;
    for (let count = 0; !until.aborted; count++) {
      await ask('PUT', `/v1/frames/${frame}`, `n\n${count}\n`, count === 0 ? 201 : 200);
      const rows = await ask('GET', `/exec?handle=${frame}&fmt=json`, null, 200);
      assert.match(await rows.text(), new RegExp(`"dataset":\\[\\[${count}\\]\\]`));
      answered += 2;
    }
  });
  await Promise.all(callers.map((caller) => caller.finally(() => failing.abort())));
  return answered;
}

/** Puts and reads that begin at the same time, three of each and over each of both ways in. */
function slowCallers(python: PyArrowClient, round: string) {
  const { url, grpcUrl } = balancer;
  const credential = cluster.credential ?? '';
  const of = (kind: string) => [0, 1, 2].map((caller) => `${kind}-${round}-${caller}`);
  const puts = of('put').map((name) => slowPut(url, credential, name, seconds));
  const gets = [0, 1, 2].map(() =>
    slowGet(url, credential, '/exp?handle=big&fmt=arrow', flightRows * bytesPerRow, seconds),
  );
  const names = { puts: of('flight'), get: 'big', gets: 3 };
  const flight = slowFlight(python, grpcUrl, credential, names, seconds);
  const http = Promise.allSettled([...puts, ...gets]);
  flight.catch(() => {});
  return { http, flight };
}

/** The node with most of the slow requests, when the balancer has distributed all puts and some of the reads, which come in larger pieces. */
async function busiest(nodes: ReadonlySet<ClusterNode>): Promise<ClusterNode> {
  const open = new Map<ClusterNode, number>();
  await eventually('slow requests are under way', async () => {
    for (const node of cluster.nodes) open.set(node, await openOn(node));
    return [...open.values()].reduce((sum, count) => sum + count, 0) >= 8;
  });
  const [first] = [...nodes].sort((one, other) => (open.get(other) ?? 0) - (open.get(one) ?? 0));
  assert.ok(first !== undefined && (open.get(first) ?? 0) > 0);
  return first;
}

/** Puts and reads that the node serves just now. */
async function openOn({ url }: ClusterNode): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const open = metrics.matchAll(/^framehold_(?:puts|reads)_open\{[^}]*state="running"[^}]*\} (\d+)$/gm);
  return [...open].reduce((sum, [, count]) => sum + Number(count), 0);
}

test(`nodes are restarted one by one: no request fails, without a retry, also none of ${seconds} s, over HTTP and over Flight`, async (t) => {
  const python = new PyArrowClient();
  t.after(() => python.kill());
  await python.run(
    `
options = fl.FlightCallOptions(headers=[(b'authorization', input['credential'].encode())])
data = pa.table({'n': pa.array(range(input['rows']), pa.int64())})
writer, reader = fl.connect(input['url']).do_put(path('big'), data.schema, options)
writer.write_table(data, max_chunksize=20_000)
writer.done_writing()
reader.read()
writer.close()`,
    { url: balancer.grpcUrl, credential: cluster.credential, rows: flightRows },
  );
  const left = new Set(cluster.nodes);
  for (let restart = 0; restart < restarts; restart++) {
    const askedAt = performance.now();
    const slow = slowCallers(python, String(restart));
    const node = await busiest(left);
    left.delete(node);
    const stopping = new AbortController();
    const quick = quickCallers(String(restart), stopping.signal);
    quick.catch(() => {});
    const began = performance.now();
    node.framehold.signal('SIGTERM');
    await node.framehold.death();
    const stopSeconds = (performance.now() - began) / 1_000;
    assert.deepEqual(node.framehold.exit, { code: 0, signal: null });
    // It has waited for its slow requests; the end of a read is in buffers of others when it is sent.
    assert.ok(performance.now() - askedAt > seconds * 800, `${stopSeconds} s`);
    await node.start();
    await servesAll();
    stopping.abort();
    t.diagnostic(`a node stopped within ${stopSeconds.toFixed(1)} s; ${await quick} short requests`);

    const outcomes = await slow.http;
    assert.deepEqual(
      outcomes.filter(({ status }) => status === 'rejected'),
      [],
      balancer.log(),
    );
    const answers = outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : null));
    const own = answers.filter((answer) => answer?.node === `node-${cluster.nodes.indexOf(node)}`);
    assert.ok(own.length > 0, 'some of them were on that node');
    for (const [index, answer] of answers.entries())
      if (index < 3) assert.equal(answer?.count, seconds * 10);
      else assert.ok((answer?.count ?? 0) > flightRows * bytesPerRow);
    const rows = await slow.flight;
    assert.deepEqual(
      rows.filter((count) => typeof count === 'string' || count < seconds),
      [],
      `${rows.join()}\n${balancer.log()}`,
    );
    assert.deepEqual(rows.slice(3), Array(3).fill(flightRows));
  }
});

/** The balancer has found every node ready. */
async function servesAll(): Promise<void> {
  const nodes = new Set<string | null>();
  await eventually('each node has answered', async () => {
    const answer = await ask('GET', '/v1/frames/trades', null, 200);
    nodes.add(answer.headers.get('framehold-node'));
    return nodes.size === 3;
  });
}

/** Longer than the balancer may take to find out. */
const frozenMs = 30_000;

interface Appended {
  readonly number: number;
  /** null: it was acknowledged. */
  readonly failure: string | null;
  readonly tookMs: number;
}

/** Appends over Flight, on one connection: each has sent its row, and says that this is all when `finish` is called. */
async function flightAppends(python: PyArrowClient, numbers: readonly number[]) {
  await python.run(
    `
client = state.setdefault('client', fl.connect(input['url']))
options = fl.FlightCallOptions(headers=[(b'authorization', input['credential'].encode())], timeout=input['seconds'])
def begin(number):
    data = pa.table({'n': pa.array([number], pa.int64())})
    command = json.dumps({'name': 'appended', 'mode': 'append'})
    writer, reader = client.do_put(fl.FlightDescriptor.for_command(command), data.schema, options)
    writer.write_table(data)
    return number, writer, reader
state['begun'] = [begin(number) for number in input['numbers']]`,
    { url: balancer.grpcUrl, credential: cluster.credential, seconds: frozenMs / 1_000, numbers },
  );
  const finish = `
answer = []
def finish(number, writer, reader):
    begun = time.monotonic()
    failure = None
    try:
        writer.done_writing()
        reader.read()
        writer.close()
    except Exception as error:
        failure = f'{type(error).__name__}: {error}'
    answer.append({'number': number, 'failure': failure, 'tookMs': (time.monotonic() - begun) * 1000})
threads = [threading.Thread(target=finish, args=each) for each in state['begun']]
for thread in threads: thread.start()
for thread in threads: thread.join()`;
  return { finish: async () => (await python.run(finish)) as Appended[] };
}

async function httpAppends(numbers: readonly number[]): Promise<Appended[]> {
  return await Promise.all(
    numbers.map(async (number) => {
      const began = performance.now();
      const status = await statusOf('/v1/frames/appended/rows', 'POST', `n\n${number}\n`);
      return { number, failure: status === 200 ? null : String(status), tookMs: performance.now() - began };
    }),
  );
}

test('a node freezes: what it holds ends within six seconds, nothing is done twice, and others are served', async (t) => {
  const python = new PyArrowClient();
  t.after(() => python.kill());
  await ask('PUT', '/v1/frames/appended', 'n\n0\n', 201);
  const numbers = (from: number) => Array.from({ length: 6 }, (_, index) => from + index);
  const begun = await flightAppends(python, numbers(100));
  await eventually('each append is on a node', async () => {
    const open = await Promise.all(cluster.nodes.map(openOn));
    return open.reduce((sum, count) => sum + count, 0) >= 6;
  });
  const node = cluster.node(1);
  node.pause();
  let frozen: [Appended[], Appended[]];
  try {
    frozen = await Promise.all([begun.finish(), httpAppends(numbers(200))]);
    // From now on nobody is sent there.
    for (let request = 0; request < 10; request++) await ask('GET', '/v1/frames/trades', null, 200);
  } finally {
    node.resume();
  }
  for (const appends of frozen) {
    const held = appends.filter(({ failure }) => failure !== null);
    t.diagnostic(
      appends.map(({ failure, tookMs }) => `${failure ?? 'done'} ${Math.round(tookMs)} ms`).join(),
    );
    assert.ok(held.length > 0, 'one in three goes to that node');
    for (const { failure, tookMs } of held) {
      // HTTP: closed without an answer, if the connection to the node had been used before.
      assert.match(failure ?? '', /^(502|closed|FlightUnavailableError)/);
      assertTook(tookMs, 8_000);
    }
  }
  // The node goes on with what it had: each row is there once, whether or not its caller was told.
  await servesAll();
  await eventually('no append is under way', async () => (await openOn(node)) === 0);
  const rows = await ask('GET', '/exp?handle=appended&fmt=csv', null, 200);
  const found = (await rows.text()).trim().split(/\s+/).slice(1).map(Number);
  assert.deepEqual(
    found.filter((number, index) => found.indexOf(number) !== index),
    [],
    'twice',
  );
  const acknowledged = frozen.flat().filter(({ failure }) => failure === null);
  assert.deepEqual(
    acknowledged.filter(({ number }) => !found.includes(number)),
    [],
    'lost',
  );
});

test('a node is killed: requests fail for at most three seconds, and repeating them is enough', async (t) => {
  await cluster.node(1).kill();
  const killedAt = Date.now();
  let lastFailure = killedAt;
  while (Date.now() - killedAt < 4_000) {
    const status = await statusOf('/exec?handle=trades&fmt=json');
    if (status !== 200) {
      assert.ok(['closed', 502, 503, 504].includes(status), String(status));
      lastFailure = Date.now();
    }
    await timePasses(20, 'between two requests');
  }
  t.diagnostic(`the last failure was ${lastFailure - killedAt} ms after the kill`);
  assertTook(lastFailure - killedAt, 3_000, 'what failed after the kill');
});

/** If a connection to a node is used again and the node is gone, HAProxy closes that of the caller without an answer: so a browser asks again. */
async function statusOf(
  path: string,
  method = 'GET',
  body: string | null = null,
): Promise<number | 'closed' | 'held'> {
  try {
    const answer = await fetch(balancer.url + path, {
      method,
      body,
      headers: { authorization: cluster.credential ?? '', 'content-type': 'text/csv' },
      signal: AbortSignal.timeout(frozenMs),
    });
    await answer.text();
    return answer.status;
  } catch (error) {
    if ((error as Error).name === 'TimeoutError') return 'held';
    const { code } = (error as Error).cause as { readonly code?: string };
    if (code !== 'UND_ERR_SOCKET' && code !== 'ECONNRESET') throw error;
    return 'closed';
  }
}
