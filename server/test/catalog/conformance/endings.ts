import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Catalog } from '../../../src/ports/catalog/catalog.ts';
import type { MakeCatalog } from '../catalog-conformance.ts';
import { change, dayMs, dropOf, partOf, schemaOf, start, tenant } from '../change-builder.ts';
import { catalogTest, garbageOf, partIds, refused, sortedGarbage } from './assertions.ts';

const goneMs = 30 * dayMs;

export function endingTests(makeCatalog: MakeCatalog): void {
  describe('dropping', () => {
    catalogTest('a dropped name is gone for 30 days, then not found', makeCatalog, async (catalog) => {
      await catalog.commit(change('f', 'create'));
      await catalog.drop(dropOf(tenant, 'f', null, null, start + 5));
      const last = start + 5 + goneMs - 1;
      await refused(
        catalog.resolve(tenant, 'f', null, last),
        'frame_gone',
        /dropped at 2026-01-01T00:00:00.005Z/,
      );
      await refused(catalog.resolve(tenant, 'f', 1, last), 'frame_gone', /"f@1" was dropped/);
      await refused(catalog.drop(dropOf(tenant, 'f', null, null, last)), 'frame_gone');
      await refused(catalog.expire(tenant, 'f', null, last), 'frame_gone');
      await refused(catalog.commit(change('f', 'append', { now: last })), 'frame_gone');
      await refused(catalog.parts(tenant, 'f', 1), 'frame_gone');
      await refused(catalog.resolve(tenant, 'f', 2, last), 'frame_not_found');
      await refused(catalog.resolve(tenant, 'f', null, last + 1), 'frame_not_found');
      await refused(catalog.resolve(tenant, 'f', 1, last + 1), 'frame_not_found');
      await refused(catalog.commit(change('f', 'append', { now: last + 1 })), 'frame_not_found');
    });

    catalogTest(
      'versions are never reused, not even when the tombstone has gone',
      makeCatalog,
      async (catalog) => {
        await catalog.commit(change('f', 'create'));
        await catalog.commit(change('f', 'append'));
        await catalog.drop(dropOf(tenant, 'f', null, null, start));
        const later = start + goneMs + 1;
        await catalog.sweep(10, null, later);
        await refused(catalog.parts(tenant, 'f', 1), 'frame_not_found');
        const { record, created } = await catalog.commit(change('f', 'create', { now: later }));
        assert.deepEqual([record.version, created, record.partCount], [3, true, 1]);
        await refused(catalog.resolve(tenant, 'f', 1, later), 'frame_not_found');
      },
    );

    catalogTest(
      'a name that lives again keeps the memory of its earlier versions',
      makeCatalog,
      async (catalog) => {
        await catalog.commit(change('f', 'create', { expiresAt: start + dayMs }));
        await catalog.drop(dropOf(tenant, 'f', null, null, start));
        const { record } = await catalog.commit(change('f', 'replace'));
        assert.deepEqual([record.version, record.expiresAt], [2, null]);
        await refused(catalog.resolve(tenant, 'f', 1, start), 'frame_gone', /dropped/);
        assert.equal((await catalog.resolve(tenant, 'f', null, start)).version, 2);
      },
    );

    catalogTest('drop takes an ifVersion', makeCatalog, async (catalog) => {
      await catalog.commit(change('f', 'create'));
      await catalog.commit(change('f', 'append'));
      await refused(catalog.drop(dropOf(tenant, 'f', null, 1, start)), 'version_mismatch');
      await refused(catalog.drop(dropOf(tenant, 'f', 1, 1, start)), 'version_mismatch');
      await catalog.drop(dropOf(tenant, 'f', 1, 2, start));
      await catalog.drop(dropOf(tenant, 'f', null, 2, start));
      await refused(catalog.resolve(tenant, 'f', null, start), 'frame_gone');
    });

    catalogTest('an older version dropped alone is gone, the others stay', makeCatalog, async (catalog) => {
      const parts = await appended(catalog, 3);
      await catalog.drop(dropOf(tenant, 'f', 2, null, start));
      await refused(catalog.resolve(tenant, 'f', 2, start), 'frame_gone', /dropped/);
      await refused(catalog.parts(tenant, 'f', 2), 'frame_gone');
      await refused(catalog.drop(dropOf(tenant, 'f', 2, null, start)), 'frame_gone');
      assert.deepEqual(await partIds(catalog, 'f', 3), parts);
      assert.deepEqual(await sortedGarbage(catalog), []);
    });

    catalogTest(
      'after the newest was dropped, an append continues the newest that remains',
      makeCatalog,
      async (catalog) => {
        const parts = await appended(catalog, 3);
        await catalog.drop(dropOf(tenant, 'f', 3, null, start));
        assert.deepEqual(await sortedGarbage(catalog), [`${tenant}/${parts[2]}.arrow`]);
        assert.equal((await catalog.resolve(tenant, 'f', null, start)).version, 2);
        const added = partOf(1, 1);
        const { record } = await catalog.commit(change('f', 'append', { part: added }));
        assert.deepEqual([record.version, record.partCount, record.rows], [4, 3, 21]);
        assert.deepEqual(await partIds(catalog, 'f', 4), [...parts.slice(0, 2), added.id]);
        await refused(catalog.resolve(tenant, 'f', 3, start), 'frame_gone');
      },
    );

    catalogTest(
      'after a replacement was dropped, an append continues the log before',
      makeCatalog,
      async (catalog) => {
        const parts = await appended(catalog, 2);
        const replacement = change('f', 'replace', { schema: schemaOf('other') });
        await catalog.commit(replacement);
        await catalog.drop(dropOf(tenant, 'f', 3, null, start));
        assert.deepEqual(await sortedGarbage(catalog), [replacement.part.arrow.key]);
        const added = partOf();
        await catalog.commit(change('f', 'append', { part: added }));
        assert.deepEqual(await partIds(catalog, 'f', 4), [...parts, added.id]);
      },
    );

    catalogTest('the longest version of an old log takes its tail along', makeCatalog, async (catalog) => {
      const parts = await appended(catalog, 2);
      await catalog.commit(change('f', 'replace'));
      await catalog.drop(dropOf(tenant, 'f', 2, null, start));
      assert.deepEqual(await partIds(catalog, 'f', 1), parts.slice(0, 1));
      assert.deepEqual(await sortedGarbage(catalog), [`${tenant}/${parts[1]}.arrow`]);
    });

    catalogTest('dropping the last version drops the name', makeCatalog, async (catalog) => {
      await appended(catalog, 2);
      await catalog.drop(dropOf(tenant, 'f', 2, null, start));
      await catalog.drop(dropOf(tenant, 'f', 1, null, start));
      await refused(catalog.resolve(tenant, 'f', null, start), 'frame_gone', /dropped/);
      assert.equal((await sortedGarbage(catalog)).length, 2);
      assert.equal((await catalog.commit(change('f', 'create'))).record.version, 3);
    });
  });

  describe('expiry', () => {
    catalogTest('a name expires by time, before any sweep', makeCatalog, async (catalog) => {
      await catalog.commit(change('f', 'create', { expiresAt: start + 10 }));
      assert.equal((await catalog.resolve(tenant, 'f', null, start + 9)).version, 1);
      const at = start + 10;
      const text = /expired at 2026-01-01T00:00:00.010Z/;
      await refused(catalog.resolve(tenant, 'f', null, at), 'frame_gone', text);
      await refused(catalog.resolve(tenant, 'f', 1, at), 'frame_gone', text);
      await refused(catalog.expire(tenant, 'f', null, at), 'frame_gone');
      await refused(catalog.drop(dropOf(tenant, 'f', null, null, at)), 'frame_gone');
      await refused(catalog.drop(dropOf(tenant, 'f', 1, null, at)), 'frame_gone');
      await refused(catalog.commit(change('f', 'append', { now: at })), 'frame_gone');
      await refused(catalog.resolve(tenant, 'f', 2, at), 'frame_not_found');
      await refused(catalog.resolve(tenant, 'f', null, at + goneMs), 'frame_not_found');
      await refused(catalog.resolve(tenant, 'f', 1, at + goneMs), 'frame_not_found');
    });

    catalogTest(
      'a sweep does not change what callers of an expired name hear',
      makeCatalog,
      async (catalog) => {
        await catalog.commit(change('f', 'create', { expiresAt: start + 10 }));
        await catalog.sweep(10, null, start + dayMs);
        const text = /expired at 2026-01-01T00:00:00.010Z/;
        await refused(catalog.resolve(tenant, 'f', null, start + dayMs), 'frame_gone', text);
        await refused(catalog.resolve(tenant, 'f', 1, start + dayMs), 'frame_gone', text);
        await refused(catalog.resolve(tenant, 'f', 1, start + 10 + goneMs), 'frame_not_found');
        assert.equal((await sortedGarbage(catalog)).length, 1);
      },
    );

    for (const mode of ['create', 'replace'] as const) {
      catalogTest(
        `${mode} on an expired name begins a new incarnation without the old expiry`,
        makeCatalog,
        async (catalog) => {
          const first = change('f', 'create', { expiresAt: start + 10 });
          await catalog.commit(first);
          const { record, created } = await catalog.commit(change('f', mode, { now: start + 10 }));
          assert.deepEqual([record.version, created, record.expiresAt, record.partCount], [2, true, null, 1]);
          assert.deepEqual(await sortedGarbage(catalog), [first.part.arrow.key]);
          await refused(catalog.resolve(tenant, 'f', 1, start + 10), 'frame_gone', /expired/);
          const listed = await catalog.versions(tenant, 'f', { before: null, limit: 9 }, start + 10);
          assert.deepEqual(
            listed.map((each) => each.version),
            [2],
          );
        },
      );
    }

    catalogTest('ifVersion does not match the version of an expired name', makeCatalog, async (catalog) => {
      await catalog.commit(change('f', 'create', { expiresAt: start + 10 }));
      const guarded = change('f', 'replace', { ifVersion: { version: 1 }, now: start + 10 });
      await refused(catalog.commit(guarded), 'version_mismatch', /does not exist/);
    });

    catalogTest('expire sets, moves and clears the time', makeCatalog, async (catalog) => {
      await appended(catalog, 2);
      const set = await catalog.expire(tenant, 'f', start + 10, start);
      assert.deepEqual([set.version, set.expiresAt], [2, start + 10]);
      assert.equal((await catalog.resolve(tenant, 'f', 1, start)).expiresAt, start + 10);
      await catalog.expire(tenant, 'f', start + 20, start);
      assert.equal((await catalog.resolve(tenant, 'f', null, start + 15)).version, 2);
      const cleared = await catalog.expire(tenant, 'f', null, start + 15);
      assert.equal(cleared.expiresAt, null);
      await catalog.sweep(10, null, start + dayMs);
      assert.equal((await catalog.resolve(tenant, 'f', null, start + dayMs)).version, 2);
    });

    catalogTest('expire is guarded by the newest version', makeCatalog, async (catalog) => {
      await appended(catalog, 2);
      await refused(catalog.expire(tenant, 'f', start + 10, start, { version: 1 }), 'version_mismatch');
      assert.equal((await catalog.resolve(tenant, 'f', null, start)).expiresAt, null);
      assert.equal(
        (await catalog.expire(tenant, 'f', start + 10, start, { version: 2 })).expiresAt,
        start + 10,
      );
    });

    catalogTest('each expiry is reported once, by whatever causes it', makeCatalog, async (catalog) => {
      const told: string[] = [];
      const sweep = (now: number) =>
        catalog.sweep(1, null, now, (owner, name) => void told.push(`${owner} ${name}`));
      // More than one step of a sweep, and a name that is pruned only.
      const names = Array.from({ length: 450 }, (_, index) => `f${index}`);
      await Promise.all(
        names.map((name) => catalog.commit(change(name, 'create', { expiresAt: start + 10 }))),
      );
      for (const mode of ['create', 'replace'] as const) await catalog.commit(change('kept', mode));
      await sweep(start + 9);
      assert.deepEqual(told, []);
      const { expired } = await catalog.commit(change('F0', 'replace', { now: start + 10 }));
      assert.equal(expired, 'f0');
      await sweep(start + 10);
      assert.deepEqual(
        told.sort(),
        names
          .slice(1)
          .map((name) => `${tenant} ${name}`)
          .sort(),
      );
      await sweep(start + 11);
      assert.equal(told.length, 449);
      assert.equal((await catalog.commit(change('F0', 'replace', { now: start + 11 }))).expired, null);
      assert.equal((await catalog.commit(change('f1', 'create', { now: start + 11 }))).expired, null);
    });

    catalogTest(
      'parts of a version that was resolved in time can be had until the sweep',
      makeCatalog,
      async (catalog) => {
        const put = change('f', 'create', { expiresAt: start + 10 });
        await catalog.commit(put);
        assert.deepEqual(await partIds(catalog, 'f', 1), [put.part.id]);
        await catalog.sweep(10, null, start + 10);
        await refused(catalog.parts(tenant, 'f', 1), 'frame_gone');
      },
    );
  });

  describe('retention', () => {
    catalogTest(
      'a sweep keeps the newest versions and supersedes the others',
      makeCatalog,
      async (catalog) => {
        const parts = await appended(catalog, 5);
        // Resolved before: a cache must forget these.
        for (const version of [1, 3]) await catalog.resolve(tenant, 'f', version, start);
        await catalog.sweep(2, null, start + 1);
        await refused(catalog.resolve(tenant, 'f', 3, start + 1), 'frame_gone', /superseded/);
        await refused(catalog.resolve(tenant, 'f', 1, start + 1), 'frame_gone', /superseded/);
        await refused(catalog.resolve(tenant, 'f', 3, start + 1 + goneMs), 'frame_not_found');
        assert.deepEqual(await partIds(catalog, 'f', 4), parts.slice(0, 4));
        assert.deepEqual(await partIds(catalog, 'f', 5), parts);
        assert.deepEqual(await sortedGarbage(catalog), []);
      },
    );

    catalogTest('a sweep supersedes versions by age, but never the newest', makeCatalog, async (catalog) => {
      for (let day = 0; day < 5; day++)
        await catalog.commit(change('f', 'replace', { now: start + day * dayMs }));
      await catalog.commit(change('old', 'create'));
      const now = start + 5 * dayMs;
      await catalog.sweep(10, now - 3 * dayMs, now);
      const kept = async () =>
        (await catalog.versions(tenant, 'f', { before: null, limit: 9 }, now)).map(({ version }) => version);
      assert.deepEqual(await kept(), [5, 4, 3]);
      await refused(catalog.resolve(tenant, 'f', 2, now), 'frame_gone', /superseded/);
      await catalog.sweep(10, now + 9 * dayMs, now);
      assert.deepEqual(await kept(), [5]);
      assert.equal((await catalog.resolve(tenant, 'old', null, now)).version, 1);
      await catalog.drop(dropOf(tenant, 'f', null, null, now));
      await catalog.commit(change('f', 'create', { now }));
      await catalog.commit(change('f', 'replace', { now: now + 1 }));
      await catalog.sweep(10, now, now + 1);
      assert.deepEqual(await kept(), [7, 6]);
    });

    catalogTest('a log that no kept version needs becomes garbage', makeCatalog, async (catalog) => {
      const parts = await appended(catalog, 2);
      await catalog.commit(change('f', 'replace'));
      await catalog.commit(change('f', 'replace'));
      await catalog.sweep(2, null, start);
      assert.deepEqual(await sortedGarbage(catalog), parts.map((id) => `${tenant}/${id}.arrow`).sort());
      assert.equal(await catalog.arrowBytes(), 200);
    });

    catalogTest('single drops count: the newest kept ones stay', makeCatalog, async (catalog) => {
      await appended(catalog, 5);
      await catalog.drop(dropOf(tenant, 'f', 4, null, start));
      await catalog.sweep(2, null, start);
      const kept = await catalog.versions(tenant, 'f', { before: null, limit: 9 }, start);
      assert.deepEqual(
        kept.map((record) => record.version),
        [5, 3],
      );
      await refused(catalog.resolve(tenant, 'f', 4, start), 'frame_gone', /dropped/);
      await refused(catalog.resolve(tenant, 'f', 2, start), 'frame_gone', /superseded/);
    });

    catalogTest('a sweep of more than one step finishes', makeCatalog, async (catalog) => {
      const names = Array.from({ length: 450 }, (_, index) => `n${index}`);
      await Promise.all(
        names.map((name) => catalog.commit(change(name, 'create', { expiresAt: start + 1 }))),
      );
      await catalog.sweep(10, null, start + 1);
      assert.equal((await garbageOf(catalog, 1000)).length, 450);
      assert.equal(await catalog.arrowBytes(), 0);
    });
  });
}

/** The frame f with one part for each version; answers the parts' ids. */
async function appended(catalog: Catalog, versions: number): Promise<string[]> {
  const ids: string[] = [];
  for (let version = 1; version <= versions; version++) {
    const put = change('f', version === 1 ? 'create' : 'append');
    await catalog.commit(put);
    ids.push(put.part.id);
  }
  return ids;
}
