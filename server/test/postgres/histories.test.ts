import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { change, start, tenant } from '../catalog/change-builder.ts';
import { refused } from '../catalog/conformance/assertions.ts';
import { openAt, PostgresCatalogs } from '../support/postgres-catalogs.ts';

/** A catalog and its copy, to which the same happens: as if the copy had taken over without what came later. */
let catalogs: PostgresCatalogs;
before(async () => {
  catalogs = await PostgresCatalogs.start();
});
after(() => catalogs?.stop());

async function twoHistories<Seen>(live: (url: string) => Promise<Seen>): Promise<[Seen, Seen]> {
  const first = await catalogs.empty();
  const early = openAt(first);
  await early.commit(change('f', 'create'));
  await early.close();
  const second = await catalogs.server.newDatabase(new URL(first).pathname.slice(1));
  return [await live(first), await live(second)];
}

test('what tells a node that its copy is outdated is never the same in two histories', async () => {
  const statements = [
    `INSERT INTO credentials VALUES ('id', 'token', NULL, NULL, 't', 'n', 'read', 0, NULL, NULL)`,
    `INSERT INTO tenant_limits VALUES ('t', 'queries_max', 1)`,
    `INSERT INTO link_keys VALUES ('k', '', 0)`,
    `INSERT INTO prepared_statements VALUES ('h', 't', 'select 1', true, NULL, '', NULL, 0, 0, 0)`,
    `UPDATE names SET expires_at = NULL WHERE lower = 'f'`,
    `INSERT INTO names (tenant, lower, name, frame_id, next_version, kept) VALUES ('t', 'g', 'g', 'i', 1, 0)`,
  ];
  const [one, other] = await twoHistories(async (url) => {
    const query = (text: string) => catalogs.server.query(text, url);
    for (const statement of statements) await query(statement);
    const [marks] = await query('SELECT credentials, limits, link_keys FROM access_marks');
    const changes = await query('SELECT change FROM names UNION ALL SELECT change FROM prepared_statements');
    return [...Object.values(marks ?? {}), ...changes.map((row) => row.change)].map(String);
  });
  assert.equal(one.length, 6);
  assert.equal(new Set([...one, ...other]).size, 12);
});

test('the same version number of another history has another id, and neither parts nor statistics of one are for the other', async () => {
  const [one, other] = await twoHistories(async (url) => {
    const catalog = openAt(url);
    const { record } = await catalog.commit(change('f', 'replace'));
    const { versionId } = await catalog.resolve(tenant, 'f', null, start);
    assert.equal(versionId, record.versionId);
    const early = await catalog.resolve(tenant, 'f', 1, start);
    return { catalog, record, early };
  });
  assert.equal(one.record.version, other.record.version);
  assert.equal(one.early.versionId, other.early.versionId);
  assert.notEqual(one.record.versionId, other.record.versionId);
  const { version } = one.record;
  assert.equal((await one.catalog.parts(tenant, 'f', version, one.record.versionId)).length, 1);
  await refused(one.catalog.parts(tenant, 'f', version, other.record.versionId), 'frame_gone');
  await refused(one.catalog.partsBetween(tenant, 'f', version, 0, 1, other.record.versionId), 'frame_gone');
  await one.catalog.keepStatistics(tenant, 'f', version, new Uint8Array([1]), other.record.versionId);
  assert.equal(await one.catalog.statistics(tenant, 'f', version), null);
  await one.catalog.keepStatistics(tenant, 'f', version, new Uint8Array([1]), one.record.versionId);
  assert.deepEqual(await one.catalog.statistics(tenant, 'f', version), new Uint8Array([1]));
  await one.catalog.close();
  await other.catalog.close();
});
