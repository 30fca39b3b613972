import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Cluster } from '../../server/test/support/cluster/cluster.ts';
import { CommitCutter } from '../../server/test/support/cluster/commit-cutter.ts';
import {
  appendNumbers,
  askNumbers,
  readNumbers,
  writeNumbers,
} from '../../server/test/support/cluster/numbers.ts';
import { eventually } from '../../server/test/support/patience.ts';

/** A speaks to PostgreSQL through a passage on which the reply to one COMMIT is lost; B speaks to it directly. */
let cluster: Cluster;
let cutter: CommitCutter;
let a: string;
let b: string;

before(async () => {
  cluster = await Cluster.prepare({ settings: { 'jobs-sweep-interval-ms': '300' } });
  cutter = await CommitCutter.before(cluster.database);
  await Promise.all([
    cluster.addNode({ catalogUrl: cutter.through(cluster.database) }),
    // The background belongs to A.
    cluster.addNode({ settings: { 'transcode-threads': '0', 'jobs-sweep-interval-ms': '3600000' } }),
  ]);
  await cluster.node(0).start();
  await cluster.makeCredential();
  await cluster.node(1).start();
  a = cluster.node(0).url;
  b = cluster.node(1).url;
});

after(async () => {
  await cluster?.remove();
  await cutter?.stop();
});

/** The COMMIT of a transaction with a statement like this. */
function loseReplyTo(statement: RegExp): void {
  cutter.cutNext((texts) => texts.some((text) => statement.test(text)));
}

/** Every object that a version needs can be fetched by the other node. */
async function objectsArePresent(): Promise<void> {
  const known = await cluster.query<{ key: string }>('select key from objects');
  const stored = new Set((await cluster.objectKeys()).map((key) => key.replace(/^frames\//, '')));
  assert.deepEqual(
    known.map(({ key }) => key).filter((key) => !stored.has(key)),
    [],
  );
}

const newVersion = /insert into versions/i;

test('the reply to the COMMIT of a put is lost: one version, and its object is there', async () => {
  const cut = cutter.cut;
  loseReplyTo(newVersion);
  const put = await writeNumbers(a, 'put', [1, 2, 3]);
  assert.equal(cutter.cut, cut + 1, 'the reply was lost');
  assert.deepEqual({ status: put.status, version: put.version }, { status: 201, version: 1 });
  assert.deepEqual(await readNumbers(b, 'put'), [1, 2, 3]);
  assert.equal((await askNumbers(b, 'put@2')).status, 404);
  await objectsArePresent();
});

test('the reply to the COMMIT of an append is lost: the rows are there once', async () => {
  await writeNumbers(b, 'append', [1]);
  for (let round = 2; round <= 5; round++) {
    const cut = cutter.cut;
    loseReplyTo(newVersion);
    const appended = await appendNumbers(a, 'append', [round]);
    assert.equal(cutter.cut, cut + 1, 'the reply was lost');
    assert.deepEqual({ status: appended.status, version: appended.version }, { status: 200, version: round });
  }
  assert.deepEqual(await readNumbers(b, 'append'), [1, 2, 3, 4, 5]);
  await objectsArePresent();
});

test('the reply to the COMMIT of a create is lost: the caller is told that it won', async () => {
  loseReplyTo(newVersion);
  const created = await writeNumbers(a, 'create', [1], { headers: { 'if-none-match': '*' } });
  assert.equal(created.status, 201);
  assert.equal(cutter.isArmed, false);
  await writeNumbers(b, 'create', [2], { headers: { 'if-none-match': '*' }, status: 412 });
});

test('the reply to the COMMIT of a put with a key is lost, and the key is repeated on the other node: one effect', async () => {
  const headers = { 'idempotency-key': 'lost' };
  loseReplyTo(newVersion);
  const answers = await Promise.all([
    writeNumbers(a, 'keyed', [7], { headers }),
    writeNumbers(b, 'keyed', [7], { headers }),
  ]);
  const again = await writeNumbers(b, 'keyed', [7], { headers });
  assert.deepEqual(
    [...answers, again].map(({ version }) => version),
    [1, 1, 1],
  );
  assert.deepEqual(await readNumbers(b, 'keyed'), [7]);
  cutter.cutNext(() => false);
});

test('the reply to the COMMIT of a drop is lost: the frame is dropped once, and can be undropped', async () => {
  await writeNumbers(b, 'drop', [1, 2]);
  const cut = cutter.cut;
  loseReplyTo(/tombstones|dropped/i);
  const dropped = await fetch(`${a}/v1/frames/drop`, { method: 'DELETE' });
  assert.equal(cutter.cut, cut + 1, 'the reply was lost');
  assert.equal(dropped.status, 204, await dropped.text());
  assert.equal((await askNumbers(b, 'drop')).status, 410);
  const undropped = await fetch(`${b}/v1/frames/drop/undrop`, { method: 'POST' });
  assert.equal(undropped.status, 200, await undropped.text());
  assert.deepEqual(await readNumbers(a, 'drop'), [1, 2]);
});

test('the reply to the COMMIT of a compaction is lost: the parts are compacted once, and every version keeps its rows', async () => {
  await writeNumbers(b, 'merge', [0]);
  for (let round = 1; round <= 20; round++) await appendNumbers(b, 'merge', [round]);
  const cut = cutter.cut;
  loseReplyTo(/delete from parts/i);
  await eventually('a compaction whose reply is lost', () => cutter.cut > cut);
  const all = Array.from({ length: 21 }, (_, number) => number);
  assert.deepEqual(await readNumbers(b, 'merge'), all);
  assert.deepEqual(await readNumbers(a, 'merge'), all);
  assert.deepEqual(await readNumbers(b, 'merge@20'), all.slice(0, 20));
  await objectsArePresent();
});
