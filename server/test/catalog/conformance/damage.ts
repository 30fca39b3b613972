import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe } from 'node:test';
import { orderedId } from '../../../src/model/handle.ts';
import type { PartForm } from '../../../src/model/version.ts';
import type { NewPart } from '../../../src/ports/catalog/versions.ts';
import type { MakeCatalog } from '../catalog-conformance.ts';
import { change, dayMs, dropOf, parquetOf, partOf, start, tenant } from '../change-builder.ts';
import { catalogTest, sortedGarbage } from './assertions.ts';

/** Made again: with keys of its own. */
function newParquet(part: NewPart, exact: boolean): PartForm {
  const objects = [{ key: `${tenant}/${randomUUID()}.0.parquet`, bytes: 40, sha256: part.arrow.sha256 }];
  return { kind: 'parquet', objects, exact };
}

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
        });
        const quarantined = {
          key,
          fault: 'corrupt',
          frames: [`${tenant}/f@1,2`],
          foundAt: start,
          state: 'quarantined',
        };
        assert.deepEqual(await catalog.knownDamage(), [quarantined]);
        assert.equal((await catalog.markDamaged(key, 'corrupt', start + 5))?.isNew, false);
        assert.equal((await catalog.knownDamage())[0]?.foundAt, start);
        const [part, other] = await catalog.parts(tenant, 'f', 2);
        assert.deepEqual([part?.forms[0]?.damaged, other?.forms[0]?.damaged], [true, undefined]);
        assert.deepEqual(
          (await catalog.untranscoded(10, Number.POSITIVE_INFINITY, start)).map(({ id }) => id),
          [other?.id],
          'nothing can be made from it',
        );
        await catalog.clearDamage(key);
        assert.deepEqual(await catalog.knownDamage(), []);
        assert.equal((await catalog.parts(tenant, 'f', 1))[0]?.forms[0]?.damaged, undefined);
        assert.equal((await catalog.untranscoded(10, Number.POSITIVE_INFINITY, start)).length, 2);
      },
    );

    catalogTest(
      'a damaged Arrow form stays and is not read, also beside an exact Parquet form',
      makeCatalog,
      async (catalog) => {
        const put = change('f', 'create');
        await catalog.commit(put);
        const parquet = parquetOf(put.part, true, 2);
        await catalog.addForm(put.part.id, parquet, start);
        const { key } = put.part.arrow;
        assert.equal((await catalog.markDamaged(key, 'corrupt', start))?.recovered, true);
        const [arrow, other] = (await catalog.parts(tenant, 'f', 1))[0]?.forms ?? [];
        assert.deepEqual([arrow?.damaged, other], [true, parquet]);
        assert.deepEqual(await sortedGarbage(catalog), [], 'nothing is removed');
        assert.deepEqual(await catalog.evictable(10), [], 'nor evicted, which would remove it');
        assert.deepEqual(await catalog.quarantined(null, 10), [
          { ...put.part.arrow, foundAt: start, isReplaced: false, instead: parquet.objects },
        ]);
        // Now the other one: nothing is left.
        const last = parquet.objects[1]?.key ?? '';
        assert.equal((await catalog.markDamaged(last, 'missing', start))?.recovered, false);
        assert.deepEqual(
          (await catalog.quarantined(null, 10)).map(({ instead }) => instead),
          [null, null],
        );
        assert.equal(await catalog.clearDamage(key), true);
        assert.equal(await catalog.clearDamage(key), false);
        const [healed] = (await catalog.parts(tenant, 'f', 1))[0]?.forms ?? [];
        assert.deepEqual(healed, { kind: 'arrow', objects: [put.part.arrow], exact: true });
      },
    );

    catalogTest(
      'a damaged Parquet form is made again from Arrow, and what was damaged stays with its part',
      makeCatalog,
      async (catalog) => {
        for (const exact of [true, false]) {
          const name = `f${exact}`;
          const put = change(name, 'create');
          await catalog.commit(put);
          const parquet = parquetOf(put.part, exact, 2);
          const keys = parquet.objects.map((object) => object.key);
          await catalog.addForm(put.part.id, parquet, start);
          const damage = await catalog.markDamaged(keys[0] ?? '', 'corrupt', start);
          assert.deepEqual([damage?.recovered, damage?.isNew], [true, true]);
          const waiting = await catalog.untranscoded(10, Number.POSITIVE_INFINITY, start);
          assert.deepEqual(
            waiting.map(({ id }) => id),
            [put.part.id],
          );
          for (let time = 1; time <= 2; time++) {
            const again = newParquet(put.part, exact);
            assert.equal(await catalog.addForm(put.part.id, again, start + time), true);
            const forms = (await catalog.parts(tenant, name, 1))[0]?.forms ?? [];
            assert.deepEqual(forms[1], again);
            assert.deepEqual(await catalog.untranscoded(10, Number.POSITIVE_INFINITY, start), []);
            await catalog.markDamaged(again.objects[0]?.key ?? '', 'corrupt', start);
          }
          assert.deepEqual(await sortedGarbage(catalog), [], 'nothing is removed');
          assert.deepEqual([...(await catalog.known(keys))].sort(), keys, 'and nothing is an orphan');
          const all = (await catalog.objects(null, 100)).map(({ key }) => key);
          assert.deepEqual(
            keys.filter((key) => all.includes(key)),
            [],
            'they are not objects of a form any more',
          );
          const replaced = (await catalog.quarantined(null, 100)).filter((object) => object.isReplaced);
          assert.equal(replaced.length, 3, 'two files of the first form, one of the second');
          assert.deepEqual(replaced[0]?.instead, [put.part.arrow]);
          assert.equal(await catalog.clearDamage(keys[0] ?? ''), false, 'it is needed no more');
          const states = (await catalog.knownDamage()).map(({ state }) => state).sort();
          assert.deepEqual(states, ['quarantined', 'replaced', 'replaced', 'replaced']);
          await catalog.drop(dropOf(tenant, name, null, null, start));
          assert.equal((await sortedGarbage(catalog)).length, 5, 'they go with their part');
          await catalog.forget(await sortedGarbage(catalog));
        }
      },
    );

    catalogTest(
      'a damaged form is removed a day after it was found, if the part is read from what was compared',
      makeCatalog,
      async (catalog) => {
        const put = change('f', 'create');
        await catalog.commit(put);
        const parquet = parquetOf(put.part, true, 2);
        const instead = parquet.objects.map((object) => object.key);
        await catalog.addForm(put.part.id, parquet, start);
        const { key } = put.part.arrow;
        assert.equal(await catalog.removeDamaged(key, instead, start, start), false, 'it is not damaged');
        await catalog.markDamaged(key, 'corrupt', start);
        assert.equal(await catalog.removeDamaged(key, instead, start - 1, start), false, 'too early');
        assert.equal(await catalog.removeDamaged(key, instead.slice(1), start, start), false, 'not those');
        await catalog.markDamaged(instead[0] ?? '', 'corrupt', start);
        assert.equal(await catalog.removeDamaged(key, instead, start, start), false, 'damaged, too');
        await catalog.clearDamage(instead[0] ?? '');
        assert.deepEqual(await sortedGarbage(catalog), []);
        assert.equal(await catalog.removeDamaged(key, instead, start, start + dayMs), true);
        assert.equal(await catalog.removeDamaged(key, instead, start, start + dayMs), false);
        assert.deepEqual((await catalog.parts(tenant, 'f', 1))[0]?.forms, [parquet]);
        assert.deepEqual(await sortedGarbage(catalog), [key]);
        assert.equal(await catalog.arrowBytes(), 0);
        assert.deepEqual(await catalog.knownDamage(), [
          { key, fault: 'corrupt', frames: [`${tenant}/f@1`], foundAt: start + dayMs, state: 'removed' },
        ]);
      },
    );

    catalogTest(
      'a file of a replaced form is removed by itself, and the form that took its place stays',
      makeCatalog,
      async (catalog) => {
        const put = change('f', 'create');
        await catalog.commit(put);
        const parquet = parquetOf(put.part, true, 2);
        const [damaged = '', beside = ''] = parquet.objects.map((object) => object.key);
        await catalog.addForm(put.part.id, parquet, start);
        await catalog.markDamaged(damaged, 'corrupt', start);
        const again = newParquet(put.part, true);
        await catalog.addForm(put.part.id, again, start + 5);
        const instead = [put.part.arrow.key];
        assert.equal(await catalog.removeDamaged(beside, instead, start, start), false, 'noted later');
        assert.equal(await catalog.removeDamaged(damaged, instead, start, start), true);
        assert.deepEqual(await sortedGarbage(catalog), [damaged]);
        assert.equal(await catalog.removeDamaged(beside, instead, start + 5, start + 5), true);
        assert.deepEqual(await sortedGarbage(catalog), [damaged, beside].sort());
        const forms = (await catalog.parts(tenant, 'f', 1))[0]?.forms ?? [];
        assert.deepEqual(forms[1], again);
        assert.deepEqual(await catalog.integrity(), []);
      },
    );

    catalogTest(
      'nothing is made of a part with a damaged form that would remove it: no compaction, no compressed copy',
      makeCatalog,
      async (catalog) => {
        const limits = {
          partBytesMax: 1_000,
          runBytesMax: 10_000,
          runPartsMin: 3,
          runPartsMax: 10,
          growthMin: 1,
        };
        const puts = Array.from({ length: 4 }, (_, index) => change('f', index === 0 ? 'create' : 'append'));
        for (const put of puts) await catalog.commit(put);
        await catalog.sweep(1, null, start);
        const [, , third] = puts;
        if (third === undefined) throw new Error('there are four');
        await catalog.addForm(third.part.id, parquetOf(third.part, false), start);
        assert.equal((await catalog.unpacked(10, start)).length, 1);
        const before = await catalog.compactable(limits, start);
        assert.equal(before?.parts.length, 4);
        await catalog.markDamaged(third.part.arrow.key, 'corrupt', start);
        assert.deepEqual(await catalog.unpacked(10, start), []);
        assert.equal(await catalog.compactable(limits, start), null);
        const ids = before?.parts.map(({ id }) => id) ?? [];
        const compacted = { ...partOf(40), id: orderedId() };
        assert.equal(
          await catalog.compact(ids, compacted, Date.now()),
          false,
          'damaged since it was offered',
        );
        assert.deepEqual(await sortedGarbage(catalog), [compacted.arrow.key]);
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
