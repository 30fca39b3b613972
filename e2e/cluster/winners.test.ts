import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Cluster } from '../../server/test/support/cluster/cluster.ts';
import {
  appendNumbers,
  readNumbers,
  type Written,
  writeNumbers,
} from '../../server/test/support/cluster/numbers.ts';

let cluster: Cluster;

before(async () => {
  cluster = await Cluster.start();
});

after(() => cluster?.remove());

const racers = 12;
const rounds = 5;

/** All at once, each on the next node. */
async function race(run: (url: string, racer: number) => Promise<Written>): Promise<Written[]> {
  return await Promise.all(
    Array.from({ length: racers }, (_, racer) => run(cluster.node(racer % 3).url, racer)),
  );
}

function statusesOf(answers: readonly Written[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

test('of many creations of one name exactly one wins, and its rows are there', async () => {
  for (let round = 0; round < rounds; round++) {
    const name = `created_${round}`;
    const answers = await race((url, racer) =>
      writeNumbers(url, name, [racer], { headers: { 'if-none-match': '*' } }),
    );
    assert.deepEqual(statusesOf(answers), { 201: 1, 412: racers - 1 });
    const winner = answers.findIndex(({ status }) => status === 201);
    for (const { url } of cluster.nodes) assert.deepEqual(await readNumbers(url, name), [winner]);
  }
});

test('of many replacements of one version exactly one wins', async () => {
  let { etag } = await writeNumbers(cluster.url, 'matched', [-1]);
  for (let round = 0; round < rounds; round++) {
    const answers = await race((url, racer) =>
      writeNumbers(url, 'matched', [racer], { headers: { 'if-match': etag } }),
    );
    assert.deepEqual(statusesOf(answers), { 200: 1, 412: racers - 1 });
    const winner = answers.findIndex(({ status }) => status === 200);
    assert.deepEqual(await readNumbers(cluster.url, 'matched'), [winner]);
    etag = answers[winner]?.etag ?? '';
  }
});

test('plain replacements all win, in some order, each with a version of its own', async () => {
  const first = await writeNumbers(cluster.url, 'replaced', [-1]);
  const answers = await race((url, racer) => writeNumbers(url, 'replaced', [racer]));
  assert.deepEqual(statusesOf(answers), { 200: racers });
  const versions = answers.map(({ version }) => version).sort((x, y) => x - y);
  assert.deepEqual(
    versions,
    versions.map((_, index) => first.version + 1 + index),
  );
  const last = answers.findIndex(({ version }) => version === versions.at(-1));
  for (const { url } of cluster.nodes) assert.deepEqual(await readNumbers(url, 'replaced'), [last]);
});

test('appends on all nodes are all there, once, in the order of their versions', async () => {
  await writeNumbers(cluster.url, 'appended', [-1]);
  const answers = await race((url, racer) => appendNumbers(url, 'appended', [racer, racer]));
  assert.deepEqual(statusesOf(answers), { 200: racers });
  const order = answers
    .map(({ version }, racer) => ({ version, racer }))
    .sort((x, y) => x.version - y.version)
    .flatMap(({ racer }) => [racer, racer]);
  for (const { url } of cluster.nodes) assert.deepEqual(await readNumbers(url, 'appended'), [-1, ...order]);
});

test('one idempotency key on all nodes at once has exactly one effect, and all are told the same', async () => {
  await writeNumbers(cluster.url, 'keyed', [0]);
  for (let round = 1; round <= rounds; round++) {
    const headers = { 'idempotency-key': `round-${round}` };
    const answers = await race((url) => appendNumbers(url, 'keyed', [round], { headers }));
    assert.deepEqual(statusesOf(answers), { 200: racers });
    assert.deepEqual(new Set(answers.map(({ version }) => version)), new Set([round + 1]));
  }
  assert.deepEqual(await readNumbers(cluster.url, 'keyed'), [0, 1, 2, 3, 4, 5]);
});

/** A statement on a node, sent again as long as others are faster. */
async function changed(
  url: string,
  sql: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  for (;;) {
    const answer = await fetch(`${url}/v1/sql`, {
      method: 'POST',
      headers: { 'content-type': 'application/sql', ...headers },
      body: sql,
    });
    const text = await answer.text();
    if (answer.status !== 409 || JSON.parse(text).code !== 'write_conflict') return answer.status;
  }
}

test("statements that replace their own source, on all nodes, lose neither each other's rows nor those that are appended", async () => {
  await writeNumbers(cluster.url, 'own', [-1]);
  const replace = (racer: number) =>
    `create or replace table own as select n from own union all select ${racer}`;
  await Promise.all(
    Array.from({ length: racers }, async (_, racer) => {
      const { url } = cluster.node(racer % 3);
      if (racer < 4) assert.equal(await changed(url, replace(racer)), 201);
      else assert.equal((await appendNumbers(url, 'own', [racer])).status, 200);
    }),
  );
  for (const { url } of cluster.nodes)
    assert.deepEqual(
      (await readNumbers(url, 'own')).sort((x, y) => x - y),
      Array.from({ length: racers + 1 }, (_, index) => index - 1),
    );
});

test('a statement with a key, on all nodes at once, has one effect', async () => {
  await writeNumbers(cluster.url, 'inserted', [0]);
  const key = { 'idempotency-key': 'of-a-statement' };
  const statuses = await Promise.all(
    Array.from({ length: 6 }, (_, racer) =>
      changed(cluster.node(racer % 3).url, 'insert into inserted values (1)', key),
    ),
  );
  assert.deepEqual(statuses, Array(6).fill(201));
  assert.equal(await changed(cluster.url, 'insert into inserted values (2)', key), 409);
  assert.deepEqual(await readNumbers(cluster.url, 'inserted'), [0, 1]);
});
