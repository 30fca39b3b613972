import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { MakeCatalog } from '../catalog-conformance.ts';
import {
  change,
  dropOf,
  packedOf,
  parquetOf,
  parquetPartOf,
  partOf,
  start,
  tenant,
} from '../change-builder.ts';
import { catalogTest, sortedGarbage } from './assertions.ts';

export function partTests(makeCatalog: MakeCatalog): void {
  describe('parts and their forms', () => {
    catalogTest('a new part has its Arrow form and is untranscoded', makeCatalog, async (catalog) => {
      const put = change('f', 'create');
      await catalog.commit(put);
      const part = {
        id: put.part.id,
        rows: 10,
        forms: [{ kind: 'arrow', objects: [put.part.arrow], exact: true }],
      };
      assert.deepEqual(await catalog.parts(tenant, 'f', 1), [part]);
      assert.deepEqual(await catalog.untranscoded(10, Number.POSITIVE_INFINITY, start), [part]);
      assert.deepEqual(await catalog.evictable(10), []);
    });

    catalogTest(
      'a part that came as Parquet has only that form, is transcoded, and counts with its bytes',
      makeCatalog,
      async (catalog) => {
        const part = parquetPartOf(7, 50, tenant, 12);
        const { record } = await catalog.commit({ ...change('f', 'create'), part });
        assert.equal(record.rows, 7);
        assert.equal(record.bytes, 600);
        const found = {
          id: part.id,
          rows: 7,
          forms: [{ kind: 'parquet', objects: part.parquet, exact: true }],
        };
        assert.deepEqual(await catalog.parts(tenant, 'f', 1), [found]);
        assert.deepEqual(await catalog.untranscoded(10, Number.POSITIVE_INFINITY, start), []);
        assert.deepEqual(await catalog.transcodingBacklog(tenant, 10), { parts: 0, bytes: 0 });
        assert.deepEqual(await catalog.evictable(10), []);
        assert.deepEqual(await catalog.usage(tenant), { frames: 1, bytes: 600 });
        assert.deepEqual(
          await catalog.known(part.parquet.map(({ key }) => key)),
          part.parquet.map(({ key }) => key),
        );
        assert.deepEqual(await catalog.integrity(), []);
      },
    );

    catalogTest('parts of both kinds follow each other in one version', makeCatalog, async (catalog) => {
      const first = change('f', 'create');
      await catalog.commit(first);
      const part = parquetPartOf(5, 50);
      const { record } = await catalog.commit({ ...change('f', 'append'), part });
      assert.equal(record.rows, 15);
      assert.equal(record.bytes, 150);
      const parts = await catalog.parts(tenant, 'f', 2);
      assert.deepEqual(
        parts.map(({ forms }) => forms.map(({ kind }) => kind)),
        [['arrow'], ['parquet']],
      );
      const between = await catalog.partsBetween(tenant, 'f', 2, 12, 14);
      assert.deepEqual([between.rowsBefore, between.parts.map(({ id }) => id)], [10, [part.id]]);
    });

    catalogTest('what a dropped frame had as Parquet becomes garbage', makeCatalog, async (catalog) => {
      const part = parquetPartOf(5, 50, tenant, 3);
      await catalog.commit({ ...change('f', 'create'), part });
      await catalog.drop(dropOf(tenant, 'f', null, null, start));
      assert.deepEqual(await sortedGarbage(catalog), part.parquet.map(({ key }) => key).sort());
      assert.deepEqual(await catalog.usage(tenant), { frames: 0, bytes: 0 });
    });

    catalogTest(
      'a commit of Parquet that is over the quota changes nothing',
      makeCatalog,
      async (catalog) => {
        const quota = { framesMax: null, bytesMax: 149 };
        const part = parquetPartOf(5, 50, tenant, 3);
        await assert.rejects(catalog.commit({ ...change('f', 'create'), part, quota }), {
          kind: 'quota_exceeded',
        });
        assert.deepEqual(await catalog.usage(tenant), { frames: 0, bytes: 0 });
        assert.deepEqual(await catalog.known(part.parquet.map(({ key }) => key)), []);
      },
    );

    catalogTest('untranscoded parts come oldest first, within the limit', makeCatalog, async (catalog) => {
      const ids: string[] = [];
      for (let count = 0; count < 4; count++) {
        const put = change(`f${9 - count}`, 'create');
        await catalog.commit(put);
        ids.push(put.part.id);
      }
      assert.deepEqual(
        (await catalog.untranscoded(3, Number.POSITIVE_INFINITY, start)).map((part) => part.id),
        ids.slice(0, 3),
      );
    });

    catalogTest(
      'the backlog of a tenant is what waits to be transcoded, among the oldest',
      makeCatalog,
      async (catalog) => {
        const first = change('f', 'create');
        const second = change('f', 'append');
        const foreign = { ...change('f', 'create'), tenant: 'other' };
        for (const put of [first, second, foreign]) await catalog.commit(put);
        const bytes = first.part.arrow.bytes;
        assert.deepEqual(await catalog.transcodingBacklog(tenant, 10), {
          parts: 2,
          bytes: bytes + second.part.arrow.bytes,
        });
        assert.deepEqual(await catalog.transcodingBacklog('other', 10), {
          parts: 1,
          bytes: foreign.part.arrow.bytes,
        });
        assert.deepEqual(await catalog.transcodingBacklog(tenant, 1), { parts: 1, bytes });
        assert.deepEqual(await catalog.transcodingBacklog('nobody', 10), { parts: 0, bytes: 0 });
        await catalog.addForm(first.part.id, parquetOf(first.part, true, 12), start);
        await catalog.refuseTranscoding(second.part.id, 'a reason', start);
        assert.deepEqual(await catalog.transcodingBacklog(tenant, 10), { parts: 0, bytes: 0 });
      },
    );

    catalogTest(
      'the whole backlog is what waits to be transcoded, compacted and removed, counted up to a limit',
      makeCatalog,
      async (catalog) => {
        const nothing = {
          untranscodedParts: 0,
          untranscodedBytes: 0,
          untranscodedSince: null,
          uncompactedLogs: 0,
          garbageObjects: 0,
        };
        assert.deepEqual(await catalog.backlog(10), nothing);
        const first = { ...change('f', 'create'), now: start + 5 };
        const second = { ...change('f', 'append'), now: start + 7 };
        const foreign = { ...change('g', 'create'), tenant: 'other', now: start + 9 };
        for (const put of [first, second, foreign]) await catalog.commit(put);
        const bytes = [first, second, foreign].map(({ part }) => part.arrow.bytes);
        const [one = 0, two = 0, three = 0] = bytes;
        assert.deepEqual(await catalog.backlog(10), {
          untranscodedParts: 3,
          untranscodedBytes: one + two + three,
          untranscodedSince: start + 5,
          uncompactedLogs: 1,
          garbageObjects: 0,
        });
        assert.equal((await catalog.backlog(2)).untranscodedParts, 2);
        await catalog.addForm(first.part.id, parquetOf(first.part, true, 2), start);
        await catalog.evict(first.part.id);
        await catalog.refuseTranscoding(second.part.id, 'a reason', start);
        assert.deepEqual(await catalog.backlog(10), {
          untranscodedParts: 1,
          untranscodedBytes: three,
          untranscodedSince: start + 9,
          uncompactedLogs: 1,
          garbageObjects: 1,
        });
        await catalog.drop(dropOf(tenant, 'f', null, null, start));
        assert.deepEqual((await catalog.backlog(10)).garbageObjects, 4);
        assert.equal((await catalog.backlog(2)).garbageObjects, 2);
      },
    );

    catalogTest('a transcoded part has both forms, files in order', makeCatalog, async (catalog) => {
      const put = change('f', 'create');
      await catalog.commit(put);
      const parquet = parquetOf(put.part, true, 12);
      await catalog.addForm(put.part.id, parquet, start);
      const [part] = await catalog.parts(tenant, 'f', 1);
      assert.deepEqual(part?.forms, [{ kind: 'arrow', objects: [put.part.arrow], exact: true }, parquet]);
      assert.deepEqual(await catalog.untranscoded(10, Number.POSITIVE_INFINITY, start), []);
      assert.deepEqual(await catalog.evictable(10), [part]);
    });

    catalogTest('a Parquet form without files is a form', makeCatalog, async (catalog) => {
      const put = change('f', 'create');
      await catalog.commit(put);
      await catalog.addForm(put.part.id, { kind: 'parquet', objects: [], exact: false }, start);
      const [part] = await catalog.parts(tenant, 'f', 1);
      assert.deepEqual(part?.forms[1], { kind: 'parquet', objects: [], exact: false });
      assert.deepEqual(await catalog.untranscoded(10, Number.POSITIVE_INFINITY, start), []);
    });

    catalogTest('an inexact Parquet form does not let the Arrow form go', makeCatalog, async (catalog) => {
      const put = change('f', 'create');
      await catalog.commit(put);
      await catalog.addForm(put.part.id, parquetOf(put.part, false), start);
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
      await catalog.addForm(put.part.id, parquet, start);
      await catalog.evict(put.part.id);
      assert.deepEqual((await catalog.parts(tenant, 'f', 1))[0]?.forms, [parquet]);
      assert.equal(await catalog.arrowBytes(), 100);
      assert.deepEqual(await sortedGarbage(catalog), [put.part.arrow.key]);
      assert.deepEqual(await catalog.evictable(10), []);
      await catalog.evict(put.part.id);
      assert.equal(await catalog.arrowBytes(), 100);
      assert.equal((await catalog.resolve(tenant, 'f', 1, start)).bytes, 100);
    });

    catalogTest('a refused part is not offered for transcoding again', makeCatalog, async (catalog) => {
      const put = change('f', 'create');
      await catalog.commit(put);
      await catalog.refuseTranscoding(put.part.id, 'a union', start);
      assert.deepEqual(await catalog.untranscoded(10, Number.POSITIVE_INFINITY, start), []);
      assert.equal((await catalog.parts(tenant, 'f', 1))[0]?.forms.length, 1);
    });

    catalogTest('a form of a kind that is there stays', makeCatalog, async (catalog) => {
      const put = change('f', 'create');
      await catalog.commit(put);
      const first = parquetOf(put.part, false, 3);
      assert.equal(await catalog.addForm(put.part.id, first, start), true);
      const second = parquetOf(partOf(), true, 1);
      assert.equal(await catalog.addForm(put.part.id, second, start), false);
      assert.deepEqual((await catalog.parts(tenant, 'f', 1))[0]?.forms[1], first);
      assert.deepEqual(
        await sortedGarbage(catalog),
        second.objects.map((object) => object.key),
      );
    });

    catalogTest('a form for a part that has gone is garbage at once', makeCatalog, async (catalog) => {
      const put = change('f', 'create');
      await catalog.commit(put);
      await catalog.drop(dropOf(tenant, 'f', null, null, start));
      const parquet = parquetOf(put.part, true);
      await catalog.addForm(put.part.id, parquet, start);
      await catalog.refuseTranscoding(put.part.id, 'late', start);
      await catalog.evict(put.part.id);
      const keys = [put.part.arrow.key, ...parquet.objects.map((object) => object.key)];
      assert.deepEqual(await sortedGarbage(catalog), keys.sort());
    });

    catalogTest('an object that is replaced becomes garbage', makeCatalog, async (catalog) => {
      const put = change('f', 'create');
      await catalog.commit(put);
      const packed = packedOf(put.part);
      assert.equal(await catalog.replaceArrow(put.part.id, put.part.arrow.key, packed, 9), true);
      const form = { kind: 'arrow', objects: [packed], exact: true };
      assert.deepEqual((await catalog.parts(tenant, 'f', 1))[0]?.forms, [form]);
      assert.deepEqual(await sortedGarbage(catalog), [put.part.arrow.key]);
    });

    catalogTest('a form that was replaced meanwhile stays', makeCatalog, async (catalog) => {
      const put = change('f', 'create');
      await catalog.commit(put);
      const [first, second] = [packedOf(partOf()), packedOf(partOf())];
      const { key } = put.part.arrow;
      assert.equal(await catalog.replaceArrow(put.part.id, key, first, 9), true);
      assert.equal(await catalog.replaceArrow(put.part.id, key, second, 9), false);
      assert.deepEqual((await catalog.parts(tenant, 'f', 1))[0]?.forms[0]?.objects, [first]);
      assert.deepEqual(await sortedGarbage(catalog), [key, second.key].sort());
    });

    catalogTest(
      'an Arrow form is offered for packing only if it stays for good',
      makeCatalog,
      async (catalog) => {
        const puts = ['untranscoded', 'exact', 'inexact', 'refused'].map((name) => change(name, 'create'));
        for (const put of puts) await catalog.commit(put);
        const [, exact, inexact, refused] = puts.map(({ part }) => part);
        assert.ok(exact && inexact && refused);
        await catalog.addForm(exact.id, parquetOf(exact, true), start);
        await catalog.addForm(inexact.id, parquetOf(inexact, false), start);
        await catalog.refuseTranscoding(refused.id, 'a union', start);
        const ids = async () => (await catalog.unpacked(10, start)).map((part) => part.id);
        assert.deepEqual(await ids(), [inexact.id, refused.id]);
        await catalog.keepArrow(refused.id, 3);
        await catalog.replaceArrow(inexact.id, inexact.arrow.key, packedOf(inexact), 3);
        assert.deepEqual(await ids(), []);
        assert.equal(await catalog.arrowBytes(), 340);
        assert.deepEqual(await sortedGarbage(catalog), [inexact.arrow.key]);
        assert.equal((await catalog.resolve(tenant, 'inexact', 1, start)).bytes, 100);
      },
    );

    catalogTest('a form that has gone is not brought back', makeCatalog, async (catalog) => {
      const put = change('f', 'create');
      await catalog.commit(put);
      await catalog.addForm(put.part.id, parquetOf(put.part, true), start);
      await catalog.evict(put.part.id);
      const [late, gone] = [packedOf(put.part), packedOf(put.part)];
      await catalog.replaceArrow(put.part.id, put.part.arrow.key, late, 3);
      assert.equal((await catalog.parts(tenant, 'f', 1))[0]?.forms.length, 1);
      assert.equal(await catalog.arrowBytes(), 0);
      assert.deepEqual(await sortedGarbage(catalog), [late.key, put.part.arrow.key].sort());
      await catalog.drop(dropOf(tenant, 'f', null, null, start));
      await catalog.replaceArrow(put.part.id, put.part.arrow.key, gone, 3);
      await catalog.keepArrow(put.part.id, 3);
      assert.ok((await sortedGarbage(catalog)).includes(gone.key));
    });
  });
}
