import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Catalog } from '../../../src/ports/catalog/catalog.ts';
import type { TagChange } from '../../../src/ports/catalog/tags.ts';
import type { MakeCatalog } from '../catalog-conformance.ts';
import { change, dayMs, dropOf, start, tenant, undropOf } from '../change-builder.ts';
import { catalogTest, refused } from './assertions.ts';

/** So many versions of `f`, one after the other. */
async function put(catalog: Catalog, count: number): Promise<void> {
  for (let made = 0; made < count; made++)
    await catalog.commit(change('f', 'replace', { now: start + made }));
}

async function tagged(catalog: Catalog, tag: string, version: number, fields: Partial<TagChange> = {}) {
  const { versionId } = await catalog.resolve(tenant, 'f', version, start);
  return catalog.setTag({
    ...{ tenant, name: 'f', tag, version, versionId, ifVersion: null, setBy: 'someone', now: start },
    ...fields,
  });
}

async function versionOf(catalog: Catalog, tag: string): Promise<number> {
  return (await catalog.taggedVersion(tenant, 'f', tag, start)).version;
}

async function shown(catalog: Catalog): Promise<string[]> {
  return (await catalog.tags(tenant, 'f', start)).map(({ tag, version }) => `${tag} ${version}`);
}

async function kept(catalog: Catalog): Promise<number[]> {
  const page = { before: null, limit: 1000 };
  return (await catalog.versions(tenant, 'f', page, start)).map(({ version }) => version);
}

function removal(tag: string, ifVersion: number | null = null) {
  const expected = ifVersion === null ? null : { version: ifVersion };
  return { tenant, name: 'f', tag, ifVersion: expected, now: start };
}

/** Names for versions, which keep them. */
export function tagTests(makeCatalog: MakeCatalog): void {
  describe('tags', () => {
    catalogTest(
      'a tag names a version, whatever is put after it, until it is moved',
      makeCatalog,
      async (catalog) => {
        await put(catalog, 2);
        const made = await tagged(catalog, 'gold', 1);
        const { versionId } = await catalog.resolve(tenant, 'f', 1, start);
        assert.deepEqual(made, { tag: 'gold', version: 1, versionId, setAt: start, setBy: 'someone' });
        await put(catalog, 1);
        assert.deepEqual(await catalog.taggedVersion(tenant, 'f', 'gold', start), { version: 1, versionId });
        await tagged(catalog, 'gold', 3);
        assert.equal(await versionOf(catalog, 'gold'), 3);
      },
    );

    catalogTest('tags are listed by version, newest first, then in order', makeCatalog, async (catalog) => {
      await put(catalog, 3);
      for (const [tag, version] of [
        ['silver', 1],
        ['b', 3],
        ['Gold', 1],
        ['a', 3],
      ] as const)
        await tagged(catalog, tag, version);
      assert.deepEqual(await shown(catalog), ['a 3', 'b 3', 'Gold 1', 'silver 1']);
      await catalog.commit(change('g', 'create'));
      assert.deepEqual(await catalog.tags(tenant, 'g', start), []);
    });

    catalogTest('what has no tag of this name says which there are', makeCatalog, async (catalog) => {
      await put(catalog, 1);
      await tagged(catalog, 'gold', 1);
      await assert.rejects(catalog.taggedVersion(tenant, 'f', 'Gold', start), {
        kind: 'tag_not_found',
        hint: 'Its tags: f@gold.',
      });
      await refused(catalog.removeTag(removal('other')), 'tag_not_found');
      await refused(catalog.taggedVersion(tenant, 'none', 'gold', start), 'frame_not_found');
      await refused(catalog.tags('another', 'f', start), 'frame_not_found');
    });

    catalogTest(
      'a tagged version is not pruned before its tag goes elsewhere',
      makeCatalog,
      async (catalog) => {
        await put(catalog, 2);
        await tagged(catalog, 'gold', 1);
        await put(catalog, 3);
        await catalog.sweep(2, null, start);
        assert.deepEqual(await kept(catalog), [5, 4, 1]);
        await catalog.sweep(2, start + 3 * dayMs, start + 4 * dayMs);
        assert.deepEqual(await kept(catalog), [5, 1]);
        const pins = await catalog.pins(tenant, 'f', 1, 5, start);
        assert.deepEqual(
          pins.map(({ version, kind, count }) => ({ version, kind, count })),
          [{ version: 1, kind: 'tag', count: 1 }],
        );
        const holding = await catalog.pinned(tenant, 10);
        assert.deepEqual([holding.versions, holding.bytes], [1, 100]);
        await tagged(catalog, 'gold', 5);
        await catalog.sweep(2, start + 3 * dayMs, start + 5 * dayMs);
        assert.deepEqual(await kept(catalog), [5]);
      },
    );

    catalogTest(
      'a version of which the tag was removed is pruned by the next sweep',
      makeCatalog,
      async (catalog) => {
        await put(catalog, 3);
        await tagged(catalog, 'gold', 1);
        await tagged(catalog, 'best', 1);
        await catalog.sweep(1, null, start);
        await catalog.removeTag(removal('gold'));
        await catalog.sweep(1, null, start + 1);
        assert.deepEqual(await kept(catalog), [3, 1], 'it has another tag');
        await catalog.removeTag(removal('best', 1));
        await catalog.sweep(1, null, start + 2);
        assert.deepEqual(await kept(catalog), [3]);
      },
    );

    catalogTest(
      'a tag is moved and removed only from the version that is expected',
      makeCatalog,
      async (catalog) => {
        await put(catalog, 3);
        await tagged(catalog, 'gold', 1, { ifVersion: 'none' });
        const moved = { ifVersion: { version: 1 }, now: start + 1 };
        await refused(
          tagged(catalog, 'gold', 2, { ifVersion: 'none', now: start + 1 }),
          'version_mismatch',
          /names f@1/,
        );
        await refused(tagged(catalog, 'gold', 2, { ifVersion: { version: 3 } }), 'version_mismatch');
        await refused(
          tagged(catalog, 'gold', 2, { ifVersion: { version: 1, versionId: 'x' } }),
          'version_mismatch',
        );
        await refused(
          tagged(catalog, 'new', 2, { ifVersion: { version: 1 } }),
          'version_mismatch',
          /does not exist/,
        );
        assert.equal((await tagged(catalog, 'gold', 2, moved)).version, 2);
        assert.equal(
          (await tagged(catalog, 'gold', 2, moved)).version,
          2,
          'the same change, which is repeated',
        );
        await refused(catalog.removeTag(removal('gold', 1)), 'version_mismatch');
        await catalog.removeTag(removal('gold', 2));
        assert.deepEqual(await shown(catalog), []);
      },
    );

    catalogTest('only what is kept gets a tag', makeCatalog, async (catalog) => {
      await put(catalog, 2);
      const { versionId } = await catalog.resolve(tenant, 'f', 1, start);
      await refused(tagged(catalog, 'gold', 2, { versionId }), 'frame_gone');
      await catalog.sweep(1, null, start);
      await refused(tagged(catalog, 'gold', 2, { version: 1, versionId }), 'frame_gone');
      await refused(tagged(catalog, 'gold', 2, { version: 9 }), 'frame_not_found');
    });

    catalogTest(
      'a frame has at most a hundred tags, and those that it has can be moved',
      makeCatalog,
      async (catalog) => {
        await put(catalog, 2);
        for (let n = 0; n < 100; n++) await tagged(catalog, `t${n}`, 1);
        await refused(tagged(catalog, 'more', 1), 'bad_request', /100 tags/);
        await tagged(catalog, 't7', 2);
        assert.equal(await versionOf(catalog, 't7'), 2);
      },
    );

    catalogTest(
      'a tag ends with its version, and with its name, and comes back with it',
      makeCatalog,
      async (catalog) => {
        await put(catalog, 3);
        await tagged(catalog, 'gold', 1);
        await tagged(catalog, 'best', 2);
        await catalog.drop(dropOf(tenant, 'f', 1, null, start));
        assert.deepEqual(await shown(catalog), ['best 2']);
        await catalog.drop(dropOf(tenant, 'f', null, null, start, dayMs));
        await refused(catalog.taggedVersion(tenant, 'f', 'best', start), 'frame_gone');
        await catalog.undrop(undropOf(tenant, 'f', null, start));
        assert.deepEqual(await shown(catalog), ['best 2']);
        await catalog.sweep(1, null, start);
        assert.deepEqual(await kept(catalog), [3, 2]);
      },
    );

    catalogTest('a name that is put again has none of the tags of before', makeCatalog, async (catalog) => {
      await put(catalog, 2);
      await tagged(catalog, 'gold', 1);
      await catalog.drop(dropOf(tenant, 'f', null, null, start, dayMs));
      await catalog.commit(change('f', 'create'));
      assert.deepEqual(await shown(catalog), []);
      await tagged(catalog, 'gold', 3);
      await catalog.purge(tenant, 'f');
      assert.deepEqual(await shown(catalog), ['gold 3']);
    });

    catalogTest(
      'a change of tags is an event, and one that changes nothing is not',
      makeCatalog,
      async (catalog) => {
        await put(catalog, 2);
        await tagged(catalog, 'gold', 1);
        await tagged(catalog, 'gold', 1, { now: start + 1 });
        await catalog.removeTag(removal('gold'));
        const { events } = await catalog.events(tenant, 2, 10);
        const changes = events.map(({ kind, frame }) => [kind, frame.version, frame.change]);
        assert.deepEqual(changes, [
          ['frame.changed', 2, 'tags'],
          ['frame.changed', 2, 'tags'],
        ]);
      },
    );
  });
}
