import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { openDatabase } from '../../src/catalog/sqlite/layout.ts';
import { openSqliteCatalog, type SqliteCatalogOptions } from '../../src/catalog/sqlite/sqlite-catalog.ts';
import type { VersionSummary } from '../../src/model/version.ts';
import type { Catalog } from '../../src/ports/catalog/catalog.ts';
import {
  change,
  dayMs,
  described,
  dropOf,
  parquetOf,
  partOf,
  plainSchema,
  start,
  tenant,
  undropOf,
} from './change-builder.ts';
import { refused } from './conformance/assertions.ts';
import {
  withoutAttempts,
  withoutEvents,
  withoutOids,
  withoutPositions,
  withoutRestoring,
  withoutTenancy,
} from './earlier-layouts.ts';

const directory = mkdtempSync(join(tmpdir(), 'framehold-catalog-'));
const opened: Catalog[] = [];
after(async () => {
  for (const catalog of opened) await catalog.close();
  rmSync(directory, { recursive: true, force: true });
});

/** Closed at the end in any case: an open thread would keep a failed run from ending. */
async function open(options: SqliteCatalogOptions): Promise<Catalog> {
  const catalog = await openSqliteCatalog(options);
  opened.push(catalog);
  return catalog;
}

const newPath = (): string => join(directory, `${randomUUID()}.sqlite`);

/** Versions had no ids. */
async function assertUpToDate(catalog: Catalog, { versionId: _, ...record }: VersionSummary): Promise<void> {
  const { versionId, ...found } = await catalog.resolve(tenant, 'kept', 1, start);
  assert.deepEqual(found, record);
  assert.match(versionId, /^[0-9a-f]{32}$/);
}

describe('an older layout of the SQLite file', () => {
  test('versions and parts of the thirteenth layout get their positions', async () => {
    const path = newPath();
    const first = await open({ path });
    const restore = (version: number) =>
      first.restore({
        attempt: randomUUID(),
        tenant,
        name: 'f',
        version,
        ifVersion: null,
        idempotency: null,
        now: start,
      });
    for (const mode of ['create', 'append', 'append', 'append'] as const)
      await first.commit(change('f', mode));
    await restore(3);
    await first.commit(change('f', 'append'));
    await first.commit(change('f', 'append'));
    // Version 6 is not kept.
    for (const version of [1, 2, 6]) await first.drop(dropOf(tenant, 'f', version, null, start));
    await first.commit(change('gone', 'create'));
    await first.drop(dropOf(tenant, 'gone', null, null, start, dayMs));
    await first.close();
    const old = new DatabaseSync(path);
    const firstRows = 'SELECT name_id, seq, log, first_row FROM parts ORDER BY id';
    const places = old.prepare(firstRows).all();
    old.exec(`${withoutPositions} PRAGMA user_version = 13;`);
    old.close();
    const second = await open({ path });
    const spanOf = async (after: number, until: number | null = null) => {
      const { firstRow, endRow } = await second.rowPositions(tenant, 'f', after, until, start);
      return [firstRow, endRow];
    };
    assert.deepEqual(await spanOf(0), [0, 50]);
    assert.deepEqual(await spanOf(7), [50, 50]);
    assert.deepEqual(await spanOf(5), [30, 50]);
    assert.deepEqual(await spanOf(3, 4), [30, 40]);
    assert.deepEqual(await spanOf(3, 5), [30, 30]);
    await refused(spanOf(6), 'position_unknown', /f@6/);
    await refused(spanOf(2), 'position_unknown', /f@2/);
    await second.commit(change('f', 'append'));
    assert.deepEqual(await spanOf(7), [50, 60]);
    assert.equal((await second.undrop(undropOf(tenant, 'gone', null, start))).record.version, 1);
    await second.close();
    const now = new DatabaseSync(path);
    assert.deepEqual(now.prepare(firstRows).all().slice(0, places.length), places);
    now.close();
  });

  test('names of the twelfth layout get their numbers when they are asked for', async () => {
    const path = newPath();
    const first = await open({ path });
    for (const name of ['a', 'b']) await first.commit(change(name, 'create'));
    await first.close();
    const old = new DatabaseSync(path);
    old.exec(`${withoutOids} PRAGMA user_version = 12;`);
    old.close();
    const second = await open({ path });
    assert.deepEqual(await second.relationOids(tenant, ['b', 'a', '']), [16_384, 16_385, 16_386]);
    await second.close();
    const third = await open({ path });
    assert.deepEqual(await third.relationOids(tenant, ['a', 'b']), [16_385, 16_384]);
    await third.drop(dropOf(tenant, 'b', null, null, start));
    await third.commit(change('b', 'create'));
    assert.deepEqual(await third.relationOids(tenant, ['b']), [16_387]);
    await third.close();
  });

  test('a file of the second layout is brought up to date with everything in it', async () => {
    const path = newPath();
    const first = await open({ path });
    const put = change('kept', 'create');
    await first.commit(put);
    await first.addForm(put.part.id, parquetOf(put.part, false), start);
    await first.close();
    const old = new DatabaseSync(path);
    old.exec(`
      DROP INDEX parts_level;
      DROP INDEX parts_unpacked;
      ALTER TABLE parts DROP COLUMN parquet_level;
      ALTER TABLE parts DROP COLUMN arrow_level;
      ${withoutTenancy}
      ALTER TABLE versions DROP COLUMN origin_query;
      PRAGMA user_version = 2;
    `);
    old.close();
    const second = await open({ path });
    const ids = (parts: readonly { readonly id: string }[]) => parts.map(({ id }) => id);
    assert.deepEqual(ids(await second.parts(tenant, 'kept', 1)), [put.part.id]);
    assert.deepEqual(ids(await second.unpacked(10, start)), [put.part.id]);
    await second.close();
  });

  test('a file of the third layout takes the statements that make versions from then on', async () => {
    const path = newPath();
    const first = await open({ path });
    const idempotency = { key: 'k', fingerprint: 'p' };
    const { record } = await first.commit(change('kept', 'create', { idempotency }));
    await first.close();
    const old = new DatabaseSync(path);
    old.exec(`
      ${withoutTenancy}
      ALTER TABLE versions DROP COLUMN origin_query;
      UPDATE idempotency SET answer = replace(answer, ',null,null,0,"${record.versionId}",null]', ']');
      PRAGMA user_version = 3;
    `);
    old.close();
    const second = await open({ path });
    const { versionId } = await second.resolve(tenant, 'kept', null, start);
    assert.notEqual(versionId, record.versionId);
    assert.deepEqual(await second.resolve(tenant, 'kept', null, start), { ...record, versionId });
    // The tag that the caller got the first time.
    const answered = { ...described(record), versionId: record.frameId };
    assert.deepEqual((await second.replay(tenant, 'k', 'p', start))?.record, answered);
    const origin = {
      kind: 'query',
      format: 'sql',
      query: { text: 'SELECT 1', sources: ['kept@1'] },
    } as const;
    await second.commit(change('made', 'create', { origin }));
    await second.close();
    const third = await open({ path });
    assert.deepEqual((await third.resolve(tenant, 'made', null, start)).origin, origin);
    await third.close();
  });

  test('a file of the seventh layout has events from then on', async () => {
    const path = newPath();
    const first = await open({ path });
    const { record } = await first.commit(change('kept', 'create'));
    await first.close();
    const old = new DatabaseSync(path);
    old.exec(`${withoutEvents} PRAGMA user_version = 7;`);
    old.close();
    const second = await open({ path });
    await assertUpToDate(second, record);
    assert.deepEqual(await second.events(tenant, 0, 10), {
      events: [],
      last: 0,
      lastMark: null,
      oldest: 1,
      isContinued: true,
    });
    await second.commit(change('kept', 'append'));
    await second.close();
    const third = await open({ path });
    const { events, last } = await third.events(tenant, 0, 10);
    assert.deepEqual([events.map(({ kind }) => kind), last], [['frame.appended'], 1]);
    await third.close();
  });

  test('a file of the sixth layout takes repeated changes from then on', async () => {
    const path = newPath();
    const first = await open({ path });
    const { record } = await first.commit(change('kept', 'create'));
    await first.close();
    const old = new DatabaseSync(path);
    old.exec(`${withoutAttempts} PRAGMA user_version = 6;`);
    old.close();
    const second = await open({ path });
    await assertUpToDate(second, record);
    const more = change('kept', 'append');
    const appended = await second.commit(more);
    assert.deepEqual(await second.commit(more), appended);
    await second.close();
  });

  test('a file of the fifth layout can restore versions and undo drops from then on', async () => {
    const path = newPath();
    const first = await open({ path });
    const put = change('kept', 'create', { idempotency: { key: 'k', fingerprint: 'p' } });
    const { record } = await first.commit(put);
    await first.commit(change('kept', 'replace'));
    await first.commit(change('gone', 'create'));
    await first.drop(dropOf(tenant, 'gone', null, null, start));
    await first.close();
    const old = new DatabaseSync(path);
    old.exec(`
      ${withoutRestoring}
      UPDATE idempotency SET answer = replace(answer, ',null,0]', ']');
      PRAGMA user_version = 5;
    `);
    old.close();
    const second = await open({ path });
    await assertUpToDate(second, record);
    assert.deepEqual((await second.replay(tenant, 'k', 'p', start))?.record, described(record));
    await refused(second.undrop(undropOf(tenant, 'gone', null, start)), 'frame_gone');
    const restore = {
      attempt: 'r',
      tenant,
      name: 'kept',
      version: 1,
      ifVersion: null,
      idempotency: null,
      now: start,
    };
    assert.equal((await second.restore(restore)).record.version, 3);
    await second.drop(dropOf(tenant, 'kept', null, null, start, dayMs));
    await second.close();
    const third = await open({ path });
    assert.equal((await third.undrop(undropOf(tenant, 'kept', null, start))).record.version, 3);
    assert.deepEqual(
      (await third.parts(tenant, 'kept', 3)).map(({ id }) => id),
      [put.part.id],
    );
    await third.close();
  });
});

describe('a file of layout 1', () => {
  const firstLayout = readFileSync(join(import.meta.dirname, 'layout-1.sql'), 'utf8');

  function writeFirstLayout(path: string): void {
    const db = new DatabaseSync(path);
    db.exec(firstLayout);
    const columns = JSON.stringify(plainSchema.columns);
    db.prepare('INSERT INTO schemas VALUES (1, ?, ?, ?)').run(plainSchema.hash, plainSchema.message, columns);
    db.exec(`
      INSERT INTO names VALUES (1, '${tenant}', 'f', 'f', 'frame', 7, 6, 2, NULL, NULL, NULL);
      INSERT INTO names VALUES (2, '${tenant}', 'g', 'g', 'other', 2, NULL, 0, NULL, 'dropped', ${start});
      INSERT INTO versions VALUES (1, 5, 1, 5, 50, 500, 1, ${start}, 'append', 'arrow');
      INSERT INTO versions VALUES (1, 6, 1, 6, 60, 600, 1, ${start + 9}, 'append', 'arrow');
      UPDATE counters SET arrow_bytes = 500;
    `);
    for (let seq = 0; seq < 6; seq++) {
      const evicted = seq === 1;
      db.prepare('INSERT INTO parts VALUES (?, ?, 1, 1, ?, 10, ?, ?, NULL)').run(
        seq + 1,
        `p${seq}`,
        seq,
        evicted ? null : 100,
        evicted ? 1 : null,
      );
      const [kind, key] = evicted ? ['parquet', 'acme/p1.0.parquet'] : ['arrow', `acme/p${seq}.arrow`];
      db.prepare('INSERT INTO objects VALUES (?, ?, 0, ?, ?, ?)').run(
        seq + 1,
        kind,
        key,
        evicted ? 40 : 100,
        'x',
      );
    }
    db.close();
  }

  test('is brought to the present one with everything in it', async () => {
    const path = newPath();
    writeFirstLayout(path);
    const catalog = await open({ path });
    const record = await catalog.resolve(tenant, 'f', null, start);
    assert.deepEqual([record.version, record.rows, record.bytes, record.partCount], [6, 60, 600, 6]);
    assert.deepEqual(
      (await catalog.parts(tenant, 'f', 6)).map((part) => part.id),
      ['p0', 'p1', 'p2', 'p3', 'p4', 'p5'],
    );
    await refused(catalog.resolve(tenant, 'g', null, start), 'frame_gone');
    assert.deepEqual(
      (await catalog.untranscoded(10, start, start)).map((part) => part.id),
      ['p0', 'p2', 'p3', 'p4', 'p5'],
    );
    const limits = { partBytesMax: 1000, runBytesMax: 440, runPartsMin: 5, runPartsMax: 9, growthMin: 2 };
    const run = await catalog.compactable(limits, start);
    const ids = ['p0', 'p1', 'p2', 'p3', 'p4'];
    assert.deepEqual(
      run?.parts.map((part) => part.id),
      ids,
    );
    assert.equal(await catalog.compact(ids, partOf(50, 300), start), true);
    assert.equal(await catalog.arrowBytes(), 400);
    await catalog.sweep(10, start + 1, start + 10);
    await refused(catalog.resolve(tenant, 'f', 5, start), 'frame_gone', /superseded|newer/);
    await catalog.close();
    const db = new DatabaseSync(path);
    assert.equal(db.prepare('PRAGMA user_version').get()?.user_version, 16);
    assert.deepEqual(db.prepare('PRAGMA foreign_key_check').all(), []);
    db.close();
  });

  test('has the same tables and indexes afterwards as a new file', () => {
    const path = newPath();
    writeFirstLayout(path);
    const shape = (file: string): unknown => {
      const db = openDatabase(file);
      const columns = db
        .prepare(
          `SELECT m.name AS place, c.name, c.type FROM sqlite_schema m JOIN pragma_table_info(m.name) c
           WHERE m.type = 'table' ORDER BY m.name, c.cid`,
        )
        .all();
      const indexes = db
        .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'index' ORDER BY name")
        .all();
      db.close();
      return [columns, indexes];
    };
    assert.deepEqual(shape(path), shape(newPath()));
  });
});
