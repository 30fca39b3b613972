import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Catalog } from '../../src/ports/catalog/catalog.ts';
import type { Commit } from '../../src/ports/catalog/versions.ts';
import { openAt, PostgresCatalogs } from '../support/postgres-catalogs.ts';
import { change, described, dropOf, schemaOf, start, tenant } from './change-builder.ts';
import { refused } from './conformance/assertions.ts';

/** Two nodes, each with connections of its own, on one database. */

let catalogs: PostgresCatalogs;
before(async () => {
  catalogs = await PostgresCatalogs.start();
});
after(() => catalogs.stop());

async function twoNodes(onDamage: () => void = () => {}) {
  const url = await catalogs.empty();
  const a = openAt(url, { onDamage });
  const b = openAt(url);
  return { a, b, url, [Symbol.asyncDispose]: async () => void (await Promise.all([a.close(), b.close()])) };
}

/** All at once, in turns on the two nodes. */
async function race(nodes: { a: Catalog; b: Catalog }, changes: readonly Commit[]) {
  const outcomes = await Promise.allSettled(
    changes.map((each, index) => (index % 2 === 0 ? nodes.a : nodes.b).commit(each)),
  );
  const won = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const kinds = outcomes.flatMap((outcome) =>
    outcome.status === 'rejected' ? [outcome.reason.kind ?? outcome.reason] : [],
  );
  return { won, kinds };
}

const rounds = 20;

test('of racing creates exactly one wins, whether the name is new or was dropped', async () => {
  await using nodes = await twoNodes();
  for (let round = 0; round < rounds; round++) {
    const name = `f${round >> 1}`;
    const { won, kinds } = await race(
      nodes,
      Array.from({ length: 8 }, () => change(name, 'create')),
    );
    assert.equal(won.length, 1);
    assert.deepEqual(kinds, Array(7).fill('frame_exists'));
    assert.equal(won[0]?.record.version, (round % 2) + 1);
    await nodes.a.drop(dropOf(tenant, name, null, null, start));
  }
  assert.deepEqual(await nodes.a.integrity(), []);
});

test('of racing changes that expect the same version exactly one wins', async () => {
  await using nodes = await twoNodes();
  await nodes.a.commit(change('f', 'create'));
  for (let version = 1; version <= rounds; version++) {
    const mode = version % 2 === 0 ? 'replace' : 'append';
    const { won, kinds } = await race(
      nodes,
      Array.from({ length: 6 }, () => change('f', mode, { ifVersion: { version: version } })),
    );
    assert.deepEqual(
      won.map(({ record }) => record.version),
      [version + 1],
    );
    assert.deepEqual(kinds, Array(5).fill('version_mismatch'));
  }
});

test('plain replaces all win, in some order', async () => {
  await using nodes = await twoNodes();
  const changes = Array.from({ length: 30 }, () => change('f', 'replace'));
  const { won, kinds } = await race(nodes, changes);
  assert.deepEqual(kinds, []);
  const versions = won.map(({ record }) => record.version).sort((one, other) => one - other);
  assert.deepEqual(
    versions,
    changes.map((_, index) => index + 1),
  );
  assert.equal(won.filter(({ created }) => created).length, 1);
});

test('of one key on two nodes at once one takes effect, and the others are answered with it', async () => {
  await using nodes = await twoNodes();
  await nodes.a.commit(change('grows', 'create'));
  for (let round = 0; round < rounds; round++) {
    const idempotency = { key: `k${round}`, fingerprint: 'print' };
    const [name, mode] = (
      [
        [`new${round}`, 'create'],
        ['grows', 'append'],
        ['grows', 'replace'],
      ] as const
    )[round % 3] as [string, Commit['mode']];
    const { won, kinds } = await race(
      nodes,
      Array.from({ length: 6 }, () => change(name, mode, { idempotency })),
    );
    assert.deepEqual(kinds, []);
    assert.equal(won.filter(({ replayed }) => !replayed).length, 1);
    const [first] = won.filter(({ replayed }) => !replayed);
    assert.ok(first);
    for (const { record } of won) assert.deepEqual(described(record), described(first.record));
  }
});

test('one key for two names on two nodes at once makes one of them', async () => {
  await using nodes = await twoNodes();
  for (let round = 0; round < rounds; round++) {
    const { won, kinds } = await race(
      nodes,
      ['f', 'g', 'h', 'i'].map((name) =>
        change(name, 'replace', { idempotency: { key: `k${round}`, fingerprint: name } }),
      ),
    );
    assert.equal(won.length, 1);
    assert.deepEqual(kinds, Array(3).fill('idempotency_conflict'));
  }
});

test('one key with two bodies on two nodes at once stores one of them', async () => {
  await using nodes = await twoNodes();
  for (let round = 0; round < rounds; round++) {
    const { won, kinds } = await race(
      nodes,
      ['one', 'two'].flatMap((body) =>
        [1, 2].map(() =>
          change(`f${round}`, 'replace', { idempotency: { key: `k${round}`, fingerprint: 'print', body } }),
        ),
      ),
    );
    assert.deepEqual(new Set(kinds), new Set(['idempotency_conflict']));
    assert.deepEqual([won.length, kinds.length], [2, 2]);
    assert.equal((await nodes.a.resolve(tenant, `f${round}`, null, start)).version, 1);
  }
});

test('a key that a node of the release before has kept is answered whatever the body is', async () => {
  await using nodes = await twoNodes();
  const idempotency = { key: 'k', fingerprint: 'print', body: 'one' };
  const { record } = await nodes.a.commit(change('f', 'create', { idempotency }));
  await refused(nodes.b.replay(tenant, 'k', 'print', start, 'two'), 'idempotency_conflict');
  // All that it has kept.
  await catalogs.server.query(
    `UPDATE idempotency SET answer = (answer::jsonb - 'body' - 'added')::text`,
    nodes.url,
  );
  const repeated = change('f', 'create', { idempotency: { ...idempotency, body: 'two' } });
  for (const again of [
    await nodes.b.replay(tenant, 'k', 'print', start, 'two'),
    await nodes.b.commit(repeated),
  ])
    assert.deepEqual([again?.replayed, again?.record], [true, described(record)]);
});

test('appends of eight writers on two nodes lose nothing, and none is in two places', async () => {
  await using nodes = await twoNodes();
  const first = change('f', 'create');
  await nodes.a.commit(first);
  const acknowledged = new Map<number, string>([[1, first.part.id]]);
  await Promise.all(
    Array.from({ length: 8 }, async (_, writer) => {
      const node = writer % 2 === 0 ? nodes.a : nodes.b;
      for (let count = 0; count < 15; count++) {
        const put = change('f', 'append');
        const { record } = await node.commit(put);
        assert.ok(!acknowledged.has(record.version), `version ${record.version} was given out once`);
        acknowledged.set(record.version, put.part.id);
      }
    }),
  );
  const newest = await nodes.b.resolve(tenant, 'f', null, start);
  assert.deepEqual([newest.version, newest.rows, newest.partCount], [121, 1210, 121]);
  const parts = await nodes.a.parts(tenant, 'f', 121);
  assert.deepEqual(
    parts.map(({ id }) => id),
    Array.from({ length: 121 }, (_, index) => acknowledged.get(index + 1)),
  );
  assert.deepEqual(await nodes.a.integrity(), []);
});

test('what one node did is what the next look on the other sees', async () => {
  await using nodes = await twoNodes();
  const { a, b } = nodes;
  const newest = async () => {
    const { version, expiresAt } = await b.resolve(tenant, 'f', null, start);
    return [version, expiresAt];
  };
  await a.commit(change('f', 'create'));
  assert.deepEqual(await newest(), [1, null]);
  await a.commit(change('f', 'append'));
  assert.deepEqual(await newest(), [2, null]);
  await a.expire(tenant, 'f', start + 10, start);
  assert.deepEqual(await newest(), [2, start + 10]);
  assert.equal((await b.resolve(tenant, 'f', 1, start)).expiresAt, start + 10);
  await a.drop(dropOf(tenant, 'f', 2, null, start));
  assert.deepEqual(await newest(), [1, start + 10]);
  await refused(b.resolve(tenant, 'f', 2, start), 'frame_gone');
  await a.commit(change('f', 'replace', { schema: schemaOf('new') }));
  await refused(b.commit(change('f', 'replace', { ifVersion: { version: 1 } })), 'version_mismatch');
  await refused(b.commit(change('f', 'append')), 'schema_conflict');
  await refused(b.commit(change('f', 'create')), 'frame_exists');
  assert.deepEqual((await b.resolve(tenant, 'f', null, start)).schema, schemaOf('new'));
  await a.drop(dropOf(tenant, 'f', null, null, start));
  await refused(b.resolve(tenant, 'f', null, start), 'frame_gone');
  await refused(b.resolve(tenant, 'f', 3, start), 'frame_gone');
});

test('a record that has not changed is the same object, and many look-ups in one turn get each their own', async () => {
  await using nodes = await twoNodes();
  const { a, b } = nodes;
  const names = Array.from({ length: 700 }, (_, index) => `n${index}`);
  // Changes of one tenant wait for each other: few at a time, or the last would wait too long.
  for (let first = 0; first < names.length; first += 50)
    await Promise.all(names.slice(first, first + 50).map((name) => a.commit(change(name, 'create'))));
  const ask = () => Promise.all(names.map((name) => b.resolve(tenant, name, null, start)));
  const first = await ask();
  assert.deepEqual(
    first.map(({ name }) => name),
    names,
  );
  const second = await ask();
  assert.ok(first.every((record, index) => record === second[index]));
  await a.commit(change('n5', 'replace'));
  const third = await ask();
  assert.deepEqual(
    third.flatMap((record, index) => (record === first[index] ? [] : [`${record.name}@${record.version}`])),
    ['n5@2'],
  );
  const mixed = await Promise.allSettled([
    b.resolve(tenant, 'n1', null, start),
    b.resolve(tenant, 'absent', null, start),
    b.resolve(tenant, 'n1', 9, start),
    b.resolve('other', 'n1', null, start),
    b.resolve(tenant, 'N2', null, start),
  ]);
  assert.deepEqual(
    mixed.map((each) => (each.status === 'fulfilled' ? each.value.name : each.reason.kind)),
    ['n1', 'frame_not_found', 'frame_not_found', 'frame_not_found', 'frame_not_found'],
  );
});

test('damage that one node finds is noticed on the other with its next look-up', async () => {
  let noticed = 0;
  await using nodes = await twoNodes(() => noticed++);
  const put = change('f', 'create');
  await nodes.b.commit(put);
  await nodes.a.resolve(tenant, 'f', null, start);
  await nodes.a.resolve(tenant, 'f', null, start);
  assert.equal(noticed, 0);
  await nodes.b.markDamaged(put.part.arrow.key, 'other bytes', start);
  await nodes.a.resolve(tenant, 'f', null, start);
  assert.equal(noticed, 1);
  await nodes.a.resolve(tenant, 'f', null, start);
  assert.equal(noticed, 1);
});

test('a quota holds exactly for racing puts of both nodes', async () => {
  await using nodes = await twoNodes();
  const quota = { framesMax: 5, bytesMax: 700 };
  const { won, kinds } = await race(
    nodes,
    Array.from({ length: 12 }, (_, index) => change(`f${index}`, 'create', { quota })),
  );
  assert.equal(won.length, 5);
  assert.deepEqual(kinds, Array(7).fill('quota_exceeded'));
  const more = await race(
    nodes,
    Array.from({ length: 8 }, () => change(won[0]?.record.name ?? '', 'append', { quota })),
  );
  assert.equal(more.won.length, 2);
  assert.deepEqual(await nodes.b.usage(tenant), { frames: 5, bytes: 700 });
});

test('a schema that comes and goes on two nodes at once is neither missed nor left behind', async () => {
  await using nodes = await twoNodes();
  const schemas = [schemaOf('x'), schemaOf('y')];
  await Promise.all(
    Array.from({ length: 6 }, async (_, writer) => {
      const node = writer % 2 === 0 ? nodes.a : nodes.b;
      for (let round = 0; round < 15; round++) {
        const schema = schemas[(writer + round) % 2] as (typeof schemas)[0];
        const idempotency = { key: `k${writer}.${round}`, fingerprint: 'print' };
        const put = change(`f${writer}`, 'create', { schema, ...(round % 3 === 0 ? { idempotency } : {}) });
        await node.commit(put);
        assert.deepEqual((await node.resolve(tenant, `f${writer}`, null, start)).schema, schema);
        await node.drop(dropOf(tenant, `f${writer}`, null, null, start));
      }
    }),
  );
  await nodes.b.sweep(1, null, start);
  const left = await catalogs.server.query('SELECT hash, message FROM schemas ORDER BY hash', nodes.url);
  assert.deepEqual(
    left.map(({ hash }) => hash),
    schemas.map(({ hash }) => `ended:${hash}`).sort(),
    'only what keys need',
  );
  await nodes.a.sweep(1, null, start + 2 * 24 * 3_600_000);
  assert.deepEqual(await catalogs.server.query('SELECT hash FROM schemas', nodes.url), []);
});
