import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { MakeCatalog } from '../catalog-conformance.ts';
import { change, dropOf, parquetOf, start, tenant } from '../change-builder.ts';
import { catalogTest, garbageOf, sortedGarbage } from './assertions.ts';

export function garbageTests(makeCatalog: MakeCatalog): void {
  describe('garbage', () => {
    catalogTest('dropping a name leaves the objects of all its forms', makeCatalog, async (catalog) => {
      const first = change('f', 'create');
      const second = change('f', 'append');
      await catalog.commit(first);
      await catalog.commit(second);
      const parquet = parquetOf(first.part, true, 2);
      await catalog.addForm(first.part.id, parquet, start);
      await catalog.drop(dropOf(tenant, 'f', null, null, start));
      const keys = [first, second].map((put) => put.part.arrow.key);
      keys.push(...parquet.objects.map((object) => object.key));
      assert.deepEqual(await sortedGarbage(catalog), keys.sort());
      assert.equal(await catalog.arrowBytes(), 0);
      assert.deepEqual(await catalog.untranscoded(10, Number.POSITIVE_INFINITY, start), []);
      assert.deepEqual(await catalog.evictable(10), []);
    });

    catalogTest(
      'garbage comes within the limit and goes when it is forgotten',
      makeCatalog,
      async (catalog) => {
        for (const name of ['a', 'b', 'c']) {
          await catalog.commit(change(name, 'create'));
          await catalog.drop(dropOf(tenant, name, null, null, start));
        }
        const some = await garbageOf(catalog, 2);
        assert.equal(some.length, 2);
        await catalog.forget(some);
        const rest = await garbageOf(catalog, 10);
        assert.equal(rest.length, 1);
        await catalog.forget([...rest, 'never/seen']);
        assert.deepEqual(await garbageOf(catalog, 10), []);
      },
    );

    catalogTest(
      'garbage is due after the delay, later if a reader renews it, and leased by one collector at a time',
      makeCatalog,
      async (catalog) => {
        const [first, second, kept] = [change('a', 'create'), change('b', 'create'), change('c', 'create')];
        for (const put of [first, second, kept]) await catalog.commit(put);
        for (const name of ['a', 'b']) await catalog.drop(dropOf(tenant, name, null, null, start));
        const take = async (now: number) =>
          [...(await catalog.takeGarbage({ limit: 10, delayMs: 900, leaseMs: 60, now }))].sort();
        const [a, b, c] = [first, second, kept].map((put) => put.part.arrow.key) as [string, string, string];
        assert.deepEqual(await take(start), []);
        assert.deepEqual(await take(start + 899), []);
        await catalog.renew([a, c, 'never/seen.arrow'], start + 1_500);
        assert.deepEqual(await take(start + 900), [b]);
        assert.deepEqual(await take(start + 959), [], 'another collector has it');
        assert.deepEqual(await take(start + 960), [b], 'it was not forgotten in time');
        await catalog.forget([b]);
        assert.deepEqual(await take(start + 1_499), []);
        assert.deepEqual(await take(start + 1_500), [a]);
        await catalog.renew([a], start + 1_000);
        assert.deepEqual(await take(start + 1_560), [a], 'a renewal never shortens the time');
        assert.deepEqual(await catalog.known([c]), [c]);
      },
    );

    catalogTest('objects in use are not forgotten', makeCatalog, async (catalog) => {
      const put = change('f', 'create');
      await catalog.commit(put);
      await catalog.forget([put.part.arrow.key]);
      assert.deepEqual(await catalog.known([put.part.arrow.key]), [put.part.arrow.key]);
    });

    catalogTest('known keys are those in use and those in the garbage', makeCatalog, async (catalog) => {
      const used = change('used', 'create');
      const dropped = change('dropped', 'create');
      await catalog.commit(used);
      await catalog.commit(dropped);
      const parquet = parquetOf(used.part, true);
      await catalog.addForm(used.part.id, parquet, start);
      await catalog.drop(dropOf(tenant, 'dropped', null, null, start));
      const known = [used.part.arrow.key, ...parquet.objects.map((o) => o.key), dropped.part.arrow.key];
      const asked = [...known, 'orphan', ...Array.from({ length: 2500 }, (_, index) => `orphan/${index}`)];
      assert.deepEqual([...(await catalog.known(asked))].sort(), known.sort());
      await catalog.forget([dropped.part.arrow.key]);
      assert.deepEqual(await catalog.known([dropped.part.arrow.key]), []);
      assert.deepEqual(await catalog.known([]), []);
    });
  });
}
