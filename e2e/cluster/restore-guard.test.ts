import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { Cluster } from '../../server/test/support/cluster/cluster.ts';
import { readNumbers, writeNumbers } from '../../server/test/support/cluster/numbers.ts';
import { getText } from '../../server/test/support/frame-client.ts';
import { sweptAgain } from '../../server/test/support/later-sweep.ts';
import { eventually } from '../../server/test/support/patience.ts';

let cluster: Cluster;
before(async () => {
  cluster = await Cluster.start({
    nodes: 1,
    // Garbage is removed as soon as it is seen, and nothing can be undropped.
    settings: { 'jobs-garbage-delay-ms': '0', 'jobs-sweep-interval-ms': '200', 'frames-undrop-hours': '0' },
  });
});
after(() => cluster?.remove());

async function bucketEpoch(): Promise<number> {
  const client = cluster.parts.s3.client();
  try {
    const key = (await cluster.objectKeys()).find((each) => each.endsWith('framehold.json'));
    const found = await client.send(new GetObjectCommand({ Bucket: cluster.bucket, Key: key }));
    return (JSON.parse((await found.Body?.transformToString()) ?? '{}') as { epoch: number }).epoch;
  } finally {
    client.destroy();
  }
}

const frameObjects = async () =>
  (await cluster.objectKeys()).filter((key) => !key.endsWith('framehold.json')).sort();

async function guardOf(url: string): Promise<string | undefined> {
  return /^framehold_store_guard (\d)$/m.exec((await getText(`${url}/metrics`)).text)?.[1];
}

test('PostgreSQL is restored to an earlier moment: nothing is removed until an operator accepts that', async () => {
  const node = cluster.node(0);
  await writeNumbers(node.url, 'early', [1, 2, 3]);
  await eventually('the bucket has the identity', async () =>
    (await cluster.objectKeys()).some((key) => key.endsWith('framehold.json')),
  );
  await node.stop();
  // The backup of that moment.
  const backup = `${new URL(cluster.database).pathname.slice(1)}_backup`;
  await cluster.parts.postgres.query(
    `CREATE DATABASE ${backup} TEMPLATE ${new URL(cluster.database).pathname.slice(1)}`,
  );

  await node.start();
  await writeNumbers(node.url, 'late', [4, 5, 6]);
  const before = await bucketEpoch();
  // As if a minute had passed.
  await cluster.query('UPDATE catalog_state SET epoch_at = 0');
  // versitygw replaces an object and its checksum one after the other: between them a reader finds that they differ.
  await eventually('the epoch has grown', async () => (await bucketEpoch().catch(() => before)) > before);
  await node.stop();

  const catalogUrl = cluster.parts.postgres.urlOf(backup);
  const restored = await cluster.addNode({ catalogUrl });
  await restored.start();
  await eventually('the node is ready', async () => (await getText(`${restored.url}/readyz`)).status === 200);
  await eventually('the alarm is raised', async () => (await guardOf(restored.url)) === '1');
  assert.equal((await getText(`${restored.url}/v1/frames/late`)).status, 404);
  assert.deepEqual(await readNumbers(restored.url, 'early'), [1, 2, 3]);
  // Garbage that the restored catalog would remove at once.
  const objects = await frameObjects();
  assert.equal((await fetch(`${restored.url}/v1/frames/early`, { method: 'DELETE' })).status, 204);
  await sweptAgain(restored);
  assert.deepEqual(
    (await frameObjects()).filter((key) => objects.includes(key)),
    objects,
  );

  await cluster.acceptRestore(catalogUrl);
  await eventually('the alarm is over', async () => (await guardOf(restored.url)) === '0');
  await eventually('garbage is removed again', async () => (await frameObjects()).length < objects.length);
});
