import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Catalog } from '../../src/ports/catalog/catalog.ts';
import { openAt, PostgresCatalogs } from '../support/postgres-catalogs.ts';
import { Toxiproxy } from '../support/toxiproxy-process.ts';
import { change, start, tenant } from './change-builder.ts';

/** The answers of the database take so long that nothing else counts. */
const answerMs = 500;

let catalogs: PostgresCatalogs;
let toxiproxy: Toxiproxy;
let catalog: Catalog;
before(async () => {
  catalogs = await PostgresCatalogs.start();
  toxiproxy = await Toxiproxy.start();
  const url = await catalogs.empty();
  const passage = await toxiproxy.before(`http://127.0.0.1:${catalogs.server.port}`);
  catalog = openAt(url.replace(`:${catalogs.server.port}`, `:${new URL(passage.url).port}`));
  // Connections and plans are there before it becomes slow.
  await catalog.commit(change('f', 'create'));
  await catalog.resolve(tenant, 'f', null, start);
  await passage.poison({ type: 'latency', attributes: { latency: answerMs } });
});
after(async () => {
  await catalog.close();
  await toxiproxy.stop();
  await catalogs.stop();
});

async function roundTrips(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return Math.floor((performance.now() - began) / answerMs);
}

const idempotency = { key: 'k', fingerprint: 'print' };
const quota = { framesMax: 1_000, bytesMax: 1_000_000 };

test('a look-up takes one round trip, also many at once', async () => {
  assert.equal(await roundTrips(() => catalog.resolve(tenant, 'f', null, start)), 1);
  const many = () => Promise.all(Array.from({ length: 50 }, () => catalog.resolve(tenant, 'f', null, start)));
  assert.equal(await roundTrips(many), 1);
});

test('the parts of a version take one', async () => {
  assert.equal(await roundTrips(() => catalog.parts(tenant, 'f', 1)), 1);
});

test('a put takes two, whatever its mode, with a key and a quota', async () => {
  assert.equal(await roundTrips(() => catalog.commit(change('g', 'create'))), 2);
  assert.equal(await roundTrips(() => catalog.commit(change('f', 'append', { idempotency, quota }))), 2);
  assert.equal(await roundTrips(() => catalog.commit(change('f', 'replace', { quota }))), 2);
});
