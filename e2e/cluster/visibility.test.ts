import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Cluster } from '../../server/test/support/cluster/cluster.ts';
import {
  appendNumbers,
  askNumbers,
  readNumbers,
  writeNumbers,
} from '../../server/test/support/cluster/numbers.ts';
import { exec, getText } from '../../server/test/support/frame-client.ts';

let cluster: Cluster;
let a: string;
let b: string;

before(async () => {
  cluster = await Cluster.start({ nodes: 2 });
  a = cluster.node(0).url;
  b = cluster.node(1).url;
});

after(() => cluster?.remove());

/** What is kept of an answer must be asked about again every time. */
const rounds = 10;

test('B replaces: the next read on A has the new rows, in every form', async () => {
  for (let round = 1; round <= rounds; round++) {
    await writeNumbers(b, 'read', [round]);
    assert.deepEqual(await readNumbers(a, 'read'), [round]);
    const table = await exec(a, { handle: 'read', fmt: 'json' });
    assert.deepEqual(JSON.parse(table.text).dataset, [[round]]);
    const manifest = JSON.parse((await getText(`${a}/v1/frames/read`)).text);
    assert.equal(manifest.version, round);
  }
});

test('B replaces: If-Match with the version before is refused on A, and with the new one it holds', async () => {
  let { etag } = await writeNumbers(b, 'match', [0]);
  for (let round = 1; round <= rounds; round++) {
    const next = await writeNumbers(b, 'match', [round], { headers: { 'if-match': etag }, status: 200 });
    await writeNumbers(a, 'match', [-1], { headers: { 'if-match': etag }, status: 412 });
    const mine = await writeNumbers(a, 'match', [-round], {
      headers: { 'if-match': next.etag },
      status: 200,
    });
    etag = mine.etag;
  }
  assert.deepEqual(await readNumbers(b, 'match'), [-rounds]);
});

test('B replaces: an append on A follows the new rows', async () => {
  await writeNumbers(b, 'append', [0]);
  await readNumbers(a, 'append');
  for (let round = 1; round <= rounds; round++) {
    await writeNumbers(b, 'append', [round, round]);
    await appendNumbers(a, 'append', [100 + round], { status: 200 });
    assert.deepEqual(await readNumbers(b, 'append'), [round, round, 100 + round]);
  }
});

test('B creates and drops: creating on A is refused, reading is gone, and creating works again', async () => {
  const create = { headers: { 'if-none-match': '*' } };
  for (let round = 1; round <= rounds; round++) {
    await writeNumbers(b, 'created', [round], { ...create, status: 201 });
    await writeNumbers(a, 'created', [-round], { ...create, status: 412 });
    assert.deepEqual(await readNumbers(a, 'created'), [round]);
    assert.equal((await fetch(`${b}/v1/frames/created`, { method: 'DELETE' })).status, 204);
    assert.equal((await askNumbers(a, 'created')).status, 410);
    await writeNumbers(a, 'created', [round], { ...create, status: 201 });
    assert.equal((await fetch(`${a}/v1/frames/created`, { method: 'DELETE' })).status, 204);
    assert.equal((await askNumbers(b, 'created')).status, 410);
  }
});

test('SQL on A reads what B has just written, and B what SQL on A has just written', async () => {
  const sql = async (url: string, text: string) =>
    await getText(`${url}/v1/sql`, {
      method: 'POST',
      headers: { 'content-type': 'application/sql' },
      body: text,
    });
  for (let round = 1; round <= rounds; round++) {
    await writeNumbers(b, 'source', [round, round + 1]);
    const sum = await sql(a, 'select sum(n)::bigint as s from source');
    assert.deepEqual(JSON.parse(sum.text).dataset, [[2 * round + 1]], sum.text);
    const made = await sql(a, 'create or replace table made as select n * 10 as n from source');
    assert.equal(made.status, 201, made.text);
    assert.deepEqual(await readNumbers(b, 'made'), [round * 10, round * 10 + 10]);
  }
});
