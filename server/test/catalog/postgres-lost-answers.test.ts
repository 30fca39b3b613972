import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { openPostgresCatalog } from '../../src/catalog/postgres/postgres-catalog.ts';
import { isOutcomeUnknown, repeatIfUnknown } from '../../src/frames/unknown-outcome.ts';
import type { Catalog } from '../../src/ports/catalog/catalog.ts';
import { Database, type Transaction } from '../../src/postgres/database.ts';
import { eventually } from '../support/patience.ts';
import { openAt, PostgresCatalogs } from '../support/postgres-catalogs.ts';
import { type Passage, Toxiproxy } from '../support/toxiproxy-process.ts';
import { change, dropOf, partOf, start, tenant, undropOf } from './change-builder.ts';

/** COMMIT arrives, its answer does not: the caller repeats the change, and it has one effect. */

let catalogs: PostgresCatalogs;
let toxiproxy: Toxiproxy;
before(async () => {
  catalogs = await PostgresCatalogs.start();
  toxiproxy = await Toxiproxy.start();
});
after(async () => {
  await toxiproxy.stop();
  await catalogs.stop();
});

/** A node that does something just before its next COMMIT is sent. */
class Interrupted {
  readonly catalog: Catalog;
  readonly #database: Database;
  #before: (() => Promise<unknown>) | null = null;

  constructor(url: string) {
    this.#database = new Database({ url, connectionsMax: 4, timeoutMs: 1_000 });
    this.catalog = openPostgresCatalog({
      read: (work) => this.#database.read(work),
      change: (work) =>
        this.#database.change(async (sql: Transaction) => {
          const answer = await work(sql);
          const before = this.#before;
          this.#before = null;
          await before?.();
          return answer;
        }),
    });
  }

  beforeNextCommit(before: () => Promise<unknown>): void {
    this.#before = before;
  }

  async close(): Promise<void> {
    await this.catalog.close();
    await this.#database.close();
  }
}

interface Setting {
  readonly node: Interrupted;
  readonly other: Catalog;
  readonly passage: Passage;
  readonly url: string;
}

async function withLoss(body: (setting: Setting) => Promise<void>): Promise<void> {
  const url = await catalogs.empty();
  const passage = await toxiproxy.before(`http://127.0.0.1:${catalogs.server.port}`);
  const node = new Interrupted(url.replace(`:${catalogs.server.port}`, `:${new URL(passage.url).port}`));
  const other = openAt(url);
  try {
    await body({ node, other, passage, url });
  } finally {
    await Promise.all([node.close(), other.close()]);
  }
}

/** Makes the change so that the answer to its first COMMIT is lost. */
async function answerLost<Answer>({ node, passage }: Setting, make: () => Promise<Answer>): Promise<Answer> {
  let losses = 0;
  node.beforeNextCommit(() => passage.poison({ type: 'timeout', attributes: { timeout: 0 } }));
  const answer = await repeatIfUnknown(async () => {
    try {
      return await make();
    } catch (error) {
      if (isOutcomeUnknown(error)) losses++;
      await passage.heal();
      throw error;
    }
  });
  assert.equal(losses, 1, 'the first answer was lost');
  return answer;
}

test('a put that makes a name', () =>
  withLoss(async (setting) => {
    const { node, other } = setting;
    const put = change('f', 'create');
    const answer = await answerLost(setting, () => node.catalog.commit(put));
    assert.deepEqual([answer.record.version, answer.created, answer.replayed], [1, true, false]);
    assert.deepEqual(await other.resolve(tenant, 'f', null, start), answer.record);
    assert.deepEqual(
      (await other.parts(tenant, 'f', 1)).map(({ id }) => id),
      [put.part.id],
    );
    assert.equal((await other.events(tenant, 0, 10)).last, 1);
    assert.deepEqual(await other.integrity(), []);
  }));

test('an append, also with a key', () =>
  withLoss(async (setting) => {
    const { node, other } = setting;
    await other.commit(change('f', 'create'));
    for (const idempotency of [null, { key: 'k', fingerprint: 'print' }]) {
      const put = change('f', 'append', { idempotency });
      const { record, replayed } = await answerLost(setting, () => node.catalog.commit(put));
      assert.equal(replayed, false);
      assert.deepEqual(await other.resolve(tenant, 'f', null, start), record);
      const parts = await other.parts(tenant, 'f', record.version);
      assert.equal(parts.filter(({ id }) => id === put.part.id).length, 1);
    }
    assert.equal((await other.resolve(tenant, 'f', null, start)).version, 3);
    assert.deepEqual(await other.usage(tenant), { frames: 1, bytes: 300 });
  }));

test('a restore', () =>
  withLoss(async (setting) => {
    const { node, other } = setting;
    await other.commit(change('f', 'create'));
    await other.commit(change('f', 'replace'));
    const restore = {
      attempt: randomUUID(),
      tenant,
      name: 'f',
      version: 1,
      ifVersion: { version: 2 },
      idempotency: null,
    };
    const { record } = await answerLost(setting, () => node.catalog.restore({ ...restore, now: start }));
    assert.equal(record.version, 3);
    assert.deepEqual(await other.resolve(tenant, 'f', null, start), record);
  }));

test('a drop and an undrop', () =>
  withLoss(async (setting) => {
    const { node, other } = setting;
    await other.commit(change('f', 'create'));
    const drop = dropOf(tenant, 'f', null, null, start, 1_000);
    await answerLost(setting, () => node.catalog.drop(drop));
    await assert.rejects(other.resolve(tenant, 'f', null, start), /was dropped/);
    const undrop = undropOf(tenant, 'f', null, start);
    await answerLost(setting, () => node.catalog.undrop(undrop));
    assert.equal((await other.resolve(tenant, 'f', null, start)).version, 1);
    const kinds = (await other.events(tenant, 0, 10)).events.map(({ kind }) => kind);
    assert.deepEqual(kinds, ['frame.created', 'frame.dropped', 'frame.undropped']);
  }));

test('a compaction: its part is used, and no object that is used becomes garbage', () =>
  withLoss(async (setting) => {
    const { node, other } = setting;
    const puts = [change('f', 'create'), change('f', 'append')];
    for (const put of puts) await other.commit(put);
    await other.sweep(1, null, start);
    const compacted = partOf(20, 200);
    const ids = puts.map(({ part }) => part.id);
    assert.equal(await answerLost(setting, () => node.catalog.compact(ids, compacted, start)), true);
    assert.deepEqual(
      (await other.parts(tenant, 'f', 2)).map(({ id }) => id),
      [compacted.id],
    );
    const garbage = await other.takeGarbage({ limit: 10, delayMs: 0, leaseMs: 0, now: start });
    assert.deepEqual([...garbage].sort(), puts.map(({ part }) => part.arrow.key).sort());
  }));

for (const mode of ['create', 'append', 'replace'] as const)
  test(`a repeated ${mode} waits for the first try, which has not ended yet, and is answered with it`, () =>
    withLoss(async ({ node, other, url }) => {
      if (mode !== 'create') await other.commit(change('f', 'create'));
      const put = change('f', mode, { ifVersion: mode === 'append' ? { version: 1 } : null });
      const held = Promise.withResolvers<void>();
      const reached = Promise.withResolvers<void>();
      node.beforeNextCommit(() => {
        reached.resolve();
        return held.promise;
      });
      const first = node.catalog.commit(put);
      await reached.promise;
      let isAnswered = false;
      const second = other.commit(put).finally(() => {
        isAnswered = true;
      });
      const waiting =
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
      await eventually('the second waits in the database', async () => {
        return (await catalogs.server.query(waiting, url)).length > 0;
      });
      assert.equal(isAnswered, false);
      held.resolve();
      assert.deepEqual(await second, await first);
      assert.equal((await other.resolve(tenant, 'f', null, start)).version, mode === 'create' ? 1 : 2);
    }));

test('a node that is lost before COMMIT leaves nothing, and its locks end with its connection', () =>
  withLoss(async ({ node, other, passage }) => {
    await other.commit(change('f', 'create'));
    node.beforeNextCommit(() => passage.close());
    await assert.rejects(node.catalog.commit(change('f', 'append')));
    assert.equal((await other.commit(change('f', 'append'))).record.version, 2);
    assert.equal((await other.resolve(tenant, 'f', null, start)).rows, 20);
  }));
