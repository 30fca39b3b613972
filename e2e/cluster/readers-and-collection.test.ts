import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Cluster } from '../../server/test/support/cluster/cluster.ts';
import {
  appendNumbers,
  askNumbers,
  readNumbers,
  writeNumbers,
} from '../../server/test/support/cluster/numbers.ts';
import { SlowReader } from '../../server/test/support/cluster/slow-reader.ts';
import { send } from '../../server/test/support/frame-client.ts';
import { timePasses } from '../../server/test/support/passing-time.ts';
import { eventually } from '../../server/test/support/patience.ts';
import { arrowBytes, readArrow } from '../../server/test/support/python.ts';
import { type Passage, Toxiproxy } from '../../server/test/support/toxiproxy-process.ts';

/** Garbage is removed after this; a reader that runs renews it three times as often. */
const delayMs = 3_000;

/** A reads, and does nothing in the background. B prunes, compacts and collects. */
let cluster: Cluster;
let toxiproxy: Toxiproxy;
let toStore: Passage;
let large: Buffer<ArrayBuffer>;

before(async () => {
  toxiproxy = await Toxiproxy.start();
  cluster = await Cluster.prepare({
    settings: {
      'frames-versions-keep': '1',
      'frames-undrop-hours': '0',
      'jobs-garbage-delay-ms': String(delayMs),
    },
  });
  toStore = await toxiproxy.before(cluster.parts.s3.endpoint);
  await cluster.addNode({
    s3Endpoint: toStore.url,
    settings: { 'transcode-threads': '0', 'jobs-sweep-interval-ms': '3600000' },
  });
  await cluster.addNode({ settings: { 'jobs-sweep-interval-ms': '200' } });
  await cluster.node(1).start();
  await cluster.makeCredential();
  await cluster.node(0).start();
  // More than sockets and proxies keep: whoever has not read it all needs the server.
  ({ large } = await arrowBytes({
    large: "pa.table({'n': pa.array(np.random.default_rng(7).integers(-2**62, 2**62, 2_500_000))})",
  }));
});

after(async () => {
  await cluster?.remove();
  await toxiproxy?.stop();
});

const keysOf = (name: string) =>
  cluster
    .query<{ key: string }>(
      `select o.key from objects o join parts p on p.id = o.part join names n on n.id = p.name_id where n.name = '${name}'`,
    )
    .then((rows) => rows.map(({ key }) => `frames/${key}`));

const stored = async (keys: readonly string[]) => {
  const all = new Set(await cluster.objectKeys());
  return keys.filter((key) => all.has(key));
};

/** Of so many frames, one after the other, B removes all that nobody reads: it would have removed what became garbage before. */
async function collects(count: number): Promise<void> {
  const b = cluster.node(1).url;
  for (let round = 0; round < count; round++) {
    await writeNumbers(b, 'unread', [round]);
    const keys = await keysOf('unread');
    assert.ok(keys.length > 0);
    assert.equal((await fetch(`${b}/v1/frames/unread?purge=true`, { method: 'DELETE' })).status, 204);
    await eventually('what nobody reads is removed', async () => (await stored(keys)).length === 0);
  }
}

const slowly = (handle: string) =>
  SlowReader.begin(
    `${cluster.node(0).framehold.url}/v1/frames/${handle}/rows?fmt=arrow`,
    cluster.credential ?? '',
  );

test('A reads a version slowly while B replaces, prunes, transcodes and collects: A finishes, and then its objects go', async () => {
  const b = cluster.node(1).url;
  await send(b, '/v1/frames/slow', large, { status: 201 });
  const keys = await keysOf('slow');
  const reader = await slowly('slow');
  await writeNumbers(b, 'slow', [1]);
  await writeNumbers(b, 'slow', [2]);
  await eventually('the read version is garbage', async () => {
    const garbage = await cluster.query<{ key: string }>(
      'select key from garbage where not_before is not null',
    );
    return keys.every((key) => garbage.some((row) => `frames/${row.key}` === key));
  });
  await collects(3);
  assert.deepEqual(await stored(keys), keys, 'what is read stays');
  assert.deepEqual(await reader.finish(), large);
  assert.equal(reader.version, 'slow@1');
  await eventually('nobody reads it any more', async () => (await stored(keys)).length === 0);
  assert.deepEqual(await readNumbers(cluster.node(0).url, 'slow'), [2]);
});

test('A reads while B compacts the parts that it reads: A finishes with the same rows', async () => {
  const b = cluster.node(1).url;
  await send(b, '/v1/frames/merged', large, { status: 201 });
  for (let round = 0; round < 12; round++) await appendNumbers(b, 'merged', [round]);
  const reader = await slowly('merged');
  await eventually('the small parts are compacted', async () => {
    const [row] = await cluster.query<{ parts: string }>(
      "select count(*)::int parts from parts p join names n on n.id = p.name_id where n.name = 'merged'",
    );
    // Runs of eight or more are compacted: how many of the last ones are left depends on when the first were.
    return Number(row?.parts) <= 6;
  });
  await collects(2);
  const bytes = await reader.finish();
  const { values } = await readArrow(bytes);
  assert.deepEqual(
    values.n?.slice(-12),
    Array.from({ length: 12 }, (_, round) => round),
  );
  assert.equal(values.n?.length, 2_500_012);
});

test('A is stopped beyond the delay while it reads, and its objects are collected: right rows or a cut, then the newest', async () => {
  const [a, b] = [cluster.node(0), cluster.node(1)];
  await send(b.url, '/v1/frames/stopped', large, { status: 201 });
  const keys = await keysOf('stopped');
  const reader = await slowly('stopped');
  a.pause();
  try {
    await writeNumbers(b.url, 'stopped', [1]);
    await eventually('nobody renews it', async () => (await stored(keys)).length === 0);
  } finally {
    a.resume();
  }
  const outcome = await reader.finish().catch(() => 'cut off');
  if (outcome !== 'cut off') assert.deepEqual(outcome, large);
  assert.deepEqual(await readNumbers(a.url, 'stopped'), [1]);
});

test('A is stopped beyond the delay before it has fetched anything: it resolves again or fails, with no wrong rows', async () => {
  const [a, b] = [cluster.node(0), cluster.node(1)];
  await writeNumbers(b.url, 'late', [1, 2, 3]);
  const keys = await keysOf('late');
  // The store hears of A's request only when its objects are gone.
  const latency = 1_500;
  await toStore.poison({ type: 'latency', stream: 'upstream', attributes: { latency } });
  const asked = askNumbers(a.url, 'late');
  await timePasses(latency / 3, 'A has asked by then, and the store has not heard it');
  a.pause();
  try {
    await toStore.close();
    await writeNumbers(b.url, 'late', [4]);
    await eventually('nobody renews it', async () => (await stored(keys)).length === 0);
    await toStore.heal();
    await toStore.open();
  } finally {
    a.resume();
  }
  const answer = await asked;
  if (answer.status === 200) assert.deepEqual(answer.text, 'n\r\n4\r\n');
  else assert.ok([410, 502, 503, 504].includes(answer.status), answer.text);
  assert.deepEqual(await readNumbers(a.url, 'late'), [4]);
  const damaged = await cluster.query('select * from damaged');
  assert.deepEqual(damaged, [], 'an object that was collected is not damaged');
});
