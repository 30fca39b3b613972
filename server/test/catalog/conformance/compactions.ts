import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Catalog } from '../../../src/ports/catalog/catalog.ts';
import type { MakeCatalog } from '../catalog-conformance.ts';
import {
  change,
  dropOf,
  parquetOf,
  partOf,
  plainSchema,
  schemaOf,
  start,
  tenant,
} from '../change-builder.ts';
import { catalogTest, garbageOf, partIds, sortedGarbage } from './assertions.ts';

const bounds = { partBytesMax: 1000, runBytesMax: 100_000, runPartsMin: 4, runPartsMax: 100, growthMin: 4 };

/** A frame of this many parts, with the newest `keep` versions. */
async function appended(catalog: Catalog, name: string, parts: number, keep: number): Promise<string[]> {
  const ids: string[] = [];
  for (let count = 0; count < parts; count++) {
    const put = change(name, count === 0 ? 'create' : 'append');
    await catalog.commit(put);
    ids.push(put.part.id);
  }
  await catalog.sweep(keep, null, start);
  return ids;
}

export function compactionTests(makeCatalog: MakeCatalog): void {
  describe('compacting parts', () => {
    catalogTest(
      'one part takes the place of many, and versions say the same',
      makeCatalog,
      async (catalog) => {
        const ids = await appended(catalog, 'f', 10, 2);
        const before = await catalog.versions(tenant, 'f', { before: null, limit: 10 }, start);
        const run = await catalog.compactable(bounds, start);
        assert.equal(run?.tenant, tenant);
        assert.equal(run.schema.hash, plainSchema.hash);
        assert.deepEqual(
          run.parts.map((part) => part.id),
          ids.slice(0, 9),
        );
        const compacted = partOf(90, 700);
        assert.equal(await catalog.compact(ids.slice(0, 9), compacted, start), true);
        assert.deepEqual(await partIds(catalog, 'f', 10), [compacted.id, ids[9]]);
        assert.deepEqual(await partIds(catalog, 'f', 9), [compacted.id]);
        assert.deepEqual(await catalog.versions(tenant, 'f', { before: null, limit: 10 }, start), before);
        assert.equal((await catalog.resolve(tenant, 'f', 10, start)).partCount, 10);
        assert.equal(await catalog.arrowBytes(), 800);
        assert.equal((await garbageOf(catalog, 100)).length, 9);
        assert.equal(await catalog.compactable(bounds, start), null);
      },
    );

    catalogTest(
      'an append and a drop after a compaction go on where the log ended',
      makeCatalog,
      async (catalog) => {
        const ids = await appended(catalog, 'f', 6, 2);
        const compacted = partOf(50, 300);
        assert.equal(await catalog.compact(ids.slice(0, 5), compacted, start), true);
        const next = change('f', 'append');
        assert.equal((await catalog.commit(next)).record.partCount, 7);
        assert.deepEqual(await partIds(catalog, 'f', 7), [compacted.id, ids[5], next.part.id]);
        await catalog.drop(dropOf(tenant, 'f', 7, null, start));
        await catalog.drop(dropOf(tenant, 'f', 6, null, start));
        const again = change('f', 'append');
        await catalog.commit(again);
        assert.deepEqual(await partIds(catalog, 'f', 8), [compacted.id, again.part.id]);
        await catalog.drop(dropOf(tenant, 'f', null, null, start));
        assert.equal(await catalog.arrowBytes(), 0);
        assert.equal((await garbageOf(catalog, 100)).length, 9);
      },
    );

    catalogTest('no kept version ends inside a run', makeCatalog, async (catalog) => {
      const ids = await appended(catalog, 'f', 12, 12);
      assert.equal(await catalog.compactable(bounds, start), null);
      const late = partOf(20, 150);
      assert.equal(await catalog.compact(ids.slice(3, 5), late, start), false);
      assert.deepEqual(await partIds(catalog, 'f', 12), ids);
      assert.deepEqual(await sortedGarbage(catalog), [late.arrow.key]);
      for (const version of [1, 2, 3, 4, 6, 7, 8, 9, 10, 11])
        await catalog.drop(dropOf(tenant, 'f', version, null, start));
      const first = await catalog.compactable(bounds, start);
      assert.deepEqual(
        first?.parts.map((part) => part.id),
        ids.slice(0, 5),
      );
      assert.equal(await catalog.compact(ids.slice(0, 5), partOf(50, 400), start), true);
      const second = await catalog.compactable(bounds, start);
      assert.deepEqual(
        second?.parts.map((part) => part.id),
        ids.slice(5),
      );
    });

    catalogTest(
      'a run has the schema of the first version that has all of it',
      makeCatalog,
      async (catalog) => {
        await appended(catalog, 'f', 5, 1);
        const wider = schemaOf('wider');
        await catalog.commit(change('f', 'append', { schema: wider, baseSchemaHash: plainSchema.hash }));
        assert.equal((await catalog.compactable(bounds, start))?.schema.hash, plainSchema.hash);
        await catalog.sweep(1, null, start);
        assert.equal((await catalog.compactable(bounds, start))?.schema.hash, wider.hash);
      },
    );

    catalogTest('compacting again does nothing', makeCatalog, async (catalog) => {
      const ids = await appended(catalog, 'f', 5, 1);
      const compacted = partOf(50, 300);
      assert.equal(await catalog.compact(ids, compacted, start), true);
      assert.equal(await catalog.compact(ids, compacted, start), true);
      assert.deepEqual(await partIds(catalog, 'f', 5), [compacted.id]);
      assert.equal((await garbageOf(catalog, 100)).length, 5);
      const other = partOf(50, 300);
      assert.equal(await catalog.compact(ids, other, start), false);
      assert.deepEqual(await partIds(catalog, 'f', 5), [compacted.id]);
      assert.ok((await garbageOf(catalog, 100)).includes(other.arrow.key));
    });

    catalogTest('parts that are no neighbours, or of two logs, stay', makeCatalog, async (catalog) => {
      const ids = await appended(catalog, 'f', 5, 1);
      const others = await appended(catalog, 'g', 5, 1);
      const pick = (...indices: number[]) => indices.map((index) => ids[index] as string);
      assert.equal(await catalog.compact(pick(0, 2), partOf(20), start), false);
      assert.equal(await catalog.compact(pick(1, 0), partOf(20), start), false);
      assert.equal(await catalog.compact([...pick(4), ...others.slice(0, 1)], partOf(20), start), false);
      assert.deepEqual(await partIds(catalog, 'f', 5), ids);
    });

    catalogTest(
      'a compaction that would change the number of rows is refused',
      makeCatalog,
      async (catalog) => {
        const ids = await appended(catalog, 'f', 5, 1);
        await assert.rejects(catalog.compact(ids, partOf(49), start), /50 rows/);
        assert.deepEqual(await partIds(catalog, 'f', 5), ids);
      },
    );

    catalogTest('a refused part stays apart', makeCatalog, async (catalog) => {
      const ids = await appended(catalog, 'f', 9, 1);
      await catalog.refuseCompaction(ids[2] as string, 'it has metadata');
      assert.deepEqual(
        (await catalog.compactable(bounds, start))?.parts.map((part) => part.id),
        ids.slice(3),
      );
    });

    catalogTest('logs take turns', makeCatalog, async (catalog) => {
      const f = await appended(catalog, 'f', 5, 1);
      const g = await appended(catalog, 'g', 5, 1);
      const firstOf = async () => (await catalog.compactable(bounds, start))?.parts[0]?.id;
      assert.deepEqual([await firstOf(), await firstOf(), await firstOf()], [f[0], g[0], f[0]]);
    });

    catalogTest('an evicted part can be compacted, by the size it had', makeCatalog, async (catalog) => {
      const ids: string[] = [];
      for (let count = 0; count < 4; count++) {
        const put = change('f', count === 0 ? 'create' : 'append');
        await catalog.commit(put);
        await catalog.addForm(put.part.id, parquetOf(put.part, true), start);
        await catalog.evict(put.part.id);
        ids.push(put.part.id);
      }
      await catalog.sweep(1, null, start);
      const run = await catalog.compactable({ ...bounds, runBytesMax: 400 }, start);
      assert.deepEqual(
        run?.parts.map((part) => part.forms.map((form) => form.kind)),
        [['parquet'], ['parquet'], ['parquet'], ['parquet']],
      );
      assert.equal(await catalog.compact(ids, partOf(40, 300), start), true);
      assert.equal(await catalog.arrowBytes(), 300);
      assert.equal((await garbageOf(catalog, 100)).length, 8);
    });

    catalogTest(
      'small parts behind the first wait before they are transcoded',
      makeCatalog,
      async (catalog) => {
        const ids: string[] = [];
        for (let count = 0; count < 3; count++) {
          const part = partOf(10, count === 2 ? 2 ** 20 : 100);
          await catalog.commit(change('f', count === 0 ? 'create' : 'append', { part, now: start + count }));
          ids.push(part.id);
        }
        const offered = async (before: number) =>
          (await catalog.untranscoded(10, before, start)).map((part) => part.id);
        assert.deepEqual(await offered(start), [ids[0], ids[2]]);
        assert.deepEqual(await offered(start + 1), [ids[0], ids[2], ids[1]]);
        assert.equal((await catalog.untranscoded(1, Number.POSITIVE_INFINITY, start)).length, 1);
      },
    );
  });
}
