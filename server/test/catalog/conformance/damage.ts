import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { MakeCatalog } from '../catalog-conformance.ts';
import { change, dropOf, parquetOf, start, tenant } from '../change-builder.ts';
import { catalogTest, sortedGarbage } from './assertions.ts';

export function damageTests(makeCatalog: MakeCatalog): void {
  describe('damaged objects', () => {
    catalogTest(
      'the only form is remembered as damaged, with the versions that use it',
      makeCatalog,
      async (catalog) => {
        const first = change('f', 'create');
        await catalog.commit(first);
        await catalog.commit(change('f', 'append'));
        const { key } = first.part.arrow;
        assert.deepEqual(await catalog.markDamaged(key, 'corrupt', start), {
          frames: [`${tenant}/f@1,2`],
          recovered: false,
          isNew: true,
          removed: false,
        });
        const quarantined = {
          key,
          fault: 'corrupt',
          frames: [`${tenant}/f@1,2`],
          foundAt: start,
          removed: false,
        };
        assert.deepEqual(await catalog.knownDamage(), [quarantined]);
        assert.equal((await catalog.markDamaged(key, 'corrupt', start + 5))?.isNew, false);
        assert.equal((await catalog.knownDamage())[0]?.foundAt, start);
        const [part, other] = await catalog.parts(tenant, 'f', 2);
        assert.deepEqual([part?.forms[0]?.damaged, other?.forms[0]?.damaged], [true, undefined]);
        assert.deepEqual(
          (await catalog.unsettled(10, Number.POSITIVE_INFINITY, start)).map(({ id }) => id),
          [other?.id],
          'nothing can be made from it',
        );
        await catalog.clearDamage(key);
        assert.deepEqual(await catalog.knownDamage(), []);
        assert.equal((await catalog.parts(tenant, 'f', 1))[0]?.forms[0]?.damaged, undefined);
        assert.equal((await catalog.unsettled(10, Number.POSITIVE_INFINITY, start)).length, 2);
      },
    );

    catalogTest('an Arrow form goes if an exact Parquet form replaces it', makeCatalog, async (catalog) => {
      const put = change('f', 'create');
      await catalog.commit(put);
      const parquet = parquetOf(put.part, true, 2);
      await catalog.addForm(put.part.id, parquet, start);
      assert.equal((await catalog.markDamaged(put.part.arrow.key, 'corrupt', start))?.recovered, true);
      assert.deepEqual((await catalog.parts(tenant, 'f', 1))[0]?.forms, [parquet]);
      assert.deepEqual(await sortedGarbage(catalog), [put.part.arrow.key]);
      assert.equal(await catalog.arrowBytes(), 0);
      const removed = {
        key: put.part.arrow.key,
        fault: 'corrupt',
        frames: [`${tenant}/f@1`],
        foundAt: start,
        removed: true,
      };
      assert.deepEqual(await catalog.knownDamage(), [removed]);
      // Now the other one: nothing is left.
      const last = parquet.objects[1]?.key ?? '';
      assert.equal((await catalog.markDamaged(last, 'missing', start))?.recovered, false);
      assert.equal((await catalog.parts(tenant, 'f', 1))[0]?.forms[0]?.damaged, true);
    });

    catalogTest(
      'a Parquet form is removed if the Arrow form exists, and is made again',
      makeCatalog,
      async (catalog) => {
        for (const exact of [true, false]) {
          const put = change(`f${exact}`, 'create');
          await catalog.commit(put);
          const parquet = parquetOf(put.part, exact, 2);
          await catalog.addForm(put.part.id, parquet, start);
          const damage = await catalog.markDamaged(parquet.objects[0]?.key ?? '', 'corrupt', start);
          assert.deepEqual([damage?.recovered, damage?.isNew], [true, true]);
          assert.deepEqual((await catalog.parts(tenant, `f${exact}`, 1))[0]?.forms.length, 1);
          const keys = parquet.objects.map(({ key }) => key);
          assert.deepEqual(await sortedGarbage(catalog), keys);
          assert.ok(
            (await catalog.unsettled(10, Number.POSITIVE_INFINITY, start)).some(
              ({ id }) => id === put.part.id,
            ),
          );
          await catalog.forget(keys);
        }
      },
    );

    catalogTest(
      'Parquet that is not exact does not replace a damaged Arrow form',
      makeCatalog,
      async (catalog) => {
        const put = change('f', 'create');
        await catalog.commit(put);
        await catalog.addForm(put.part.id, parquetOf(put.part, false), start);
        assert.equal((await catalog.markDamaged(put.part.arrow.key, 'corrupt', start))?.recovered, false);
        assert.equal((await catalog.parts(tenant, 'f', 1))[0]?.forms[0]?.damaged, true);
      },
    );

    catalogTest(
      'what no part has is no damage, and a removed object is forgotten',
      makeCatalog,
      async (catalog) => {
        assert.equal(await catalog.markDamaged('acme/never.arrow', 'missing', start), null);
        const put = change('f', 'create');
        await catalog.commit(put);
        await catalog.markDamaged(put.part.arrow.key, 'corrupt', start);
        await catalog.drop(dropOf(tenant, 'f', null, null, start));
        assert.equal(await catalog.markDamaged(put.part.arrow.key, 'corrupt', start), null);
        await catalog.forget([put.part.arrow.key]);
        assert.deepEqual(await catalog.objects(null, 10), []);
      },
    );

    catalogTest('objects come in order of their keys, in pages', makeCatalog, async (catalog) => {
      const puts = ['a', 'b', 'c'].map((name) => change(name, 'create'));
      for (const put of puts) await catalog.commit(put);
      const expected = puts.map(({ part }) => part.arrow).sort((a, b) => (a.key < b.key ? -1 : 1));
      const page = await catalog.objects(null, 2);
      assert.deepEqual(page, expected.slice(0, 2));
      assert.deepEqual(await catalog.objects(page[1]?.key ?? '', 2), expected.slice(2));
    });

    catalogTest(
      'how far a scrub has come is kept; a sound catalog says nothing',
      makeCatalog,
      async (catalog) => {
        assert.deepEqual(await catalog.scrubState(), { after: null, finishedAt: null });
        await catalog.saveScrubState({ after: 'acme/x.arrow', finishedAt: start });
        assert.deepEqual(await catalog.scrubState(), { after: 'acme/x.arrow', finishedAt: start });
        assert.deepEqual(await catalog.integrity(), []);
      },
    );
  });
}
