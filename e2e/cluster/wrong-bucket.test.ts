import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Cluster } from '../../server/test/support/cluster/cluster.ts';
import type { ClusterNode } from '../../server/test/support/cluster/cluster-node.ts';
import { readNumbers, writeNumbers } from '../../server/test/support/cluster/numbers.ts';
import { getText } from '../../server/test/support/frame-client.ts';
import { eventually } from '../../server/test/support/patience.ts';

let cluster: Cluster;
before(async () => {
  cluster = await Cluster.start({ nodes: 1 });
  await writeNumbers(cluster.node(0).url, 'kept', [1, 2, 3]);
});
after(() => cluster?.remove());

/** A node that was started with wrong settings: it answers, but says that nothing should be sent to it, and why. */
async function isNotReady(node: ClusterNode, why: RegExp): Promise<void> {
  await node.start();
  try {
    await eventually('the node says why', async () => why.test((await getText(`${node.url}/readyz`)).text));
    assert.equal((await getText(`${node.url}/readyz`)).status, 503);
    // Whoever asks it all the same gets an error, and never a frame that is damaged or gone.
    const read = await getText(`${node.url}/v1/frames/kept/rows?fmt=csv`);
    assert.ok([500, 503].includes(read.status), `${read.status} ${read.text}`);
    assert.notEqual(JSON.parse(read.text).code, 'frame_damaged');
  } finally {
    await node.stop();
  }
  const [damage] = await cluster.query<{ count: number }>(
    'select (select count(*) from damaged)::int + (select count(*) from removed_objects)::int as count',
  );
  assert.equal(damage?.count, 0);
  assert.deepEqual(await readNumbers(cluster.node(0).url, 'kept'), [1, 2, 3]);
}

test('a node with an empty bucket is not ready, and marks nothing as damaged', async () => {
  const bucket = await cluster.parts.s3.newBucket();
  await isNotReady(await cluster.addNode({ bucket }), /another catalog/);
  assert.deepEqual(await cluster.objectKeys(bucket), []);
});

test('a node with the bucket of another catalog is not ready, and marks nothing as damaged', async () => {
  const other = await Cluster.start({ nodes: 1 });
  try {
    await isNotReady(await cluster.addNode({ bucket: other.bucket }), /another catalog/);
  } finally {
    await other.remove();
  }
});

test('a node with wrong credentials is not ready, and marks nothing as damaged', async () => {
  const node = await cluster.addNode({ env: { AWS_SECRET_ACCESS_KEY: 'wrong-wrong-wrong' } });
  await isNotReady(node, /has not answered/);
});
