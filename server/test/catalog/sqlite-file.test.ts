import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { openDatabase } from '../../src/catalog/sqlite/layout.ts';
import { openSqliteCatalog, type SqliteCatalogOptions } from '../../src/catalog/sqlite/sqlite-catalog.ts';
import { GroupedCommits } from '../../src/catalog/sqlite/thread/grouped-commits.ts';
import { createOperations } from '../../src/catalog/sqlite/thread/operations.ts';
import type { OperationAnswer, OperationRequest } from '../../src/catalog/sqlite/thread/protocol.ts';
import type { SchemaRecord } from '../../src/model/version.ts';
import type { Catalog } from '../../src/ports/catalog/catalog.ts';
import {
  change,
  dayMs,
  described,
  dropOf,
  parquetOf,
  partOf,
  plainSchema,
  schemaOf,
  start,
  tenant,
} from './change-builder.ts';
import { garbageOf, refused } from './conformance/assertions.ts';

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

describe('the SQLite file', () => {
  test('a catalog that was closed and opened again knows everything', async () => {
    const path = newPath();
    const first = await open({ path });
    const idempotency = { key: 'k', fingerprint: 'p' };
    const put = change('kept', 'create', { idempotency, expiresAt: start + 1000 });
    const { record } = await first.commit(put);
    await first.addForm(put.part.id, parquetOf(put.part, true), start);
    const refusedPart = change('refused', 'create');
    await first.commit(refusedPart);
    await first.refuseTranscoding(refusedPart.part.id, 'a union', start);
    const dropped = change('dropped', 'create');
    await first.commit(dropped);
    await first.drop(dropOf(tenant, 'dropped', null, null, start));
    await first.close();

    const second = await open({ path });
    assert.deepEqual(await second.resolve(tenant, 'kept', null, start), record);
    assert.equal((await second.parts(tenant, 'kept', 1))[0]?.forms.length, 2);
    assert.deepEqual((await second.replay(tenant, 'k', 'p', start))?.record, described(record));
    await refused(second.resolve(tenant, 'dropped', 1, start), 'frame_gone');
    assert.deepEqual(await garbageOf(second, 10), [dropped.part.arrow.key]);
    assert.deepEqual(await second.untranscoded(10, Number.POSITIVE_INFINITY, start), []);
    assert.equal(await second.arrowBytes(), 200);
    assert.equal((await second.commit(change('dropped', 'create'))).record.version, 2);
    await second.close();
  });

  test('a layout newer than this server is refused and left alone', async () => {
    const path = newPath();
    await (await open({ path })).close();
    const db = new DatabaseSync(path);
    db.exec('PRAGMA user_version = 99');
    db.close();
    await refused(open({ path }), 'internal', /layout 99.* up to \d+/);
    const untouched = new DatabaseSync(path);
    assert.equal(untouched.prepare('PRAGMA user_version').get()?.user_version, 99);
    untouched.close();
  });

  test("another program's SQLite file is refused and left alone", async () => {
    const path = newPath();
    const db = new DatabaseSync(path);
    db.exec('CREATE TABLE theirs (a)');
    db.close();
    const before = readFileSync(path);
    await refused(open({ path }), 'internal', /not a Framehold catalog/);
    assert.deepEqual(readFileSync(path), before);
  });

  test('a file that is no database, and a directory that is not there, say so', async () => {
    const path = newPath();
    writeFileSync(path, 'nothing that SQLite could read, and long enough to be looked at: '.repeat(20));
    await refused(open({ path }), 'internal', /cannot be opened.*not a database/);
    const nowhere = join(directory, 'nowhere', 'catalog.sqlite');
    await refused(open({ path: nowhere }), 'internal', /cannot be opened.*unable to open/);
  });

  test('the file is in WAL mode with full syncing and foreign keys', () => {
    const db = openDatabase(newPath());
    const pragma = (name: string): unknown => Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0];
    assert.deepEqual([pragma('journal_mode'), pragma('synchronous'), pragma('foreign_keys')], ['wal', 2, 1]);
    db.close();
  });

  test('a schema is stored once and leaves with its last version', async () => {
    const path = newPath();
    const catalog = await open({ path });
    for (const name of ['a', 'b', 'c']) await catalog.commit(change(name, 'create'));
    await catalog.commit(change('d', 'create', { schema: schemaOf('other') }));
    await catalog.drop(dropOf(tenant, 'd', null, null, start));
    await catalog.drop(dropOf(tenant, 'a', null, null, start));
    await catalog.close();
    const db = new DatabaseSync(path);
    const hashes = db.prepare('SELECT hash FROM schemas').all();
    assert.deepEqual(
      hashes.map((row) => row.hash),
      [plainSchema.hash],
    );
    assert.deepEqual(db.prepare('PRAGMA foreign_key_check').all(), []);
    db.close();
  });
});

describe('schemas of which only idempotency keys are left', () => {
  const fat = (index: number): SchemaRecord => ({
    ...schemaOf(`c${index}`),
    message: new Uint8Array(2_000_000).fill(index),
  });
  const keyed = (key: string, schema: SchemaRecord) =>
    change('f', 'replace', { schema, idempotency: { key, fingerprint: 'p' } });

  test('keep no bytes but those of the answer', async () => {
    const path = newPath();
    const catalog = await open({ path });
    for (let index = 0; index < 20; index++) {
      await catalog.commit(keyed(`k${index}`, fat(index)));
      await catalog.drop(dropOf(tenant, 'f', null, null, start));
    }
    const answer = await catalog.replay(tenant, 'k7', 'p', start);
    assert.deepEqual([answer?.record.version, answer?.record.schema.columns], [8, schemaOf('c7').columns]);
    await catalog.close();
    const db = new DatabaseSync(path);
    const kept = db.prepare(
      'SELECT count(*) AS count, sum(length(message) + length(columns)) AS bytes FROM schemas',
    );
    const { count, bytes } = kept.get() as { count: number; bytes: number };
    assert.equal(count, 20);
    assert.ok(bytes < 20_000, `${bytes} bytes of schemas`);
    const pages = Number(db.prepare('PRAGMA page_count').get()?.page_count);
    assert.ok(pages * 4096 < 6_000_000, `${pages} pages`);
    db.close();
  });

  test('are stored anew for a version, end again, and leave with the last key', async () => {
    const path = newPath();
    const catalog = await open({ path });
    for (const key of ['a', 'b', 'c']) {
      await catalog.commit(keyed(key, fat(1)));
      const { schema } = await catalog.resolve(tenant, 'f', null, start);
      assert.deepEqual(schema, fat(1));
      await catalog.drop(dropOf(tenant, 'f', null, null, start));
    }
    for (const [index, key] of ['a', 'b', 'c'].entries()) {
      const answer = await catalog.replay(tenant, key, 'p', start);
      assert.deepEqual(
        [answer?.record.version, answer?.record.schema],
        [index + 1, { columns: fat(1).columns }],
      );
    }
    await catalog.sweep(10, null, start + dayMs);
    await catalog.close();
    const db = new DatabaseSync(path);
    assert.deepEqual(db.prepare('SELECT hash FROM schemas').all(), []);
    assert.deepEqual(db.prepare('PRAGMA foreign_key_check').all(), []);
    db.close();
  });

  test('with very many columns say that the version is gone, and nothing is put again', async () => {
    const catalog = await open({ path: newPath() });
    const wide = keyed('k', schemaOf(...Array.from({ length: 1_000 }, (_, index) => `column ${index}`)));
    const { record } = await catalog.commit(wide);
    assert.deepEqual((await catalog.replay(tenant, 'k', 'p', start))?.record, described(record));
    await catalog.drop(dropOf(tenant, 'f', null, null, start));
    await refused(catalog.replay(tenant, 'k', 'p', start), 'frame_gone', /"f@1"/);
    await refused(catalog.commit({ ...wide, part: partOf() }), 'frame_gone', /"f@1"/);
    await refused(catalog.resolve(tenant, 'f', null, start), 'frame_gone');
    await catalog.close();
  });
});

describe('the thread', () => {
  test('more waiting operations than allowed are refused, and it goes on', async () => {
    const catalog = await open({ path: newPath(), pendingMax: 5 });
    const pings = Array.from({ length: 8 }, () => catalog.ping());
    const outcomes = await Promise.allSettled(pings);
    assert.deepEqual(
      outcomes.map((outcome) => outcome.status === 'fulfilled'),
      [true, true, true, true, true, false, false, false],
    );
    await refused(pings[5] as Promise<void>, 'overloaded');
    await catalog.ping();
    await catalog.close();
  });

  test('closing waits for what was asked before', async () => {
    const path = newPath();
    const catalog = await open({ path });
    const commits = Array.from({ length: 700 }, (_, index) => catalog.commit(change(`n${index}`, 'create')));
    await catalog.close();
    assert.equal((await Promise.all(commits)).length, 700);
    const again = await open({ path });
    assert.equal((await again.list(tenant, { prefix: '', after: null, limit: 1000 }, start)).length, 700);
    await again.close();
  });

  test('many submitters at once are all served, each once', async () => {
    const catalog = await open({ path: newPath() });
    let next = 0;
    const submit = async (): Promise<void> => {
      while (next < 3000) await catalog.commit(change(`n${next++}`, 'create'));
    };
    await Promise.all(Array.from({ length: 64 }, submit));
    assert.equal(await catalog.arrowBytes(), 3000 * 100);
    assert.equal((await catalog.list(tenant, { prefix: '', after: null, limit: 5000 }, start)).length, 3000);
    await catalog.close();
  });

  test('records that have the same schema share one object', async () => {
    const catalog = await open({ path: newPath() });
    const a = await catalog.commit(change('a', 'create', { schema: schemaOf('x') }));
    const b = await catalog.commit(change('b', 'create', { schema: schemaOf('x') }));
    assert.equal(a.record.schema, b.record.schema);
    const listed = await catalog.list(tenant, { schemas: true, prefix: '', after: null, limit: 9 }, start);
    assert.ok(listed.every((record) => record.schema === a.record.schema));
    await catalog.close();
  });
});

describe('events', () => {
  test('of each tenant about ten thousand are kept, also if ten thousand names expire at once', () => {
    const db = openDatabase(newPath());
    const { all } = createOperations(db);
    const schema = { ...plainSchema, columns: JSON.stringify(plainSchema.columns) };
    const expiresAt = start + 1;
    // One transaction: nothing is synced ten thousand times.
    db.exec('BEGIN');
    for (let index = 0; index < 10_000; index++)
      all.commit({ ...change(`f${index}`, 'create', { expiresAt }), schema });
    all.commit({ ...change('f', 'create', { tenant: 'other' }), schema });
    while (all.sweep(10, null, start + 2).more);
    db.exec('COMMIT');
    const { last, oldest } = all.events(tenant, 0, 1);
    assert.deepEqual([last, oldest], [20_000, 10_001]);
    const { events } = all.events(tenant, 10_000, 20_000);
    assert.equal(new Set(events.map(({ frame }) => frame.name)).size, 10_000);
    assert.ok(events.every(({ kind }) => kind === 'frame.expired'));
    assert.equal(all.events('other', 0, 10).events.length, 1);
    db.close();
  });
});

describe('grouped commits', () => {
  test('a full disk fails the whole group as disk_full and leaves what was there', () => {
    const db = openDatabase(newPath());
    const operations = createOperations(db);
    const groups = new GroupedCommits(db, operations);
    const run = (requests: readonly OperationRequest[]): OperationAnswer[] => {
      const answers: OperationAnswer[] = [];
      groups.run(requests, (some) => answers.push(...some.answers));
      return answers;
    };
    const commits = (prefix: string, count: number): OperationRequest[] =>
      Array.from({ length: count }, (_, index) => {
        const put = change(`${prefix}${index}`, 'create');
        const schema = { ...plainSchema, columns: JSON.stringify(plainSchema.columns) };
        return { id: index, operation: 'commit', args: [{ ...put, schema }] };
      });
    assert.ok(run(commits('before', 3)).every((answer) => 'value' in answer));

    const pages = Number(db.prepare('PRAGMA page_count').get()?.page_count);
    db.exec(`PRAGMA max_page_count = ${pages + 2}`);
    const failed = run(commits('n', 300));
    assert.equal(failed.length, 300);
    assert.ok(failed.every((answer) => 'error' in answer && answer.error.kind === 'disk_full'));
    assert.equal(operations.all.arrowBytes(), 300);

    db.exec('PRAGMA max_page_count = 100000');
    assert.ok(run(commits('n', 300)).every((answer) => 'value' in answer));
    assert.equal(operations.all.arrowBytes(), 30_300);
    db.close();
  });

  test('answers with large schemas are given out some at a time, and the rest goes on later', () => {
    const db = openDatabase(newPath());
    const operations = createOperations(db);
    const groups = new GroupedCommits(db, operations);
    const message = new Uint8Array(6_000_000);
    const schema = { ...plainSchema, message, columns: JSON.stringify(plainSchema.columns) };
    operations.all.commit({ ...change('fat', 'create'), schema });
    const asked: OperationRequest[] = Array.from({ length: 8 }, (_, id) =>
      id === 4
        ? { id, operation: 'drop', args: [dropOf(tenant, 'fat', null, null, start)] }
        : { id, operation: 'resolve', args: [tenant, 'fat', null, start] },
    );
    const posts: number[][] = [];
    let left: readonly OperationRequest[] | null = asked;
    while (left !== null && left.length > 0)
      left = groups.run(left, ({ answers }) => posts.push(answers.map(({ id }) => id)));
    assert.deepEqual(posts, [[0, 1, 2], [3, 5, 6], [7], [4]]);
    db.close();
  });

  test('a thread whose large answers are not taken yet waits, and closes when all is answered', async () => {
    const catalog = await open({ path: newPath() });
    const message = new Uint8Array(12_000_000);
    // Larger than what is cached: each is asked of the thread.
    for (let index = 0; index < 6; index++)
      await catalog.commit(change(`f${index}`, 'create', { schema: { ...schemaOf(`c${index}`), message } }));
    const names = Array.from({ length: 30 }, (_, index) => `f${index % 6}`);
    const asked = names.map((name) => catalog.resolve(tenant, name, 1, start));
    const closed = catalog.close();
    const answers = await Promise.all(asked);
    assert.deepEqual(
      answers.map(({ name }) => name),
      names,
    );
    await closed;
  });
});
