import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { Cluster } from '../../support/cluster/cluster.ts';
import { askNumbers, numbersFrom, readNumbers, writeNumbers } from '../../support/cluster/numbers.ts';
import { assertProblem, exec, getText } from '../../support/frame-client.ts';
import { eventually } from '../../support/patience.ts';
import { serverFolder } from '../../support/repository.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';

const armed = temporaryFolder('armed');
const armedBy = join(armed, 'now');
/** A stops at one step of its way, once the file is there. */
const stopsAt = (step: string) => ({ STOP_AT: step, STOP_ARMED_BY: armedBy });

/** A settles in the background, B only for statements; neither sweeps but when a test says so. */
let cluster: Cluster;

before(async () => {
  cluster = await Cluster.prepare({
    settings: { 'jobs-garbage-delay-ms': '1000', 'jobs-sweep-interval-ms': '300' },
  });
  await cluster.addNode({ imports: [join(serverFolder, 'test', 'support', 'stop-at-step.ts')] });
  await cluster.addNode({ settings: { 'settle-threads': '0' } });
  await cluster.node(1).start();
  await cluster.makeCredential();
  await cluster.node(0).start(stopsAt('settle:adopted'));
});
after(async () => {
  await cluster?.remove();
  removeFolder(armed);
});

async function stopped(): Promise<void> {
  await eventually('A has come to the step', () => !existsSync(armedBy));
}

/** A statement settles the parts that it reads. */
async function sumOn(url: string, name: string): Promise<number> {
  const answer = await getText(`${url}/v1/sql?fmt=csv`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sql: `SELECT sum(n)::bigint AS total FROM "${name}"` }),
  });
  assert.equal(answer.status, 200, answer.text);
  return Number(answer.text.trim().split('\r\n')[1]);
}

const parquetOf = (name: string) =>
  cluster
    .query<{ key: string }>(
      `select o.key from objects o join parts p on p.id = o.part join names n on n.id = p.name_id
       where n.name = '${name}' and o.kind = 'parquet' order by o.seq`,
    )
    .then((rows) => rows.map(({ key }) => key));

const parquetInBucket = async () =>
  (await cluster.objectKeys())
    .filter((key) => key.endsWith('.parquet'))
    .map((key) => key.replace('frames/', ''));

test('A and B settle the same part at once: one form is recorded, and the object of the other is collected', async () => {
  const [a, b] = [cluster.node(0), cluster.node(1)];
  const numbers = numbersFrom(1, 1_000);
  writeFileSync(armedBy, '');
  await writeNumbers(b.url, 'both', numbers);
  await stopped();
  // A has stored its file, and has not told the catalog.
  const [mine] = await parquetInBucket();
  assert.ok(mine);
  assert.deepEqual(await parquetOf('both'), []);
  assert.equal(await sumOn(b.url, 'both'), 500_500);
  const recorded = await parquetOf('both');
  assert.equal(recorded.length, 1);
  assert.notDeepEqual(recorded, [mine]);
  a.resume();
  await eventually('what came too late is collected', async () => !(await parquetInBucket()).includes(mine));
  assert.deepEqual(await parquetOf('both'), recorded);
  assert.deepEqual(await parquetInBucket(), recorded);
  assert.equal(await sumOn(a.url, 'both'), 500_500);
  assert.deepEqual(await readNumbers(a.url, 'both'), numbers);
});

test('A is killed after it has stored its file: B settles the part, and nothing refers to the file of A', async () => {
  const [a, b] = [cluster.node(0), cluster.node(1)];
  const before = new Set(await parquetInBucket());
  writeFileSync(armedBy, '');
  await writeNumbers(b.url, 'killed', [1, 2, 3]);
  await stopped();
  const [mine] = (await parquetInBucket()).filter((key) => !before.has(key));
  assert.ok(mine);
  await a.kill();
  assert.equal(await sumOn(b.url, 'killed'), 6);
  const recorded = await parquetOf('killed');
  assert.equal(recorded.length, 1);
  assert.ok(!recorded.includes(mine));
  await a.start(stopsAt('put:published'));
  assert.equal(await sumOn(a.url, 'killed'), 6);
  assert.deepEqual(await readNumbers(a.url, 'killed'), [1, 2, 3]);
  // It is an orphan, and removed when it is two days old.
  assert.ok((await parquetInBucket()).includes(mine));
});

test('a node starts while another one is between storing an object and the commit: the put is made, and its object is there', async () => {
  const [a, b] = [cluster.node(0), cluster.node(1)];
  writeFileSync(armedBy, '');
  const put = writeNumbers(a.url, 'between', [7, 8, 9]);
  await stopped();
  await b.stop();
  await b.start();
  const third = await cluster.addNode();
  await third.start();
  // Sweeps of both have come and gone.
  await writeNumbers(b.url, 'elsewhere', [1]);
  await writeNumbers(b.url, 'elsewhere', [2]);
  await eventually(
    'B has settled, swept and collected',
    async () => (await parquetOf('elsewhere')).length > 0,
  );
  a.resume();
  assert.equal((await put).status, 201);
  for (const node of [b, third]) assert.deepEqual(await readNumbers(node.url, 'between'), [7, 8, 9]);
});

test('B finds damage: answers that A has kept are not given any more', async () => {
  const [a, b] = [cluster.node(0), cluster.node(1)];
  await a.stop();
  const quiet = await cluster.addNode({ settings: { 'settle-threads': '0' } });
  await quiet.start();
  for (const node of [cluster.node(2)]) await node.stop();
  const ask = (url: string) => exec(url, { handle: 'damaged', fmt: 'csv' });
  await writeNumbers(quiet.url, 'damaged', [1, 2, 3]);
  assert.deepEqual(await readNumbers(quiet.url, 'damaged'), [1, 2, 3]);
  const kept = await ask(quiet.url);
  assert.equal(kept.status, 200, kept.text);
  assert.equal((await ask(quiet.url)).text, kept.text);
  const [arrow] = await cluster.query<{ key: string }>(
    `select o.key from objects o join parts p on p.id = o.part join names n on n.id = p.name_id where n.name = 'damaged'`,
  );
  assert.ok(arrow);
  const client = cluster.parts.s3.client();
  const at = { Bucket: cluster.bucket, Key: `frames/${arrow.key}` };
  const bytes = await (await client.send(new GetObjectCommand(at))).Body?.transformToByteArray();
  assert.ok(bytes);
  bytes[bytes.length - 20] = (bytes[bytes.length - 20] ?? 0) ^ 0xff;
  await client.send(new PutObjectCommand({ ...at, Body: bytes }));
  client.destroy();
  // What A has on its own disk is right, until somebody looks at the bucket.
  assert.equal((await ask(quiet.url)).text, kept.text);
  assertProblem(await askNumbers(b.url, 'damaged'), 500, 'frame_damaged');
  assertProblem(await ask(quiet.url), 500, 'frame_damaged');
  assertProblem(await askNumbers(quiet.url, 'damaged'), 500, 'frame_damaged');
});
