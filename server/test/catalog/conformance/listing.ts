import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { SchemaRecord, VersionRecord, VersionSummary } from '../../../src/model/version.ts';
import type { Catalog } from '../../../src/ports/catalog/catalog.ts';
import type { MakeCatalog } from '../catalog-conformance.ts';
import { change, dropOf, schemaOf, start, tenant } from '../change-builder.ts';
import { catalogTest, refused } from './assertions.ts';

export function listingTests(makeCatalog: MakeCatalog): void {
  describe('listing', () => {
    catalogTest(
      'names come in order of their lower-case form, each with its newest version',
      makeCatalog,
      async (catalog) => {
        await createAll(catalog, ['b', 'C', 'a', '_x', 'a-b', 'a.b', 'a1', 'D']);
        await catalog.commit(change('a', 'replace', { schema: schemaOf('q') }));
        const records = await catalog.list(
          tenant,
          { schemas: true, prefix: '', after: null, limit: 100 },
          start,
        );
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
        const page: readonly VersionSummary[] = await catalog.list(
          tenant,
          { prefix: '', after, limit: 7 },
          start,
        );
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
        await catalog.drop(dropOf(tenant, 'a', null, null, start));
        assert.deepEqual(await namesOf(catalog, '', start + 9), ['b', 'c']);
        assert.deepEqual(await namesOf(catalog, '', start + 10), ['b']);
      },
    );

    catalogTest('versions come newest first, in pages', makeCatalog, async (catalog) => {
      await catalog.commit(change('f', 'create'));
      for (let count = 0; count < 4; count++) await catalog.commit(change('f', 'append'));
      await catalog.drop(dropOf(tenant, 'f', 4, null, start));
      const numbers = async (before: number | null, limit: number): Promise<number[]> =>
        (await catalog.versions(tenant, 'f', { before, limit }, start)).map((record) => record.version);
      assert.deepEqual(await numbers(null, 10), [5, 3, 2, 1]);
      assert.deepEqual(await numbers(null, 2), [5, 3]);
      assert.deepEqual(await numbers(3, 2), [2, 1]);
      assert.deepEqual(await numbers(1, 2), []);
    });

    catalogTest('pages with schemas are bounded by their bytes', makeCatalog, async (catalog) => {
      const heavy = Array.from({ length: 12 }, (_, index) => heavySchema(index));
      for (const [index, schema] of heavy.entries()) {
        await catalog.commit(change(`n${10 + index}`, 'create', { schema }));
        await catalog.commit(change('f', 'replace', { schema }));
        await catalog.share(tenant, `n${10 + index}`, 'reader', start);
      }
      const listed = await allPages((last) =>
        catalog.list(tenant, { schemas: true, prefix: 'n', after: last?.name ?? null, limit: 100 }, start),
      );
      const shared = await allPages((last) =>
        catalog.shared('reader', { schemas: true, after: last ?? null, limit: 100 }, start),
      );
      const versions = await allPages((last) =>
        catalog.versions(tenant, 'f', { schemas: true, before: last?.version ?? null, limit: 100 }, start),
      );
      const hashes = heavy.map(({ hash }) => hash);
      assert.deepEqual(listed, hashes);
      assert.deepEqual(shared, hashes);
      assert.deepEqual(versions, hashes.toReversed());
    });

    catalogTest('versions of a name that ended are gone', makeCatalog, async (catalog) => {
      await catalog.commit(change('f', 'create', { expiresAt: start + 10 }));
      const page = { before: null, limit: 5 };
      assert.equal((await catalog.versions(tenant, 'f', page, start + 9)).length, 1);
      await refused(catalog.versions(tenant, 'f', page, start + 10), 'frame_gone');
    });
  });
}

function heavySchema(index: number): SchemaRecord {
  const message = new Uint8Array(1_500_000).fill(index);
  return { ...schemaOf(`x${index}`), message };
}

/** The hashes of the schemas of all pages, none of which may be much larger than 4 MiB. */
async function allPages(
  pageAfter: (last: VersionRecord | undefined) => Promise<readonly VersionRecord[]>,
): Promise<string[]> {
  const hashes: string[] = [];
  for (let last: VersionRecord | undefined; ; ) {
    const page = await pageAfter(last);
    if (page.length === 0) return hashes;
    const bytes = page.reduce((sum, { schema }) => sum + schema.message.byteLength, 0);
    assert.ok(bytes < 6_000_000, `${bytes} bytes of schemas in one page`);
    hashes.push(...page.map(({ schema }) => schema.hash));
    last = page.at(-1);
  }
}

async function createAll(catalog: Catalog, names: readonly string[]): Promise<void> {
  await Promise.all(names.map((name) => catalog.commit(change(name, 'create'))));
}

/** As the list of names and that of versions say alike. */
async function namesOf(catalog: Catalog, prefix: string, now = start): Promise<readonly string[]> {
  const page = { prefix, after: null, limit: 100 };
  const names = await catalog.names(tenant, page, now);
  const records = await catalog.list(tenant, page, now);
  assert.deepEqual(
    records.map((record) => record.name),
    names,
  );
  return names;
}
