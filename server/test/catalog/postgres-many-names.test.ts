import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { Catalog } from '../../src/ports/catalog/catalog.ts';
import { inLongRun } from '../support/long-run.ts';
import { eventually } from '../support/patience.ts';
import { openAt, PostgresCatalogs } from '../support/postgres-catalogs.ts';
import { seedNames } from '../support/seeded-names.ts';
import { change, dropOf, start, tenant, undropOf } from './change-builder.ts';

const manyNames = inLongRun(1_000_000, 50_000);

let catalogs: PostgresCatalogs;
let few: Catalog;
let many: Catalog;
let manyUrl: string;
before(async () => {
  catalogs = await PostgresCatalogs.start();
  const fewUrl = await catalogs.empty();
  manyUrl = await catalogs.empty();
  await seedNames(catalogs.server, fewUrl, 1_000, tenant);
  await seedNames(catalogs.server, manyUrl, manyNames, tenant);
  few = openAt(fewUrl);
  many = openAt(manyUrl);
});
after(async () => {
  await Promise.all([few?.close(), many?.close()]);
  await catalogs?.stop();
});

const firstPage = { prefix: '', after: null, limit: 100 };

/** Each kind of look-up in turns on both, so that whatever else the machine does slows down both. */
async function medians(
  look: (catalog: Catalog, count: number) => Promise<unknown>,
): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < 400; round++)
    for (const [index, catalog] of [few, many].entries()) {
      const began = performance.now();
      await look(catalog, index === 0 ? 1_000 : manyNames);
      times[index]?.push(performance.now() - began);
    }
  return times.map((each) => each.sort((one, other) => one - other)[each.length >> 1] ?? 0) as [
    number,
    number,
  ];
}

test(`of ${manyNames} names one is found, and the first page listed, in at most twice the time of a thousand`, async (t) => {
  const anyName = (count: number) => `frame.${1 + Math.floor(Math.random() * count)}`;
  const look = await medians((catalog, count) => catalog.resolve(tenant, anyName(count), null, start));
  const page = await medians((catalog) => catalog.list(tenant, firstPage, start));
  const rounded = (times: readonly number[]) =>
    times.map((ms) => `${Math.round(ms * 1000)} µs`).join(', then ');
  t.diagnostic(`look-up ${rounded(look)}; first page ${rounded(page)}`);
  assert.ok(look[1] < 2 * look[0] + 0.1, `look-up: ${rounded(look)}`);
  assert.ok(page[1] < 2 * page[0] + 0.1, `first page: ${rounded(page)}`);
});

test('nothing that callers wait for reads a whole table', async () => {
  const large = ['names', 'versions', 'version_runs', 'positions', 'parts', 'objects', 'attempts'];
  const scans = async (): Promise<Record<string, unknown>> => {
    const rows = await catalogs.server.query(
      `SELECT relname, seq_scan FROM pg_stat_user_tables WHERE relname IN ('${large.join("', '")}') ORDER BY relname`,
      manyUrl,
    );
    return Object.fromEntries(rows.map(({ relname, seq_scan }) => [relname, seq_scan]));
  };
  const before = await scans();
  assert.equal(Object.keys(before).length, large.length);
  const node = openAt(manyUrl);
  const name = 'frame.77';
  for (let round = 0; round < 3; round++) {
    await node.resolve(tenant, name, null, start);
    await node.resolve(tenant, name, 1, start);
    await node.parts(tenant, name, 1);
    await node.partsBetween(tenant, name, 1, 0, 5);
    await node.rowPositions(tenant, name, 0, null, start);
    await node.rowPositions(tenant, name, 0, 1, start);
    await node.names(tenant, firstPage, start);
    await node.list(tenant, { ...firstPage, prefix: 'frame.9', schemas: true }, start);
    await node.versions(tenant, name, { before: null, limit: 10 }, start);
    await node.statistics(tenant, name, 1);
    await node.usage(tenant);
    await node.backlog(100_000);
    await node.storedBytes(tenant, 100_000);
    await node.isShared(tenant, name, 'reader');
    await node.shared('reader', { after: null, limit: 10 }, start);
    await node.links(tenant, name, start);
    await node.pins(tenant, name, 1, 9, start);
    await node.pinned(tenant, 10);
    await node.replay(tenant, 'k', 'print', start);
    const put = change(`new${round}`, 'create', { idempotency: { key: `k${round}`, fingerprint: 'print' } });
    await node.commit(put);
    await node.commit(change(`new${round}`, 'append'));
    await node.commit(change(`new${round}`, 'replace'));
    const restore = { attempt: randomUUID(), tenant, name: `new${round}`, version: 1, ifVersion: null };
    await node.restore({ ...restore, idempotency: null, now: start });
    await node.expire(tenant, `new${round}`, start + 10, start);
    await node.keepVersions(tenant, `new${round}`, 3, start);
    await node.share(tenant, `new${round}`, 'reader', start);
    await node.keepStatistics(tenant, `new${round}`, 1, new Uint8Array(1));
    await node.rowPositions(tenant, `new${round}`, 1, null, start);
    await node.drop(dropOf(tenant, `new${round}`, 2, null, start));
    await node.drop(dropOf(tenant, `new${round}`, null, null, start, 5));
    await node.undrop(undropOf(tenant, `new${round}`, null, start));
    await node.drop(dropOf(tenant, `new${round}`, null, null, start));
    await node.purge(tenant, `new${round}`);
    await node.renew(['key1', 'key2'], start);
    await node.lease('settle/x', 'node', start + 5, start);
  }
  // A connection reports what it has counted when it ends.
  await node.close();
  assert.deepEqual(await scans(), before);
});

test('a sweep looks at none of 10,000 names whose surplus is pinned', async (t) => {
  const only = async (sql: string) => Object.values((await catalogs.server.query(sql, manyUrl))[0] ?? {})[0];
  // Another number with every change of a name.
  const marks = () => only('SELECT sum(change)::text FROM names');
  const scans = async () =>
    Number(await only(`SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'names'`));
  const node = openAt(manyUrl);
  // What else was seeded is old.
  await node.sweep(10, null, start);
  let counted = await scans();
  /** A connection that has ended may report its scan a moment later. */
  const scanned = async () => {
    await eventually('a scan', async () => (await scans()) > counted);
    counted = await scans();
  };
  const marksBefore = await marks();
  await scanned();
  // As a sweep leaves them: one version stays because of a link, the others are as many as are kept.
  await catalogs.server.query(
    `BEGIN;
     SET LOCAL session_replication_role = replica;
     UPDATE names SET kept = 11, pinned = 1, pins_until = ${start + 1_000_000}, oldest_at = ${start}
       WHERE lower IN (SELECT 'frame.' || n FROM generate_series(1, 10000) n);
     COMMIT;
     ANALYZE names`,
    manyUrl,
  );
  await scanned();
  const began = performance.now();
  await node.sweep(10, start - 1, start);
  t.diagnostic(`${(performance.now() - began).toFixed(1)} ms`);
  await node.close();
  assert.equal(await scans(), counted, 'no whole table was read');
  assert.equal(await marks(), marksBefore, 'no name was changed');
});
