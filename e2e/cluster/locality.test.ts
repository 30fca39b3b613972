/** Three nodes tell clients which of them has a frame warm. Clients that follow read from there; those that do not read as well. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Cluster } from '../../server/test/support/cluster/cluster.ts';
import type { ClusterNode } from '../../server/test/support/cluster/cluster-node.ts';
import { flightPython } from '../../server/test/support/flight-python.ts';

const nodeCount = 3;
const rows = 600_000;

let cluster: Cluster;
before(async () => {
  cluster = await Cluster.prepare();
  for (let index = 0; index < nodeCount; index++) {
    const node = await cluster.addNode();
    // The address before a node stays the same when the node is started again, and is known before it starts.
    await node.start({ FRAMEHOLD_NODE_ADVERTISED_URL: node.grpcUrl });
    if (index === 0) await cluster.makeCredential();
  }
  await flightPython(
    cluster.grpcUrl,
    `result = put(by_path('wide'), pa.table({'n': range(${rows}), 's': [str(n % 1000) for n in range(${rows})]}))[-1]['rows']`,
  );
  await everyNodeKnows(nodeCount);
});
after(() => cluster.remove());

interface Endpoint {
  readonly ticket: string;
  readonly locations: readonly string[];
}

async function endpointsAt(node: ClusterNode, descriptor: unknown): Promise<readonly Endpoint[]> {
  const lines = `
asked = by_path(given) if isinstance(given, str) else by_command(given)
info = client.get_flight_info(asked)
result = [{'ticket': each.ticket.ticket.decode(), 'locations': [place.uri.decode() for place in each.locations]} for each in info.endpoints]`;
  return (await flightPython(node.grpcUrl, lines, descriptor)) as readonly Endpoint[];
}

/** Heartbeats come every two seconds. */
async function everyNodeKnows(count: number): Promise<void> {
  for (const node of cluster.nodes.filter(({ isUp }) => isUp))
    await node.framehold.until(`${count} nodes`, async () => {
      const endpoints = await endpointsAt(node, { name: 'wide', endpoints: nodeCount });
      return new Set(endpoints.map(({ locations }) => locations[0])).size === count ? true : null;
    });
}

async function readsOf(node: ClusterNode): Promise<number> {
  const answer = await fetch(`${node.url}/metrics`);
  const line = (await answer.text())
    .split('\n')
    .find((each) => /^framehold_flight_calls_total\{method="[^"]*DoGet",status="OK"\}/.test(each));
  return line === undefined ? 0 : Number(line.split(' ').at(-1));
}

/** As clients do it: the first location that answers, and the connection that asked where the list says so. */
const following = `
from concurrent.futures import ThreadPoolExecutor

def follow(endpoint):
    failures = []
    for place in endpoint.locations:
        here = place.uri.decode()
        try:
            near = client if here.startswith('arrow-flight-reuse-connection') else flight.connect(here)
            return near.do_get(endpoint.ticket).read_all()
        except flight.FlightUnavailableError as error:
            failures.append(str(error))
    raise RuntimeError(failures)

def read_all(name, count):
    info = client.get_flight_info(by_command({'name': name, 'endpoints': count}))
    with ThreadPoolExecutor(count) as threads:
        return pa.concat_tables(threads.map(follow, info.endpoints))
`;

test('every node names the same node as the warmest, over Flight and over HTTP', async () => {
  const answers = await Promise.all(cluster.nodes.map((node) => endpointsAt(node, 'wide')));
  const [first] = answers;
  assert.equal(first?.length, 1);
  const locations = first?.[0]?.locations ?? [];
  assert.equal(locations.length, 3);
  assert.equal(locations[2], 'arrow-flight-reuse-connection://?');
  for (const each of answers) assert.deepEqual(each, first);
  const warmest = cluster.nodes.findIndex(({ grpcUrl }) => grpcUrl === locations[0]);
  for (const [index, node] of cluster.nodes.entries()) {
    const { headers } = await fetch(`${node.url}/v1/frames/wide/rows?limit=1`);
    assert.equal(headers.get('framehold-node'), `node-${index}`);
    assert.equal(headers.get('framehold-warm-node'), `node-${warmest}`);
  }
});

test('a client that follows the locations reads every range from its node', async () => {
  const before = await Promise.all(cluster.nodes.map(readsOf));
  const result = await flightPython(
    cluster.grpcUrl,
    `${following}
table = read_all('wide', 6)
result = [table.num_rows, table.equals(get('wide'))]`,
  );
  assert.deepEqual(result, [rows, true]);
  const reads = (await Promise.all(cluster.nodes.map(readsOf))).map(
    (count, index) => count - (before[index] ?? 0),
  );
  // Two ranges each, and the plain read on one of them.
  assert.deepEqual(reads.toSorted(), [2, 2, 3]);
});

test('a ticket works on every node', async () => {
  const [node] = cluster.nodes;
  const endpoints = await endpointsAt(node as ClusterNode, { name: 'wide', endpoints: 2 });
  for (const each of cluster.nodes) {
    const counts = await flightPython(
      each.grpcUrl,
      'result = [client.do_get(flight.Ticket(each)).read_all().num_rows for each in given]',
      endpoints.map(({ ticket }) => ticket),
    );
    assert.deepEqual(counts, [rows / 2, rows / 2]);
  }
});

test('a node that is killed costs its readers an attempt, and soon nobody is sent there', async () => {
  const [asked] = await endpointsAt(cluster.node(0), 'wide');
  const warmest = cluster.nodes.find(({ grpcUrl }) => grpcUrl === asked?.locations[0]);
  assert.ok(warmest);
  await warmest.kill();
  const lines = `${following}
result = read_all('wide', 6).num_rows`;
  assert.equal(await flightPython(cluster.grpcUrl, lines), rows);
  await everyNodeKnows(nodeCount - 1);
  const other = cluster.nodes.find(({ isUp }) => isUp) as ClusterNode;
  const [now] = await endpointsAt(other, 'wide');
  assert.equal(now?.locations[0], asked?.locations[1]);
});
