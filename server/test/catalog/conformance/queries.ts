import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Catalog } from '../../../src/ports/catalog/catalog.ts';
import type { NewHistoryEntry, SavedQuery } from '../../../src/ports/catalog/queries.ts';
import type { MakeCatalog } from '../catalog-conformance.ts';
import { start, tenant } from '../change-builder.ts';
import { catalogTest, refused } from './assertions.ts';

const dayMs = 86_400_000;
const plenty = { countMax: 100, bytesMax: 10_000 };

function saved(name: string, sql = `select '${name}'`): SavedQuery {
  return { name, sql, savedAt: start, savedBy: 'ada' };
}

function ended(sql: string, more: Partial<NewHistoryEntry> = {}): NewHistoryEntry {
  return {
    tenant,
    caller: 'ada',
    queryId: 'q',
    sql,
    engine: 'duckdb',
    state: 'done',
    error: null,
    rows: 1,
    startedAt: start,
    durationMs: 5,
    ...more,
  };
}

const whole = { before: null, limit: 1_000, search: null };

async function textsOf(catalog: Catalog, caller = 'ada', of = tenant, search: string | null = null) {
  const { entries } = await catalog.history(of, caller, { ...whole, search });
  return entries.map(({ sql }) => sql);
}

export function queryTests(makeCatalog: MakeCatalog): void {
  describe('saved queries', () => {
    catalogTest(
      'are of one tenant, sorted by name, and one of the same name is replaced',
      makeCatalog,
      async (catalog) => {
        assert.deepEqual(await catalog.saveQuery(tenant, saved('b/é ?'), plenty), { isCreated: true });
        assert.deepEqual(await catalog.saveQuery(tenant, saved('a'), plenty), { isCreated: true });
        assert.deepEqual(await catalog.saveQuery('other', saved('a', 'theirs'), plenty), { isCreated: true });
        const later = { ...saved('a', 'select 2'), savedAt: start + 1, savedBy: 'bo' };
        assert.deepEqual(await catalog.saveQuery(tenant, later, plenty), { isCreated: false });
        assert.deepEqual(await catalog.savedQueries(tenant), [later, saved('b/é ?')]);
        assert.deepEqual(await catalog.savedQueries('other'), [saved('a', 'theirs')]);
        assert.equal(await catalog.removeQuery(tenant, 'a'), true);
        assert.equal(await catalog.removeQuery(tenant, 'a'), false);
        assert.deepEqual(await catalog.savedQueries('other'), [saved('a', 'theirs')]);
      },
    );

    catalogTest(
      'are limited in number and in size, and one that is refused changes nothing',
      makeCatalog,
      async (catalog) => {
        const two = { countMax: 2, bytesMax: 100 };
        await catalog.saveQuery('other', saved('x', 'é'.repeat(60)), { countMax: 1, bytesMax: 200 });
        await catalog.saveQuery(tenant, saved('a', '12345'), two);
        await catalog.saveQuery(tenant, saved('b'), two);
        await refused(catalog.saveQuery(tenant, saved('c'), two), 'quota_exceeded', /2 saved queries/);
        await refused(
          catalog.saveQuery(tenant, saved('a', 'é'.repeat(50)), two),
          'quota_exceeded',
          /100 bytes/,
        );
        assert.deepEqual(await catalog.saveQuery(tenant, saved('b', '1'), two), { isCreated: false });
        assert.deepEqual(await catalog.savedQueries(tenant), [saved('a', '12345'), saved('b', '1')]);
      },
    );
  });

  describe('history', () => {
    catalogTest(
      'is of one caller, newest first, with everything that was added',
      makeCatalog,
      async (catalog) => {
        const error = { code: 'sql_invalid', detail: 'no such column é' } as const;
        const failed = ended('select nope', {
          state: 'failed',
          error,
          rows: 0,
          startedAt: start + 1,
          queryId: 'mine',
          engine: 'spark',
        });
        const others = [ended('x', { caller: 'bo' }), ended('y', { tenant: 'other' })];
        await catalog.addHistory([ended('select 1'), ...others, failed], 10, start + 10);
        const { entries, hasMore } = await catalog.history(tenant, 'ada', whole);
        assert.equal(hasMore, false);
        assert.deepEqual(
          entries.map(({ id: _, ...entry }) => ({ tenant, caller: 'ada', ...entry })),
          [failed, ended('select 1')],
        );
        assert.ok((entries[0]?.id ?? 0) > (entries[1]?.id ?? 0));
        assert.deepEqual(await textsOf(catalog, 'bo'), ['x']);
        assert.deepEqual(await textsOf(catalog, 'ada', 'other'), ['y']);
        assert.deepEqual(await textsOf(catalog, 'bo', 'other'), []);
      },
    );

    catalogTest('ids grow, also if the clock goes back, and do not count', makeCatalog, async (catalog) => {
      const add = (now: number) => catalog.addHistory([ended('a'), ended('b')], 100, now);
      for (const now of [start, start + 5, start, 0]) await add(now);
      const { entries } = await catalog.history(tenant, 'ada', whole);
      const ids = entries.map(({ id }) => id);
      assert.equal(ids.length, 8);
      for (const [index, id] of ids.entries()) {
        assert.ok(Number.isSafeInteger(id));
        if (index > 0) assert.ok(id < (ids[index - 1] ?? 0));
      }
      assert.deepEqual(
        entries.map(({ sql }) => sql),
        ['b', 'a', 'b', 'a', 'b', 'a', 'b', 'a'],
      );
    });

    catalogTest('comes in pages, and a page with long texts ends early', makeCatalog, async (catalog) => {
      await catalog.addHistory(
        Array.from({ length: 25 }, (_, index) => ended(`s${index}`)),
        100,
        start,
      );
      const seen: string[] = [];
      let before: number | null = null;
      for (const expected of [10, 10, 5]) {
        const page = await catalog.history(tenant, 'ada', { ...whole, before, limit: 10 });
        assert.equal(page.entries.length, expected);
        assert.equal(page.hasMore, expected === 10);
        seen.push(...page.entries.map(({ sql }) => sql));
        before = page.entries.at(-1)?.id ?? null;
      }
      assert.deepEqual(
        seen,
        Array.from({ length: 25 }, (_, index) => `s${24 - index}`),
      );
      await catalog.addHistory(
        Array.from({ length: 5 }, () => ended('x'.repeat(500_000))),
        100,
        start,
      );
      const long = await catalog.history(tenant, 'ada', whole);
      assert.equal(long.hasMore, true);
      assert.ok(long.entries.length >= 2 && long.entries.length < 5, String(long.entries.length));
    });

    catalogTest('is searched for a text as it is', makeCatalog, async (catalog) => {
      await catalog.addHistory(
        ['SELECT 100%', 'select 1000', 'a_b!', 'axb'].map((sql) => ended(sql)),
        10,
        start,
      );
      assert.deepEqual(await textsOf(catalog, 'ada', tenant, 'select'), ['select 1000', 'SELECT 100%']);
      assert.deepEqual(await textsOf(catalog, 'ada', tenant, '100%'), ['SELECT 100%']);
      assert.deepEqual(await textsOf(catalog, 'ada', tenant, 'A_B!'), ['a_b!']);
      assert.deepEqual(await textsOf(catalog, 'bo', tenant, 'select'), []);
    });

    catalogTest('keeps so many of each caller, for thirty days', makeCatalog, async (catalog) => {
      const three = ['a', 'b', 'c'].map((sql) => ended(sql));
      await catalog.addHistory([...three, ended('theirs', { caller: 'bo' })], 2, start);
      assert.deepEqual(await textsOf(catalog), ['c', 'b']);
      await catalog.addHistory([ended('d', { startedAt: start + dayMs })], 2, start);
      assert.deepEqual(await textsOf(catalog), ['d', 'c']);
      assert.deepEqual(await textsOf(catalog, 'bo'), ['theirs']);
      await catalog.sweep(10, null, start + 30 * dayMs - 1);
      assert.deepEqual(await textsOf(catalog), ['d', 'c']);
      await catalog.sweep(10, null, start + 30 * dayMs);
      assert.deepEqual(await textsOf(catalog), ['d']);
      assert.deepEqual(await textsOf(catalog, 'bo'), []);
    });

    catalogTest('is removed for its caller alone', makeCatalog, async (catalog) => {
      const others = [ended('x', { caller: 'bo' }), ended('y', { tenant: 'other' })];
      await catalog.addHistory([ended('a'), ...others], 10, start);
      await catalog.clearHistory(tenant, 'ada');
      assert.deepEqual(await textsOf(catalog), []);
      assert.deepEqual(await textsOf(catalog, 'bo'), ['x']);
      assert.deepEqual(await textsOf(catalog, 'ada', 'other'), ['y']);
    });
  });
}
