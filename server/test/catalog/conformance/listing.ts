import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Catalog } from '../../../src/frames/ports/catalog.ts';
import type { MakeCatalog } from '../catalog-conformance.ts';
import { change, schemaOf, start, tenant } from '../change-builder.ts';
import { catalogTest, refused } from './assertions.ts';

export function listingTests(makeCatalog: MakeCatalog): void {
  describe('listing', () => {
    catalogTest(
      'names come in order of their lower-case form, each with its newest version',
      makeCatalog,
      async (catalog) => {
        await createAll(catalog, ['b', 'C', 'a', '_x', 'a-b', 'a.b', 'a1', 'D']);
        await catalog.commit(change('a', 'replace', { schema: schemaOf('q') }));
        const records = await catalog.list(tenant, { prefix: '', after: null, limit: 100 }, start);
        assert.deepEqual(
          records.map((record) => record.name),
          ['_x', 'a', 'a-b', 'a.b', 'a1', 'b', 'C', 'D'],
        );
        assert.equal(records[1]?.version, 2);
        assert.deepEqual(records[1]?.schema, schemaOf('q'));
      },
    );

    catalogTest('pages follow each other without gap or repetition', makeCatalog, async (catalog) => {
      const names = Array.from({ length: 25 }, (_, index) => `${index % 2 ? 'N' : 'n'}${100 + index}`);
      await createAll(catalog, names);
      const seen: string[] = [];
      for (let after: string | null = null; ; ) {
        const page = await catalog.list(tenant, { prefix: '', after, limit: 7 }, start);
        assert.ok(page.length <= 7);
        seen.push(...page.map((record) => record.name));
        const last = page.at(-1);
        if (!last) break;
        after = last.name.toLowerCase();
      }
      assert.deepEqual(seen, names);
    });

    catalogTest('a prefix is compared without case', makeCatalog, async (catalog) => {
      await createAll(catalog, ['pr', 'Price', 'prices.eu', 'PRICEZ', 'prj', 'q', 'p']);
      assert.deepEqual(await namesOf(catalog, 'pRiCe'), ['Price', 'prices.eu', 'PRICEZ']);
      const page = await catalog.list(tenant, { prefix: 'price', after: 'price', limit: 1 }, start);
      assert.deepEqual(
        page.map((record) => record.name),
        ['prices.eu'],
      );
    });

    catalogTest('a prefix has no wildcards and may be anything', makeCatalog, async (catalog) => {
      await createAll(catalog, ['a_b', 'axb', 'z']);
      assert.deepEqual(await namesOf(catalog, 'a_'), ['a_b']);
      for (const prefix of ['%', 'a%', '*', '\u{10ffff}', 'é', '\0', "'"])
        assert.deepEqual(await namesOf(catalog, prefix), [], prefix);
    });

    catalogTest(
      'ended names are not listed, expired ones not even before the sweep',
      makeCatalog,
      async (catalog) => {
        await createAll(catalog, ['a', 'b']);
        await catalog.commit(change('c', 'create', { expiresAt: start + 10 }));
        await catalog.drop(tenant, 'a', null, null, start);
        assert.deepEqual(await namesOf(catalog, '', start + 9), ['b', 'c']);
        assert.deepEqual(await namesOf(catalog, '', start + 10), ['b']);
      },
    );

    catalogTest('versions come newest first, in pages', makeCatalog, async (catalog) => {
      await catalog.commit(change('f', 'create'));
      for (let count = 0; count < 4; count++) await catalog.commit(change('f', 'append'));
      await catalog.drop(tenant, 'f', 4, null, start);
      const numbers = async (before: number | null, limit: number): Promise<number[]> =>
        (await catalog.versions(tenant, 'f', { before, limit }, start)).map((record) => record.version);
      assert.deepEqual(await numbers(null, 10), [5, 3, 2, 1]);
      assert.deepEqual(await numbers(null, 2), [5, 3]);
      assert.deepEqual(await numbers(3, 2), [2, 1]);
      assert.deepEqual(await numbers(1, 2), []);
    });

    catalogTest('versions of a name that ended are gone', makeCatalog, async (catalog) => {
      await catalog.commit(change('f', 'create', { expiresAt: start + 10 }));
      const page = { before: null, limit: 5 };
      assert.equal((await catalog.versions(tenant, 'f', page, start + 9)).length, 1);
      await refused(catalog.versions(tenant, 'f', page, start + 10), 'frame_gone');
    });
  });
}

async function createAll(catalog: Catalog, names: readonly string[]): Promise<void> {
  await Promise.all(names.map((name) => catalog.commit(change(name, 'create'))));
}

async function namesOf(catalog: Catalog, prefix: string, now = start): Promise<string[]> {
  const records = await catalog.list(tenant, { prefix, after: null, limit: 100 }, now);
  return records.map((record) => record.name);
}
