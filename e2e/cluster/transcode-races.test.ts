import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { Cluster } from '../../server/test/support/cluster/cluster.ts';
import type { ClusterNode } from '../../server/test/support/cluster/cluster-node.ts';
import { readNumbers, writeNumbers } from '../../server/test/support/cluster/numbers.ts';
import { exec, getText } from '../../server/test/support/frame-client.ts';
import { eventually } from '../../server/test/support/patience.ts';
import { temporaryFolder } from '../../server/test/support/temporary-folder.ts';

const support = (name: string) => join(import.meta.dirname, '..', '..', 'server', 'test', 'support', name);
const folder = temporaryFolder('armed');

let cluster: Cluster;

before(async () => {
  cluster = await Cluster.start({
    nodes: 1,
    settings: { 'jobs-sweep-interval-ms': '300', 'jobs-garbage-delay-ms': '1000', 'transcode-threads': '0' },
  });
});

after(() => cluster?.remove());

/** A node that stops, or dies, at a step; from the moment at which `arm` was called. */
async function nodeThat(
  what: 'stop' | 'crash',
  step: string,
  settings: Record<string, string> = {},
): Promise<{ readonly node: ClusterNode; arm(): void }> {
  const armedBy = join(folder, `${step}-${what}`);
  const env =
    what === 'stop'
      ? { STOP_AT: step, STOP_ARMED_BY: armedBy }
      : { CRASH_AT: `${step}#1`, CRASH_ARMED_BY: armedBy };
  const node = await cluster.addNode({ imports: [support(`${what}-at-failpoint.ts`)], env, settings });
  await node.start();
  return { node, arm: () => writeFileSync(armedBy, '') };
}

async function isStopped({ framehold }: ClusterNode): Promise<void> {
  const { readFileSync } = await import('node:fs');
  await eventually('the node has stopped itself', () => {
    const stat = readFileSync(`/proc/${framehold.pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T');
  });
}

const sum = async (url: string, name: string) => {
  const answer = await getText(`${url}/v1/sql`, {
    method: 'POST',
    headers: { 'content-type': 'application/sql' },
    body: `select sum(n)::bigint as s, count(*)::bigint as c from ${name}`,
  });
  assert.equal(answer.status, 200, answer.text);
  return JSON.parse(answer.text).dataset[0];
};

const objectsOf = async (name: string, kind: string) =>
  (
    await cluster.query<{ key: string }>(
      `select o.key from objects o join parts p on p.id = o.part join names n on n.id = p.name_id
       where n.name = '${name}' and o.kind = '${kind}'`,
    )
  ).map(({ key }) => `frames/${key}`);

test('A starts and sweeps while B is between publish and commit: what B has published is there when it commits', async () => {
  const { node: b, arm } = await nodeThat('stop', 'put:published');
  arm();
  const put = writeNumbers(b.url, 'between', [1, 2, 3]);
  await isStopped(b);
  const a = await cluster.addNode();
  await a.start();
  // Its first sweep is over when a later drop has been collected.
  const other = await writeNumbers(a.url, 'other', [0]);
  const keys = await objectsOf('other', 'arrow');
  assert.equal(other.status, 201);
  await fetch(`${a.url}/v1/frames/other?purge=true`, { method: 'DELETE' });
  await eventually('A has collected', async () => {
    const left = await cluster.objectKeys();
    return keys.every((key) => !left.includes(key));
  });
  b.resume();
  assert.equal((await put).status, 201);
  assert.deepEqual(await readNumbers(a.url, 'between'), [1, 2, 3]);
});

test('B transcodes a part and hangs after its PUT while A transcodes it: one form, and right answers on both', async () => {
  const { node: b, arm } = await nodeThat('stop', 'transcode:adopted', { 'transcode-threads': '1' });
  const a = cluster.node(0);
  arm();
  await writeNumbers(a.url, 'twice', [1, 2, 3]);
  await isStopped(b);
  assert.deepEqual(await sum(a.url, 'twice'), [6, 3]);
  const before = await objectsOf('twice', 'parquet');
  assert.equal(before.length, 1);
  b.resume();
  assert.deepEqual(await sum(b.url, 'twice'), [6, 3]);
  assert.deepEqual(await objectsOf('twice', 'parquet'), before, 'what is recorded stays');
  assert.deepEqual(await readNumbers(b.url, 'twice'), [1, 2, 3]);
  assert.ok((await cluster.objectKeys()).includes(before[0] ?? ''), 'and so does its object');
  await b.stop();
});

test('B dies after the PUT of a form: A transcodes the part, and B does when it is back', async () => {
  const { node: b, arm } = await nodeThat('crash', 'transcode:adopted', { 'transcode-threads': '1' });
  const a = cluster.node(0);
  arm();
  await writeNumbers(a.url, 'killed', [4, 5]);
  assert.equal(await b.framehold.death(), 'SIGKILL');
  assert.deepEqual(await objectsOf('killed', 'parquet'), [], 'nothing was recorded');
  assert.deepEqual(await sum(a.url, 'killed'), [9, 2]);
  const [key = ''] = await objectsOf('killed', 'parquet');
  assert.ok((await cluster.objectKeys()).includes(key));
  await b.start({ CRASH_AT: '' });
  assert.deepEqual(await sum(b.url, 'killed'), [9, 2]);
  assert.deepEqual(await objectsOf('killed', 'parquet'), [key]);
});

test('B finds damage in the bucket: answers that A has rendered before stop', async () => {
  const a = cluster.node(0);
  const b = await cluster.addNode();
  await b.start();
  await writeNumbers(a.url, 'damaged', [7, 8, 9]);
  const ask = (url: string) => exec(url, { handle: 'damaged', fmt: 'json' });
  for (let time = 0; time < 3; time++) assert.equal((await ask(a.url)).status, 200);
  for (const form of ['arrow', 'parquet'])
    for (const key of await objectsOf('damaged', form)) await flipBit(key);
  const found = await ask(b.url);
  assert.equal(found.status, 500, found.text);
  assert.equal(JSON.parse(found.text).code, 'frame_damaged');
  const stopped = await ask(a.url);
  assert.equal(stopped.status, 500, `A still answers: ${stopped.text}`);
});

async function flipBit(key: string): Promise<void> {
  const client = cluster.parts.s3.client();
  try {
    const { Body } = await client.send(new GetObjectCommand({ Bucket: cluster.bucket, Key: key }));
    const bytes = Buffer.from((await Body?.transformToByteArray()) ?? []);
    const middle = bytes.length >> 1;
    bytes[middle] = (bytes[middle] ?? 0) ^ 0x10;
    await client.send(new PutObjectCommand({ Bucket: cluster.bucket, Key: key, Body: bytes }));
  } finally {
    client.destroy();
  }
}
