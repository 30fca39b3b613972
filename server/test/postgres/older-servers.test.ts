/** Servers that do not know the newest migrations: which of them go on beside newer ones, and which are stopped. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { RegisteredNodes } from '../../src/cluster/registered-nodes.ts';
import { knownMigrations, migrate, newerTables } from '../../src/postgres/migrations.ts';
import { change, start, tenant, undropOf } from '../catalog/change-builder.ts';
import { eventually } from '../support/patience.ts';
import { openAt, PostgresCatalogs } from '../support/postgres-catalogs.ts';
import { connectTo } from './open-database.ts';

let catalogs: PostgresCatalogs;
before(async () => {
  catalogs = await PostgresCatalogs.start();
});
after(() => catalogs?.stop());

const versionColumns = `name_id, version, log, part_count, rows, bytes, schema_id, created_at, origin_kind, origin_format,
  origin_query, restored_from`;

test('0005: what a server writes that knows nothing of ids and marks has ids of its own, and events go on', async () => {
  const url = await catalogs.empty();
  const catalog = openAt(url);
  const query = (text: string) => catalogs.server.query(text, url);
  const { record: first } = await catalog.commit(change('f', 'create'));
  const { record: second } = await catalog.commit(change('f', 'append'));
  const seen = await catalog.events(tenant, 0, 10);
  // A put, as the release before 0005 wrote it: values by their places, and none for what was added since.
  await query(`
    INSERT INTO versions SELECT name_id, 3, log, part_count, rows, bytes, schema_id, created_at, origin_kind, origin_format, origin_query, 2
      FROM versions WHERE version = 2;
    UPDATE names SET newest = 3, next_version = 4, kept = 3 WHERE lower = 'f';
    WITH next AS (
      INSERT INTO tenants AS t (tenant, last_event) VALUES ('${tenant}', 1)
      ON CONFLICT (tenant) DO UPDATE SET last_event = t.last_event + 1 RETURNING last_event)
    INSERT INTO events SELECT '${tenant}', last_event, ${start}, 'frame.changed', '{"name":"f","version":3}' FROM next`);
  // The copy of a node that knows ids is outdated by it.
  const third = await catalog.resolve(tenant, 'f', null, start);
  assert.equal(third.version, 3);
  assert.match(third.versionId, /^[0-9a-f]{32}$/);
  assert.equal(new Set([first.versionId, second.versionId, third.versionId]).size, 3);
  const [last] = seen.events.slice(-1);
  const more = await catalog.events(tenant, seen.last, 10, last?.mark ?? null);
  assert.deepEqual([more.isContinued, more.events.map(({ seq }) => seq)], [true, [seen.last + 1]]);
  await catalog.commit(change('f', 'append'));
  assert.equal((await catalog.events(tenant, more.last, 10, more.lastMark)).isContinued, true);

  // A drop, as that release wrote it; a newer server undoes it.
  await query(`
    WITH kept AS (
      INSERT INTO dropped (name_id, name, expires_at, until)
        SELECT id, name, expires_at, ${start + 60_000} FROM names WHERE lower = 'f' RETURNING id),
    ended AS (DELETE FROM versions RETURNING ${versionColumns}),
    hidden AS (
      INSERT INTO dropped_versions (${versionColumns}, dropped_id)
      SELECT ${versionColumns}, (SELECT id FROM kept) FROM ended RETURNING version)
    SELECT * FROM hidden`);
  await query("UPDATE names SET newest = NULL, kept = 0, ended_reason = 'dropped' WHERE lower = 'f'");
  await catalog.undrop(undropOf(tenant, 'f', null, start));
  const back = await catalog.resolve(tenant, 'f', 1, start);
  assert.match(back.versionId, /^[0-9a-f]{32}$/);
  await catalog.close();
});

test('0006: a server that does not know pins is stopped, and does not start: its sweep would end pinned versions', async () => {
  const url = await catalogs.server.newDatabase();
  const options = { url, connectionsMax: 1, timeoutMs: 10_000 };
  const before = knownMigrations().filter(({ number }) => number < 6);
  await migrate(options);
  const database = connectTo(url);
  // The server of today, at a time when there was no migration 6 yet: its tables have what it asks for.
  const later = await database.change((sql) =>
    sql.rows('DELETE FROM migrations WHERE number > 5 RETURNING *'),
  );
  const self = { id: 'old', advertisedUrl: null, httpUrl: null, release: '0.1.0', migration: 5 };
  const node = await RegisteredNodes.open(database, self, () => Date.now());
  const reasons: string[] = [];
  node.onOutdated = ({ message }) => reasons.push(message);
  await catalogs.server.query(
    `INSERT INTO migrations SELECT * FROM json_populate_recordset(NULL::migrations, '${JSON.stringify(later)}')`,
    url,
  );
  await eventually('it has noticed', () => reasons.length > 0);
  assert.match(reasons[0] ?? '', /know migration 6 can use it; this one knows 5\./);
  await assert.rejects(
    database.change((sql) => sql.run('DELETE FROM versions')),
    { kind: 'unavailable' },
  );
  await node.close();
  await database.close();
  await assert.rejects(migrate(options, before), /know migration 6 .*this one knows 5/);
});

test('servers that know only the first migration go on until 0006', async () => {
  const url = await catalogs.server.newDatabase();
  for (const { number } of knownMigrations()) {
    await migrate({ url, connectionsMax: 1, timeoutMs: 10_000 }, knownMigrations().slice(0, number));
    const database = connectTo(url);
    const newer = await database.read((sql) => newerTables(sql, 1));
    await database.close();
    assert.equal(newer?.runsWith ?? 1, number < 6 ? 1 : 6);
  }
});
