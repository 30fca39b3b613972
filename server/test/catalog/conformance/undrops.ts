import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Catalog } from '../../../src/ports/catalog/catalog.ts';
import type { MakeCatalog } from '../catalog-conformance.ts';
import { change, dayMs, dropOf, partOf, schemaOf, start, tenant, undropOf } from '../change-builder.ts';
import { catalogTest, partIds, refused, sortedGarbage } from './assertions.ts';

/** Drops the name, so that it can come back for a day. */
function drop(catalog: Catalog, name = 'f', now = start): Promise<void> {
  return catalog.drop(dropOf(tenant, name, null, null, now, dayMs));
}

export function undropTests(makeCatalog: MakeCatalog): void {
  describe('undoing a drop', () => {
    catalogTest(
      'brings back every kept version, the expiry and the numbers',
      makeCatalog,
      async (catalog) => {
        const expiresAt = start + 40 * dayMs;
        const first = change('f', 'create', { expiresAt });
        await catalog.commit(first);
        await catalog.commit(change('f', 'append'));
        await catalog.commit(change('f', 'replace', { schema: schemaOf('other') }));
        await catalog.drop(dropOf(tenant, 'f', 2, null, start));
        const page = { before: null, limit: 10 };
        const before = await catalog.versions(tenant, 'f', { ...page, schemas: true }, start);
        const garbage = await sortedGarbage(catalog);
        await drop(catalog);
        await refused(catalog.resolve(tenant, 'f', null, start), 'frame_gone', /dropped/);
        await refused(catalog.resolve(tenant, 'f', 1, start), 'frame_gone', /dropped/);
        await refused(catalog.parts(tenant, 'f', 1), 'frame_gone');
        assert.deepEqual(await catalog.names(tenant, { prefix: '', after: null, limit: 10 }, start), []);
        assert.deepEqual(await catalog.usage(tenant), { frames: 0, bytes: 200 });
        assert.deepEqual(await sortedGarbage(catalog), garbage, 'nothing that it needs may go');

        const { record, expired } = await catalog.undrop(undropOf(tenant, 'f', null, start + dayMs - 1));
        assert.deepEqual([record.version, record.expiresAt, expired], [3, expiresAt, null]);
        const after = await catalog.versions(tenant, 'f', { ...page, schemas: true }, start);
        assert.deepEqual(
          after,
          before.map((version) => ({ ...version, incarnation: 1 })),
        );
        assert.deepEqual(await partIds(catalog, 'f', 1), [first.part.id]);
        await refused(catalog.resolve(tenant, 'f', 2, start), 'frame_gone', /dropped/);
        assert.deepEqual(await catalog.usage(tenant), { frames: 1, bytes: 200 });
        assert.equal(
          (await catalog.commit(change('f', 'append', { schema: schemaOf('other') }))).record.version,
          4,
        );
      },
    );

    catalogTest('ends with its time, and with the expiry of the name', makeCatalog, async (catalog) => {
      await catalog.commit(change('f', 'create'));
      await catalog.commit(change('g', 'create', { expiresAt: start + 100 }));
      await drop(catalog);
      await drop(catalog, 'g');
      await refused(catalog.undrop(undropOf(tenant, 'f', null, start + dayMs)), 'frame_gone', /dropped/);
      await refused(catalog.undrop(undropOf(tenant, 'g', null, start + 100)), 'frame_gone', /dropped/);
      await refused(catalog.undrop(undropOf(tenant, 'never', null, start)), 'frame_not_found');
      await catalog.sweep(10, null, start + 100);
      assert.equal((await sortedGarbage(catalog)).length, 1);
      assert.equal((await catalog.undrop(undropOf(tenant, 'f', null, start + dayMs - 1))).record.version, 1);
      await drop(catalog, 'f', start + dayMs);
      await catalog.sweep(10, null, start + 2 * dayMs);
      assert.equal((await sortedGarbage(catalog)).length, 2);
      assert.deepEqual(await catalog.usage(tenant), { frames: 0, bytes: 0 });
      assert.equal(await catalog.arrowBytes(), 0);
    });

    catalogTest('a drop that was not to be undone is not', makeCatalog, async (catalog) => {
      await catalog.commit(change('f', 'create'));
      await catalog.drop(dropOf(tenant, 'f', null, null, start));
      await refused(catalog.undrop(undropOf(tenant, 'f', null, start)), 'frame_gone');
      assert.equal((await sortedGarbage(catalog)).length, 1);
    });

    catalogTest(
      'one version of several is gone for good, the last one can come back',
      makeCatalog,
      async (catalog) => {
        await catalog.commit(change('f', 'create'));
        await catalog.commit(change('f', 'replace'));
        await catalog.drop(dropOf(tenant, 'f', 1, null, start, dayMs));
        await refused(catalog.undrop(undropOf(tenant, 'f', null, start)), 'name_in_use');
        assert.equal((await sortedGarbage(catalog)).length, 1);
        await catalog.drop(dropOf(tenant, 'f', 2, null, start, dayMs));
        assert.equal((await catalog.undrop(undropOf(tenant, 'f', null, start))).record.version, 2);
        await refused(catalog.resolve(tenant, 'f', 1, start), 'frame_gone');
      },
    );

    catalogTest('is refused while the name is live, in any case', makeCatalog, async (catalog) => {
      await catalog.commit(change('f', 'create'));
      await drop(catalog);
      await catalog.commit(change('F', 'create'));
      await refused(catalog.undrop(undropOf(tenant, 'F', null, start)), 'name_in_use');
      await refused(catalog.undrop(undropOf(tenant, 'f', null, start)), 'name_conflict');
      await catalog.drop(dropOf(tenant, 'F', null, null, start));
      await refused(catalog.undrop(undropOf(tenant, 'F', null, start)), 'frame_gone');
      const { record } = await catalog.undrop(undropOf(tenant, 'f', null, start));
      assert.deepEqual([record.name, record.version], ['f', 1]);
      assert.equal((await catalog.commit(change('f', 'replace'))).record.version, 3);
    });

    catalogTest('the last drop comes back first, then the one before', makeCatalog, async (catalog) => {
      const old = change('f', 'create');
      await catalog.commit(old);
      await drop(catalog);
      const young = change('f', 'create');
      await catalog.commit(young);
      await drop(catalog);
      assert.equal((await catalog.undrop(undropOf(tenant, 'f', null, start))).record.version, 2);
      await refused(catalog.resolve(tenant, 'f', 1, start), 'frame_gone');
      await catalog.drop(dropOf(tenant, 'f', null, null, start));
      assert.equal((await catalog.undrop(undropOf(tenant, 'f', null, start))).record.version, 1);
      await refused(catalog.resolve(tenant, 'f', 2, start), 'frame_gone');
      assert.deepEqual(await partIds(catalog, 'f', 1), [old.part.id]);
      assert.deepEqual(await sortedGarbage(catalog), [young.part.arrow.key]);
    });

    catalogTest('a later frame of the name that has expired makes way', makeCatalog, async (catalog) => {
      await catalog.commit(change('f', 'create'));
      await drop(catalog);
      await catalog.commit(change('f', 'create', { expiresAt: start + 5 }));
      const { record, expired } = await catalog.undrop(undropOf(tenant, 'f', null, start + 5));
      assert.deepEqual([record.version, expired], [1, 'f']);
      await refused(catalog.resolve(tenant, 'f', 2, start + 5), 'frame_gone', /expired/);
    });

    catalogTest('shares stay ended', makeCatalog, async (catalog) => {
      await catalog.commit(change('f', 'create'));
      await catalog.share(tenant, 'f', 'b', start);
      await drop(catalog);
      await catalog.undrop(undropOf(tenant, 'f', null, start));
      assert.equal(await catalog.isShared(tenant, 'f', 'b'), false);
      assert.deepEqual(await catalog.shares(tenant, 'f', start), []);
    });

    catalogTest('needs a place among the frames of the tenant', makeCatalog, async (catalog) => {
      await catalog.commit(change('f', 'create'));
      await drop(catalog);
      await catalog.commit(change('g', 'create'));
      await refused(catalog.undrop(undropOf(tenant, 'f', 1, start)), 'quota_exceeded');
      await refused(catalog.resolve(tenant, 'f', null, start), 'frame_gone');
      assert.equal((await catalog.undrop(undropOf(tenant, 'f', 2, start))).record.version, 1);
    });

    catalogTest(
      'a purge gives up what is kept of the name, and nothing else',
      makeCatalog,
      async (catalog) => {
        for (const name of ['f', 'g']) {
          await catalog.commit(change(name, 'create'));
          await drop(catalog, name);
        }
        await catalog.commit(change('f', 'create'));
        await drop(catalog);
        assert.equal(await catalog.purge(tenant, 'F'), 0);
        assert.equal(await catalog.purge('other', 'f'), 0);
        assert.equal(await catalog.purge(tenant, 'f'), 2);
        await refused(catalog.undrop(undropOf(tenant, 'f', null, start)), 'frame_gone');
        assert.deepEqual(await catalog.usage(tenant), { frames: 0, bytes: 100 });
        assert.equal((await catalog.undrop(undropOf(tenant, 'g', null, start))).record.version, 1);
      },
    );

    catalogTest('what was dropped first is released first', makeCatalog, async (catalog) => {
      for (const name of ['f', 'g', 'live']) await catalog.commit(change(name, 'create'));
      await drop(catalog, 'g');
      await drop(catalog, 'f', start + 1);
      assert.equal(await catalog.releaseDropped(1_000_000), null, 'all of it would not be enough');
      assert.deepEqual(await catalog.releaseDropped(150), { tenant, name: 'g' });
      await refused(catalog.undrop(undropOf(tenant, 'g', null, start + 2)), 'frame_gone');
      assert.equal((await catalog.undrop(undropOf(tenant, 'f', null, start + 2))).record.version, 1);
      assert.equal(await catalog.releaseDropped(1), null);
      assert.equal((await sortedGarbage(catalog)).length, 1);
    });

    catalogTest('compacting respects the versions that may come back', makeCatalog, async (catalog) => {
      const ids: string[] = [];
      for (let index = 0; index < 4; index++) {
        const put = change('f', index === 0 ? 'create' : 'append');
        await catalog.commit(put);
        ids.push(put.part.id);
      }
      for (const version of [1, 3]) await catalog.drop(dropOf(tenant, 'f', version, null, start));
      await drop(catalog);
      assert.equal(await catalog.compact(ids, partOf(40), start), false);
      const compacted = partOf(20);
      assert.equal(await catalog.compact(ids.slice(0, 2), compacted, start), true);
      await catalog.undrop(undropOf(tenant, 'f', null, start));
      assert.deepEqual(await partIds(catalog, 'f', 2), [compacted.id]);
      assert.deepEqual(await partIds(catalog, 'f', 4), [compacted.id, ids[2], ids[3]]);
    });

    catalogTest('a restored version comes back with what it came from', makeCatalog, async (catalog) => {
      const put = change('f', 'create');
      await catalog.commit(put);
      await catalog.commit(change('f', 'replace'));
      await catalog.restore({
        attempt: 'r',
        tenant,
        name: 'f',
        version: 1,
        ifVersion: null,
        idempotency: null,
        now: start,
      });
      const more = change('f', 'append');
      await catalog.commit(more);
      await drop(catalog);
      await catalog.undrop(undropOf(tenant, 'f', null, start));
      assert.deepEqual(await partIds(catalog, 'f', 4), [put.part.id, more.part.id]);
      await catalog.sweep(1, null, start);
      assert.deepEqual(await partIds(catalog, 'f', 4), [put.part.id, more.part.id]);
    });
  });
}
