import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Catalog } from '../../src/ports/catalog/catalog.ts';
import { partWork } from '../../src/ports/catalog/leases.ts';
import { Database } from '../../src/postgres/database.ts';
import { eventually } from '../support/patience.ts';
import { openAt, PostgresCatalogs } from '../support/postgres-catalogs.ts';
import { change, dayMs, dropOf, parquetOf, start, tenant } from './change-builder.ts';
import { refused } from './conformance/assertions.ts';

/** What two nodes do to one catalog at the same time. */

let catalogs: PostgresCatalogs;
before(async () => {
  catalogs = await PostgresCatalogs.start();
});
after(() => catalogs.stop());

/** Two catalogs on one database, each with connections of its own, and one more for what a test does by hand. */
async function twoNodes(
  body: (one: Catalog, other: Catalog, database: Database) => Promise<void>,
): Promise<void> {
  const url = await catalogs.empty();
  const [one, other] = [openAt(url), openAt(url)];
  const database = new Database({ url, connectionsMax: 2, timeoutMs: 5_000 });
  try {
    await body(one, other, database);
  } finally {
    await Promise.all([one.close(), other.close(), database.close()]);
  }
}

/** Frames that were put and dropped; returns the keys of their objects, sorted. */
async function droppedFrames(catalog: Catalog, count: number): Promise<string[]> {
  const keys: string[] = [];
  for (let index = 0; index < count; index++) {
    const put = change(`f${index}`, 'create');
    await catalog.commit(put);
    await catalog.drop(dropOf(tenant, `f${index}`, null, null, start));
    keys.push(put.part.arrow.key);
  }
  return keys.sort();
}

test('two collectors at once get every key, and no key twice', async () => {
  await twoNodes(async (one, other) => {
    const keys = await droppedFrames(one, 120);
    const taken: string[] = [];
    const collect = async (catalog: Catalog) => {
      for (;;) {
        const some = await catalog.takeGarbage({ limit: 7, delayMs: 0, leaseMs: dayMs, now: start });
        taken.push(...some);
        if (some.length === 0 && taken.length >= keys.length) return;
      }
    };
    await Promise.all([collect(one), collect(other), collect(one), collect(other)]);
    assert.deepEqual(taken.sort(), keys);
  });
});

test('a collector takes what another transaction does not hold, and does not wait for the rest', async () => {
  await twoNodes(async (one, _other, database) => {
    const keys = await droppedFrames(one, 3);
    const { promise: held, resolve: holds } = Promise.withResolvers<void>();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const holding = database.change(async (sql) => {
      await sql.rows('SELECT 1 FROM garbage WHERE key = $1 FOR UPDATE', [keys[1]]);
      holds();
      await released;
    });
    await held;
    const request = { limit: 10, delayMs: 0, leaseMs: dayMs, now: start };
    const first = await one.takeGarbage(request);
    release();
    await holding;
    assert.deepEqual([...first].sort(), [keys[0], keys[2]]);
    assert.deepEqual(await one.takeGarbage(request), [keys[1]]);
  });
});

test('an object that cannot be deleted does not keep the others from being collected, and is tried again later', async () => {
  await twoNodes(async (one, other) => {
    const keys = await droppedFrames(one, 4);
    const request = { limit: 1, delayMs: 0, leaseMs: 1000, now: start };
    const [undeletable = ''] = await one.takeGarbage(request);
    for (let left = 3; left > 0; left--) await other.forget(await other.takeGarbage(request));
    assert.deepEqual(await one.takeGarbage(request), []);
    assert.deepEqual(await one.known(keys), [undeletable]);
    assert.deepEqual(await other.takeGarbage({ ...request, now: start + 1000 }), [undeletable]);
  });
});

test('what a reader on one node renews, a collector on another leaves', async () => {
  await twoNodes(async (one, other) => {
    const [key = '', unread = ''] = await droppedFrames(one, 2);
    const delayed = { limit: 10, delayMs: 100, leaseMs: dayMs, now: start };
    assert.deepEqual(await one.takeGarbage(delayed), []);
    await other.renew([key, 'acme/no-garbage.arrow'], start + 5_000);
    assert.deepEqual(await one.takeGarbage({ ...delayed, now: start + 100 }), [unread]);
    assert.deepEqual(await one.takeGarbage({ ...delayed, now: start + 5_000 }), [key]);
    assert.deepEqual(await one.known(['acme/no-garbage.arrow']), []);
  });
});

test('of many leases of one work at once, exactly one is given, and each that is given counts', async () => {
  await twoNodes(async (one, other) => {
    for (let round = 1; round <= 3; round++) {
      const now = start + round * 10;
      const leases = Array.from({ length: 12 }, (_, index) =>
        (index % 2 === 0 ? one : other).lease('work', `node-${index}`, now + 10, now),
      );
      const tries = (await Promise.all(leases)).filter((count) => count !== null);
      assert.deepEqual(tries, [round]);
    }
  });
});

test('work of a node that has not been heard of for a minute is leased by another, and counts on', async () => {
  await twoNodes(async (one, other, database) => {
    const put = change('f', 'create');
    await one.commit(put);
    const work = partWork.transcode(put.part.id);
    await database.change(async (sql) =>
      sql.send(
        `INSERT INTO nodes (id, run, release, migration, started_at, seen_at) VALUES ('one', 'r', '1', 1, $1, $1)`,
        [start],
      ),
    );
    assert.equal(await one.lease(work, 'one', start + dayMs, start), 1);
    const stillAlive = start + 60_000;
    assert.equal(await other.lease(work, 'other', start + dayMs, stillAlive), null);
    assert.deepEqual(await other.untranscoded(10, start, stillAlive), []);
    assert.equal((await other.untranscoded(10, start, stillAlive + 1)).length, 1);
    assert.equal(await other.lease(work, 'other', start + dayMs, stillAlive + 1), 2);
    assert.equal(await one.lease(work, 'third', start + dayMs, stillAlive + 1), null);
  });
});

test('two sweeps at once end each name once, and both succeed', async () => {
  await twoNodes(async (one, other) => {
    const names = Array.from({ length: 40 }, (_, index) => `f${index}`);
    for (const name of names) await one.commit(change(name, 'create', { expiresAt: start + 10 }));
    const ended: string[] = [];
    const sweep = (catalog: Catalog) =>
      catalog.sweep(1, null, start + 10, (_tenant, name) => ended.push(name));
    await Promise.all([sweep(one), sweep(other)]);
    // What one has skipped because the other held it was ended by the other.
    assert.deepEqual(ended.sort(), names.sort());
    const { events } = await one.events(tenant, 0, 1000);
    assert.equal(events.filter(({ kind }) => kind === 'frame.expired').length, names.length);
    assert.deepEqual(await other.usage(tenant), { frames: 0, bytes: 0 });
    assert.deepEqual(await other.integrity(), []);
  });
});

test('a sweep skips a name that a change holds, and ends it the next time', async () => {
  await twoNodes(async (one, _other, database) => {
    for (const name of ['held', 'free']) await one.commit(change(name, 'create', { expiresAt: start + 10 }));
    const { promise: held, resolve: holds } = Promise.withResolvers<void>();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const holding = database.change(async (sql) => {
      await sql.rows(`SELECT 1 FROM names WHERE lower = 'held' FOR NO KEY UPDATE`);
      holds();
      await released;
    });
    await held;
    const ended: string[] = [];
    const sweep = () => one.sweep(1, null, start + 10, (_tenant, name) => ended.push(name));
    await sweep();
    assert.deepEqual(ended, ['free']);
    release();
    await holding;
    await sweep();
    assert.deepEqual(ended, ['free', 'held']);
  });
});

test('of two nodes that transcode one part, one is told that it was late, and its objects are garbage', async () => {
  await twoNodes(async (one, other) => {
    const put = change('f', 'create');
    await one.commit(put);
    const forms = [parquetOf(put.part, true), parquetOf(put.part, true)].map((form, index) => ({
      ...form,
      objects: form.objects.map((object) => ({ ...object, key: object.key.replace('.0.', `.${index}.`) })),
    }));
    const [first, second] = forms as [(typeof forms)[0], (typeof forms)[0]];
    const added = await Promise.all([
      one.addForm(put.part.id, first, start),
      other.addForm(put.part.id, second, start),
    ]);
    assert.deepEqual([...added].sort(), [false, true]);
    const late = added[0] ? second : first;
    const garbage = await one.takeGarbage({ limit: 10, delayMs: 0, leaseMs: 0, now: start });
    assert.deepEqual(garbage, [late.objects[0]?.key]);
  });
});

test('damage that one node finds makes the others forget answers that they have kept', async () => {
  const url = await catalogs.empty();
  let forgotten = 0;
  const one = openAt(url);
  const other = openAt(url, { onDamage: () => forgotten++ });
  try {
    const put = change('f', 'create');
    await one.commit(put);
    await other.resolve(tenant, 'f', null, start);
    assert.equal(forgotten, 0);
    await one.markDamaged(put.part.arrow.key, 'changed bytes', start);
    await other.resolve(tenant, 'f', null, start);
    assert.equal(forgotten, 1);
    await other.resolve(tenant, 'f', null, start);
    assert.equal(forgotten, 1);
    await one.clearDamage(put.part.arrow.key);
    await other.resolve(tenant, 'f', null, start);
    assert.equal(forgotten, 2);
  } finally {
    await Promise.all([one.close(), other.close()]);
  }
});

test('events that nodes make at once are numbered without gaps, and a reader that follows misses none', async () => {
  await twoNodes(async (one, other) => {
    const read: number[] = [];
    let isDone = false;
    const follow = async () => {
      while (!isDone || read.length < 40) {
        const { events } = await other.events(tenant, read.at(-1) ?? 0, 100);
        read.push(...events.map(({ seq }) => seq));
      }
    };
    const following = follow();
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        (index % 2 === 0 ? one : other).commit(change(`f${index}`, 'create')),
      ),
    );
    isDone = true;
    await following;
    assert.deepEqual(
      read,
      Array.from({ length: 40 }, (_, index) => index + 1),
    );
  });
});

test('watchers on one node hear of what another has changed, and only of tenants that they watch', async () => {
  await twoNodes(async (one, other) => {
    const heard: string[] = [];
    const stop = other.watchEvents(
      (tenants) => heard.push(...tenants),
      () => [tenant, 'last'],
    );
    await one.commit(change('f', 'create', { tenant: 'unwatched' }));
    await one.commit(change('f', 'create'));
    await eventually('the first event', () => heard.includes(tenant));
    heard.length = 0;
    await one.commit(change('f', 'append'));
    await eventually('the next event', () => heard.includes(tenant));
    await one.commit(change('f', 'create', { tenant: 'last' }));
    await eventually('of the other tenant', () => heard.includes('last'));
    assert.ok(!heard.includes('unwatched'));
    stop();
  });
});

test('background work is refused as unavailable while the database is away, and watchers hear of changes once it is back', async () => {
  const url = await catalogs.empty();
  const [one, other] = [openAt(url, { timeoutMs: 2_000 }), openAt(url, { timeoutMs: 2_000 })];
  try {
    await one.commit(change('f', 'create'));
    const heard: string[] = [];
    const stop = other.watchEvents(
      (tenants) => heard.push(...tenants),
      () => [tenant],
    );
    await eventually('the first event', () => heard.includes(tenant));
    await catalogs.server.down();
    await refused(one.sweep(1, null, start), 'unavailable');
    await refused(one.lease('work', 'one', start + 10, start), 'unavailable');
    await refused(one.takeGarbage({ limit: 1, delayMs: 0, leaseMs: 0, now: start }), 'unavailable');
    await catalogs.server.up();
    heard.length = 0;
    await one.commit(change('f', 'append'));
    await eventually('the next event', () => heard.includes(tenant));
    stop();
    assert.equal(await one.lease('work', 'one', start + 10, start), 1);
    await one.sweep(1, null, start);
  } finally {
    await Promise.all([one.close(), other.close()]);
  }
});

test('history that two nodes add for one caller at once is all there, and limits of saved queries hold for both', async () => {
  await twoNodes(async (one, other) => {
    const entry = (queryId: string) => ({
      tenant,
      caller: 'ada',
      queryId,
      sql: 'SELECT 1',
      engine: 'duckdb' as const,
      state: 'done' as const,
      error: null,
      rows: 1,
      startedAt: start,
      durationMs: 1,
    });
    const ids = Array.from({ length: 30 }, (_, index) => `q${index}`);
    await Promise.all(
      ids.map((id, index) => (index % 2 === 0 ? one : other).addHistory([entry(id)], 100, start)),
    );
    const { entries } = await one.history(tenant, 'ada', { before: null, limit: 100, search: null });
    assert.deepEqual(entries.map(({ queryId }) => queryId).sort(), ids.sort());

    const saves = await Promise.allSettled(
      ids.map((name, index) =>
        (index % 2 === 0 ? one : other).saveQuery(
          tenant,
          { name, sql: 'SELECT 1', savedAt: start, savedBy: 'ada' },
          { countMax: 20, bytesMax: 10_000 },
        ),
      ),
    );
    assert.equal(saves.filter(({ status }) => status === 'fulfilled').length, 20);
    assert.equal((await other.savedQueries(tenant)).length, 20);
  });
});

test('quotas of frames and bytes are exact when nodes put at once', async () => {
  await twoNodes(async (one, other) => {
    const quota = { framesMax: 5, bytesMax: null };
    const puts = await Promise.allSettled(
      Array.from({ length: 12 }, (_, index) =>
        (index % 2 === 0 ? one : other).commit(change(`f${index}`, 'create', { quota })),
      ),
    );
    assert.equal(puts.filter(({ status }) => status === 'fulfilled').length, 5);
    assert.deepEqual(await one.usage(tenant), { frames: 5, bytes: 500 });
    await refused(
      one.commit(change('large', 'create', { quota: { framesMax: null, bytesMax: 599 } })),
      'quota_exceeded',
      /599 bytes/,
    );
  });
});

test('the check of the tables finds what does not agree', async () => {
  await twoNodes(async (one, _other, database) => {
    for (const name of ['f', 'g', 'h']) {
      await one.commit(change(name, 'create'));
      await one.commit(change(name, 'append'));
    }
    assert.deepEqual(await one.integrity(), []);
    await database.change(async (sql) => {
      sql.send(
        `UPDATE versions SET rows = 21 WHERE version = 2 AND name_id = (SELECT id FROM names WHERE lower = 'f')`,
      );
      sql.send(`UPDATE names SET newest = 1 WHERE lower = 'g'`);
      sql.send(`DELETE FROM objects WHERE part = (
        SELECT p.id FROM parts p JOIN names n ON n.id = p.name_id WHERE n.lower = 'h' AND p.seq = 0)`);
      sql.send('UPDATE tenants SET bytes = bytes + 1');
    });
    const faults = await one.integrity();
    assert.equal(faults.length, 4, faults.join('\n'));
    assert.match(faults[0] ?? '', /acme\/f@2: it has 21 rows, and its parts have 20/);
    assert.match(faults[1] ?? '', /acme\/g: its newest version is 1/);
    assert.match(faults[2] ?? '', /acme\/h: 1 forms of its parts have no objects/);
    assert.match(faults[3] ?? '', /acme: 3 frames of 601 bytes/);
  });
});
