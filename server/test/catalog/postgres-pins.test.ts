import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { eventually } from '../support/patience.ts';
import { openAt, PostgresCatalogs } from '../support/postgres-catalogs.ts';
import { change, dayMs, start, tenant } from './change-builder.ts';
import { refused } from './conformance/assertions.ts';

let catalogs: PostgresCatalogs;
before(async () => {
  catalogs = await PostgresCatalogs.start();
});
after(() => catalogs.stop());

/** As a sweep of another node, which has ended version 1 and has not committed yet. */
test('a link or a job that names a version which is being pruned waits, and is refused', async () => {
  const url = await catalogs.empty();
  const catalog = openAt(url);
  const sweeper = new pg.Client({ connectionString: url });
  await sweeper.connect();
  try {
    const { record } = await catalog.commit(change('f', 'create'));
    await catalog.commit(change('f', 'replace'));
    const { version, versionId } = record;
    await sweeper.query(`
      BEGIN;
      SELECT 1 FROM names WHERE lower = 'f' FOR NO KEY UPDATE;
      DELETE FROM versions WHERE version = 1;
      INSERT INTO tombstones SELECT id, 1, 1, 'superseded', ${start} FROM names WHERE lower = 'f'`);
    const of = { tenant, name: 'f', version };
    const link = {
      ...of,
      id: 'a',
      incarnation: 0,
      createdAt: start,
      createdBy: 'someone',
      expiresAt: start + dayMs,
    };
    const job = { ...of, id: 'j', versionId, kind: 'statement', until: start + dayMs } as const;
    let ended = 0;
    const count = () => {
      ended += 1;
    };
    const asked = [catalog.addLink(link, start), catalog.pinForJob(job, start)];
    for (const each of asked) each.then(count, count);
    const waiting = `SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await eventually('both wait, or have ended', async () => {
      const [row] = await catalogs.server.query(waiting, url);
      return Number(row?.count) + ended === 2;
    });
    await sweeper.query('COMMIT');
    for (const each of asked) await refused(each, 'frame_gone');
    assert.deepEqual(await catalog.links(tenant, 'f', start), []);
  } finally {
    await sweeper.end();
    await catalog.close();
  }
});
