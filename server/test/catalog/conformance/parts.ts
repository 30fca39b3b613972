import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { MakeCatalog } from '../catalog-conformance.ts';
import { change, parquetOf, start, tenant } from '../change-builder.ts';
import { catalogTest, sortedGarbage } from './assertions.ts';

export function partTests(makeCatalog: MakeCatalog): void {
  describe('parts and their forms', () => {
    catalogTest('a new part has its Arrow form and is unsettled', makeCatalog, async (catalog) => {
      const put = change('f', 'create');
      await catalog.commit(put);
      const part = {
        id: put.part.id,
        rows: 10,
        forms: [{ kind: 'arrow', objects: [put.part.arrow], exact: true }],
      };
      assert.deepEqual(await catalog.parts(tenant, 'f', 1), [part]);
      assert.deepEqual(await catalog.unsettled(10, Number.POSITIVE_INFINITY), [part]);
      assert.deepEqual(await catalog.evictable(10), []);
    });

    catalogTest('unsettled parts come oldest first, within the limit', makeCatalog, async (catalog) => {
      const ids: string[] = [];
      for (let count = 0; count < 4; count++) {
        const put = change(`f${9 - count}`, 'create');
        await catalog.commit(put);
        ids.push(put.part.id);
      }
      assert.deepEqual(
        (await catalog.unsettled(3, Number.POSITIVE_INFINITY)).map((part) => part.id),
        ids.slice(0, 3),
      );
    });

    catalogTest('a settled part has both forms, files in order', makeCatalog, async (catalog) => {
      const put = change('f', 'create');
      await catalog.commit(put);
      const parquet = parquetOf(put.part, true, 12);
      await catalog.addForm(put.part.id, parquet);
      const [part] = await catalog.parts(tenant, 'f', 1);
      assert.deepEqual(part?.forms, [{ kind: 'arrow', objects: [put.part.arrow], exact: true }, parquet]);
      assert.deepEqual(await catalog.unsettled(10, Number.POSITIVE_INFINITY), []);
      assert.deepEqual(await catalog.evictable(10), [part]);
    });

    catalogTest('a Parquet form without files is a form', makeCatalog, async (catalog) => {
      const put = change('f', 'create');
      await catalog.commit(put);
      await catalog.addForm(put.part.id, { kind: 'parquet', objects: [], exact: false });
      const [part] = await catalog.parts(tenant, 'f', 1);
      assert.deepEqual(part?.forms[1], { kind: 'parquet', objects: [], exact: false });
      assert.deepEqual(await catalog.unsettled(10, Number.POSITIVE_INFINITY), []);
    });

    catalogTest('an inexact Parquet form does not let the Arrow form go', makeCatalog, async (catalog) => {
      const put = change('f', 'create');
      await catalog.commit(put);
      await catalog.addForm(put.part.id, parquetOf(put.part, false));
      assert.deepEqual(await catalog.evictable(10), []);
      await catalog.evict(put.part.id);
      assert.equal((await catalog.parts(tenant, 'f', 1))[0]?.forms.length, 2);
      assert.equal(await catalog.arrowBytes(), 100);
      assert.deepEqual(await sortedGarbage(catalog), []);
    });

    catalogTest('evicting takes the Arrow form only', makeCatalog, async (catalog) => {
      const put = change('f', 'create');
      await catalog.commit(put);
      await catalog.commit(change('f', 'append'));
      await catalog.evict(put.part.id);
      assert.equal(await catalog.arrowBytes(), 200);
      const parquet = parquetOf(put.part, true);
      await catalog.addForm(put.part.id, parquet);
      await catalog.evict(put.part.id);
      assert.deepEqual((await catalog.parts(tenant, 'f', 1))[0]?.forms, [parquet]);
      assert.equal(await catalog.arrowBytes(), 100);
      assert.deepEqual(await sortedGarbage(catalog), [put.part.arrow.key]);
      assert.deepEqual(await catalog.evictable(10), []);
      await catalog.evict(put.part.id);
      assert.equal(await catalog.arrowBytes(), 100);
      assert.equal((await catalog.resolve(tenant, 'f', 1, start)).bytes, 100);
    });

    catalogTest('a refused part is not offered for settling again', makeCatalog, async (catalog) => {
      const put = change('f', 'create');
      await catalog.commit(put);
      await catalog.refuseSettling(put.part.id, 'a union');
      assert.deepEqual(await catalog.unsettled(10, Number.POSITIVE_INFINITY), []);
      assert.equal((await catalog.parts(tenant, 'f', 1))[0]?.forms.length, 1);
    });

    catalogTest('a form of a kind that is there replaces it', makeCatalog, async (catalog) => {
      const put = change('f', 'create');
      await catalog.commit(put);
      const first = parquetOf(put.part, false, 3);
      await catalog.addForm(put.part.id, first);
      const second = parquetOf(put.part, true, 1);
      await catalog.addForm(put.part.id, second);
      assert.deepEqual((await catalog.parts(tenant, 'f', 1))[0]?.forms[1], second);
      assert.deepEqual(
        await sortedGarbage(catalog),
        first.objects.slice(1).map((object) => object.key),
      );
    });

    catalogTest('a form for a part that has gone is garbage at once', makeCatalog, async (catalog) => {
      const put = change('f', 'create');
      await catalog.commit(put);
      await catalog.drop(tenant, 'f', null, null, start);
      const parquet = parquetOf(put.part, true);
      await catalog.addForm(put.part.id, parquet);
      await catalog.refuseSettling(put.part.id, 'late');
      await catalog.evict(put.part.id);
      const keys = [put.part.arrow.key, ...parquet.objects.map((object) => object.key)];
      assert.deepEqual(await sortedGarbage(catalog), keys.sort());
    });
  });
}
