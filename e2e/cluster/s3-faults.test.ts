import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Cluster } from '../../server/test/support/cluster/cluster.ts';
import { noPlaceTaken, through } from '../../server/test/support/cluster/fault-traffic.ts';
import { readNumbers, writeNumbers } from '../../server/test/support/cluster/numbers.ts';
import { getText } from '../../server/test/support/frame-client.ts';
import { eventually } from '../../server/test/support/patience.ts';
import { S3FaultProxy } from '../../server/test/support/s3-fault-proxy.ts';
import { type Passage, Toxiproxy } from '../../server/test/support/toxiproxy-process.ts';

let cluster: Cluster;
let toxiproxy: Toxiproxy;
let passage: Passage;
let faults: S3FaultProxy;

before(async () => {
  toxiproxy = await Toxiproxy.start();
  cluster = await Cluster.start({
    nodes: 2,
    s3Endpoint: async (url) => {
      faults = await S3FaultProxy.start(url);
      passage = await toxiproxy.before(faults.endpoint);
      return passage.url;
    },
  });
});
after(async () => {
  await cluster?.remove();
  await faults?.stop();
  await toxiproxy?.stop();
});

/** Two or three parts of a multipart upload. */
const manyNumbers = Array.from({ length: 1_500_000 }, (_, index) => index * 7_919);

async function nothingLeaks(): Promise<void> {
  await noPlaceTaken(cluster);
  for (const { framehold } of cluster.nodes) {
    const staging = join(framehold.dataDirectory, 'cache', 'staging');
    await eventually(
      'nothing is left in staging',
      () => !existsSync(staging) || readdirSync(staging).length === 0,
    );
  }
}

test('the store is slow: callers wait, and succeed', async (t) => {
  const { statuses } = await through(cluster, 'slow', async (traffic) => {
    await passage.poison({ type: 'latency', attributes: { latency: 300 } });
    await traffic.answered(50);
    await passage.heal();
  });
  t.diagnostic(`answers: ${JSON.stringify([...statuses])}`);
  assert.deepEqual(
    [...statuses.keys()].filter((status) => status >= 500),
    [],
  );
  await nothingLeaks();
});

test('the store refuses connections: what a node has at hand is read, the rest is 503, and all is well afterwards', async (t) => {
  const [a, b] = cluster.nodes.map(({ url }) => url) as [string, string];
  await writeNumbers(a, 'at_hand', [1, 2, 3]);
  const { statuses } = await through(cluster, 'refused', async () => {
    await passage.close();
    assert.deepEqual(await readNumbers(a, 'at_hand'), [1, 2, 3]);
    const cold = await getText(`${b}/v1/frames/at_hand/rows?fmt=csv`);
    assert.equal(cold.status, 503, cold.text);
    const refused = await getText(`${a}/v1/frames/refused_put`, {
      method: 'PUT',
      headers: { 'content-type': 'text/csv' },
      body: 'n\n1\n',
    });
    assert.equal(refused.status, 503, refused.text);
    assert.equal(JSON.parse(refused.text).code, 'unavailable');
    assert.equal((await getText(`${a}/readyz`)).status, 200);
    await passage.open();
  });
  t.diagnostic(`answers: ${JSON.stringify([...statuses])}`);
  assert.deepEqual(await readNumbers(b, 'at_hand'), [1, 2, 3]);
  assert.equal((await getText(`${a}/v1/frames/refused_put`)).status, 404);
  await nothingLeaks();
});

test('connections are reset in the middle of uploads: the put is whole or there is none', async () => {
  const url = cluster.node(0).url;
  await passage.poison({ type: 'limit_data', stream: 'upstream', attributes: { bytes: 3_000_000 } });
  const body = `n\n${manyNumbers.join('\n')}\n`;
  const answer = await getText(`${url}/v1/frames/cut`, {
    method: 'PUT',
    headers: { 'content-type': 'text/csv' },
    body,
  });
  assert.ok([201, 502, 503, 504].includes(answer.status), `${answer.status} ${answer.text}`);
  await passage.heal();
  if (answer.status !== 201) {
    assert.equal((await getText(`${url}/v1/frames/cut`)).status, 404);
    await writeNumbers(url, 'cut', manyNumbers);
  }
  assert.deepEqual(await readNumbers(cluster.node(1).url, 'cut'), manyNumbers);
  await nothingLeaks();
});

test('the store answers 503 SlowDown to every second request, and then to all: callers get 503 or success', async (t) => {
  const { statuses } = await through(cluster, 'slow_down', async (traffic) => {
    let seen = 0;
    faults.interfere = () => (++seen % 2 === 0 ? 'refuse' : 'pass');
    await traffic.answered(50);
    faults.interfere = () => 'refuse';
    await traffic.answered(5, 503);
    faults.interfere = () => 'pass';
  });
  t.diagnostic(`answers: ${JSON.stringify([...statuses])}`);
  await nothingLeaks();
});
