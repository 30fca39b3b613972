import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Cluster } from '../../support/cluster/cluster.ts';
import { ComposeBalancer } from '../../support/compose-balancer.ts';
import { flightPython } from '../../support/flight-python.ts';
import { timePasses } from '../../support/passing-time.ts';
import { eventually } from '../../support/patience.ts';

/** Shorter than the default of 5 s; the balancer notices within 2. */
const drainDelayMs = 3_000;

let cluster: Cluster;
let balancer: ComposeBalancer;
before(async () => {
  cluster = await Cluster.start({ nodes: 1, env: { FRAMEHOLD_DRAIN_DELAY_MS: String(drainDelayMs) } });
  // One after the other: the name of a node follows from how many there are.
  for (let more = 0; more < 2; more++) await (await cluster.addNode()).start();
  balancer = await ComposeBalancer.start(
    cluster.nodes.map(({ framehold }) => ({ http: portOf(framehold.url), grpc: portOf(framehold.grpcUrl) })),
  );
  await ask('PUT', '/v1/frames/trades', 'price\n10\n20\n', 201);
});
after(async () => {
  await balancer?.stop();
  await cluster?.remove();
});

function portOf(url: string): number {
  return Number(new URL(url).port);
}

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

test('a node is stopped, as in a rolling upgrade: no request fails, without a retry', async () => {
  const stopping = new AbortController();
  let answered = 0;
  const callers = [0, 1, 2].map(async (caller) => {
    for (let round = 0; !stopping.signal.aborted; round++) {
      await ask('PUT', `/v1/frames/caller-${caller}`, `n\n${round}\n`, round === 0 ? 201 : 200);
      const rows = await ask('GET', `/exec?handle=caller-${caller}&fmt=json`, null, 200);
      assert.match(await rows.text(), new RegExp(`"dataset":\\[\\[${round}\\]\\]`));
      answered += 2;
    }
  });
  const all = Promise.all(callers);
  all.catch(() => stopping.abort());
  const node = cluster.node(0);
  await eventually('callers are served', () => answered >= 10 || stopping.signal.aborted);
  const before = answered;
  await node.stop();
  assert.deepEqual(node.framehold.exit, { code: 0, signal: null });
  assert.ok(answered > before, 'callers went on while it stopped');
  const gone = answered;
  await eventually('they still are', () => answered >= gone + 10 || stopping.signal.aborted);
  stopping.abort();
  await all;
});

test('a node is killed: requests fail for at most three seconds, and repeating them is enough', async (t) => {
  await cluster.node(1).kill();
  const killedAt = Date.now();
  let lastFailure = killedAt;
  while (Date.now() - killedAt < 5_000) {
    const status = await statusOf('/exec?handle=trades&fmt=json');
    if (status !== 200) {
      assert.ok(['closed', 502, 503, 504].includes(status), String(status));
      lastFailure = Date.now();
    }
    await timePasses(20, 'between two requests');
  }
  t.diagnostic(`the last failure was ${lastFailure - killedAt} ms after the kill`);
  assert.ok(lastFailure - killedAt <= 3_000, `${lastFailure - killedAt} ms`);
});

/** If a connection to a node is used again and the node is gone, HAProxy closes that of the caller without an answer: so a browser asks again. */
async function statusOf(path: string): Promise<number | 'closed'> {
  try {
    const answer = await fetch(balancer.url + path, { headers: { authorization: cluster.credential ?? '' } });
    await answer.text();
    return answer.status;
  } catch (error) {
    const { code } = (error as Error).cause as { readonly code?: string };
    if (code !== 'UND_ERR_SOCKET' && code !== 'ECONNRESET') throw error;
    return 'closed';
  }
}
