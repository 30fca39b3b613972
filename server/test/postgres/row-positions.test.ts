/** Catalogs of servers that know nothing of positions, and such servers beside newer ones. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { Catalog } from '../../src/ports/catalog/catalog.ts';
import { knownMigrations, migrate } from '../../src/postgres/migrations.ts';
import { change, partOf, start, tenant } from '../catalog/change-builder.ts';
import { refused } from '../catalog/conformance/assertions.ts';
import { openAt, PostgresCatalogs } from '../support/postgres-catalogs.ts';

let catalogs: PostgresCatalogs;
before(async () => {
  catalogs = await PostgresCatalogs.start();
});
after(() => catalogs?.stop());

const partColumns = 'part_id, name_id, log, seq, rows, size, added_at, arrow_bytes';

async function span(catalog: Catalog, after: number, until: number | null = null): Promise<string> {
  const { firstRow, endRow } = await catalog.rowPositions(tenant, 'f', after, until, start);
  return `${firstRow} to ${endRow}`;
}

function restoring(version: number) {
  const attempt = randomUUID();
  return { attempt, tenant, name: 'f', version, ifVersion: null, idempotency: null, now: start };
}

test('0009: what a server writes that knows nothing of positions has them', async () => {
  const url = await catalogs.empty();
  const catalog = openAt(url);
  const query = (text: string) => catalogs.server.query(text, url);
  await catalog.commit(change('f', 'create'));
  await catalog.commit(change('f', 'append'));
  await catalog.restore(restoring(1));
  // An append to the restored version, as the release before 0009 wrote it.
  await query(`
    INSERT INTO versions SELECT name_id, 4, 3, 2, 17, bytes, schema_id, created_at, 'append', origin_format, NULL, NULL
      FROM versions WHERE version = 3;
    UPDATE names SET newest = 4, next_version = 5, kept = 4 WHERE lower = 'f';
    INSERT INTO parts (${partColumns}) SELECT 'p4', name_id, 3, 1, 7, 70, 0, NULL FROM versions WHERE version = 4`);
  assert.equal(await span(catalog, 1), '10 to 17');
  assert.equal(await span(catalog, 3), '10 to 17');
  await refused(span(catalog, 2), 'not_append_only', /version 3 goes on from version 1/);
  await catalog.commit(change('f', 'append', { part: partOf(5) }));
  assert.equal(await span(catalog, 4), '17 to 22');
  const { rowsBefore, parts } = await catalog.partsBetween(tenant, 'f', 5, 15, 18);
  assert.deepEqual([rowsBefore, parts.map(({ rows }) => rows)], [10, [7, 5]]);
  // A compaction of both.
  await query(`
    DELETE FROM parts WHERE log = 3;
    INSERT INTO parts (${partColumns}) SELECT 'p5', name_id, 3, 2, 12, 70, 0, NULL FROM versions WHERE version = 4`);
  assert.equal((await catalog.partsBetween(tenant, 'f', 5, 20, 21)).rowsBefore, 10);
  assert.deepEqual(
    (await catalog.integrity()).filter((fault) => /where their rows/.test(fault)),
    [],
  );
  await query('UPDATE parts SET first_row = 11 WHERE seq = 2');
  assert.match((await catalog.integrity()).join(), /f@5: 1 of its parts are not where their rows are/);
  await catalog.close();
});

test('0009: versions and parts that are there get their positions', async () => {
  const url = await catalogs.server.newDatabase();
  const options = { url, connectionsMax: 1, timeoutMs: 10_000 };
  await migrate(
    options,
    knownMigrations().filter(({ number }) => number < 9),
  );
  const version = (number: number, log: number, count: number, rows: number, from: string = 'NULL') =>
    `(1, ${number}, ${log}, ${count}, ${rows}, 0, 1, ${start}, 'append', 'arrow', NULL, ${from}, 'id-${number}')`;
  const part = (log: number, seq: number, rows: number) =>
    `('p${log}.${seq}', 1, ${log}, ${seq}, ${rows}, 0, 0, NULL)`;
  // Versions 1 to 4 were appended, 5 restored 3, 6 and 7 were appended to that; 1, 2 and 6 are not kept.
  await catalogs.server.query(
    `INSERT INTO schemas VALUES (1, 'h', '', '[]');
     INSERT INTO names (id, tenant, lower, name, frame_id, next_version, newest, kept, life)
       VALUES (1, '${tenant}', 'f', 'f', 'i', 8, 7, 4, 0);
     INSERT INTO versions VALUES ${[version(3, 1, 3, 30), version(4, 1, 4, 40), version(5, 5, 3, 30, '3'), version(7, 5, 5, 50)].join()};
     INSERT INTO logs VALUES (1, 5, 1, 3);
     INSERT INTO parts (${partColumns}) VALUES ${[part(1, 1, 20), part(1, 2, 10), part(1, 3, 10), part(5, 3, 9), part(5, 4, 11)].join()}`,
    url,
  );
  await migrate(options);
  const catalog = openAt(url);
  assert.equal(await span(catalog, 0), '0 to 50');
  assert.equal(await span(catalog, 3), '30 to 50');
  assert.equal(await span(catalog, 5), '30 to 50');
  assert.equal(await span(catalog, 3, 4), '30 to 40');
  await refused(span(catalog, 4), 'not_append_only', /version 5 goes on from version 3/);
  await refused(span(catalog, 6), 'position_unknown');
  await refused(span(catalog, 2), 'position_unknown');
  const { rowsBefore, parts } = await catalog.partsBetween(tenant, 'f', 7, 25, 40);
  assert.deepEqual([rowsBefore, parts.map(({ id }) => id)], [20, ['p1.2', 'p5.3', 'p5.4']]);
  await catalog.close();
});

test('0009: a run goes with the last version that needs it, and finding that out does not depend on how many there are', async () => {
  const url = await catalogs.empty();
  const catalog = openAt(url);
  const query = (text: string) => catalogs.server.query(text, url);
  const versions = 20_000;
  await catalog.commit(change('f', 'create'));
  // Each version restores the one before it, and the newest ten are kept.
  await query(`
    INSERT INTO versions SELECT name_id, v, v, 1, rows, bytes, schema_id, created_at, 'append', origin_format, NULL, v - 1
      FROM versions, generate_series(2, ${versions}) v;
    DELETE FROM versions WHERE version <= ${versions - 10};
    UPDATE names SET newest = ${versions}, next_version = ${versions} + 1, kept = 10 WHERE lower = 'f'`);
  const known = async () => {
    const [row] = await query(
      'SELECT (SELECT count(*) FROM version_runs)::int AS runs, (SELECT count(*) FROM positions)::int AS positions',
    );
    return { ...(row as object) };
  };
  const ms = async (work: Promise<unknown>) => {
    const began = performance.now();
    await work;
    return performance.now() - began;
  };
  const swept = await ms(catalog.sweep(9, null, start));
  assert.deepEqual(await known(), { runs: versions, positions: versions });
  assert.equal(await span(catalog, versions - 900), '10 to 10');
  await refused(span(catalog, versions - 1500), 'position_unknown');
  const replaced = await ms(catalog.commit(change('f', 'replace')));
  const pruned = await ms(catalog.sweep(1, null, start));
  assert.deepEqual(await known(), { runs: 1, positions: 1 });
  assert.ok(swept < 5000 && replaced < 5000 && pruned < 20_000, `${swept}, ${replaced} and ${pruned} ms`);
  await catalog.close();
});
