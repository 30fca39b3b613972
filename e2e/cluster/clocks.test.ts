import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Cluster } from '../../server/test/support/cluster/cluster.ts';
import type { ClusterNode } from '../../server/test/support/cluster/cluster-node.ts';
import { askNumbers, readNumbers, writeNumbers } from '../../server/test/support/cluster/numbers.ts';
import { getText } from '../../server/test/support/frame-client.ts';
import { sweptAgain } from '../../server/test/support/later-sweep.ts';
import { eventually } from '../../server/test/support/patience.ts';

const aheadMs = 5 * 60_000;

let cluster: Cluster;
/** Its clock is five minutes ahead. */
let ahead: ClusterNode;

before(async () => {
  cluster = await Cluster.start({
    nodes: 1,
    settings: { 'jobs-sweep-interval-ms': '300', 'jobs-garbage-delay-ms': '60000' },
  });
  ahead = await cluster.addNode({
    imports: [
      join(import.meta.dirname, '..', '..', 'server', 'test', 'support', 'cluster', 'clock-ahead.ts'),
    ],
    env: { CLOCK_AHEAD_MS: String(aheadMs) },
  });
  await ahead.start();
});

after(() => cluster?.remove());

test('a node whose clock is five minutes ahead is not ready, and says why', async () => {
  await eventually('not ready', async () => (await getText(`${ahead.url}/readyz`)).status === 503);
  const answer = await getText(`${ahead.url}/readyz`);
  assert.match(answer.text, /clock/);
  assert.equal((await getText(`${cluster.node(0).url}/readyz`)).status, 200);
});

test('what it is asked for all the same is judged by the clock of the catalog', async () => {
  const put = await writeNumbers(ahead.url, 'ahead', [1], { status: 201 });
  const createdAt = Date.parse(String(put.json.createdAt));
  assert.ok(Math.abs(createdAt - Date.now()) < 30_000, `created at ${put.json.createdAt}`);
  const expiring = await fetch(`${cluster.node(0).url}/v1/frames/ahead`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ttl: '2m' }),
  });
  assert.equal(expiring.status, 200, await expiring.text());
  // By its own clock it would have expired three minutes ago.
  assert.deepEqual(await readNumbers(ahead.url, 'ahead'), [1]);
  await sweptAgain(ahead, cluster.nodes);
  assert.deepEqual(await readNumbers(ahead.url, 'ahead'), [1], 'its sweeps have not ended it');
});

test('it does not collect before the delay, nor take orphans for old', async () => {
  await writeNumbers(ahead.url, 'garbage', [1]);
  const keys = (await cluster.objectKeys()).length;
  const dropped = await fetch(`${ahead.url}/v1/frames/garbage?purge=true`, { method: 'DELETE' });
  assert.equal(dropped.status, 204);
  assert.equal((await askNumbers(cluster.node(0).url, 'garbage')).status, 410);
  await eventually('it is garbage with a time', async () => {
    const rows = await cluster.query('select 1 from garbage where not_before is not null');
    return rows.length > 0;
  });
  await sweptAgain(ahead, cluster.nodes);
  assert.ok((await cluster.objectKeys()).length >= keys, 'a minute has not passed');
});
