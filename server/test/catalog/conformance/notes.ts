import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { type FrameNotes, noNotes, notesId } from '../../../src/model/notes.ts';
import type { Catalog } from '../../../src/ports/catalog/catalog.ts';
import type { MakeCatalog } from '../catalog-conformance.ts';
import { change, dayMs, dropOf, start, tenant, undropOf } from '../change-builder.ts';
import { catalogTest, refused } from './assertions.ts';

const described = (description: string, more: Partial<FrameNotes> = {}): FrameNotes => ({
  ...noNotes,
  description,
  ...more,
});

async function read(catalog: Catalog, name = 'f'): Promise<FrameNotes | null> {
  return (await catalog.notes(tenant, [name], start))[0] ?? null;
}

/** In the place of what is said at the moment. */
async function say(catalog: Catalog, notes: FrameNotes | null, name = 'f', owner = tenant): Promise<void> {
  const [found = null] = await catalog.notes(owner, [name], start);
  const expected = found === null ? null : notesId(found);
  await catalog.setNotes({ tenant: owner, name, notes, expected, setBy: 'someone', now: start });
}

async function search(
  catalog: Catalog,
  text: string,
  fields: { limit?: number; scanMax?: number; after?: string } = {},
) {
  return catalog.search(tenant, { text, after: null, limit: 100, scanMax: 1_000, ...fields }, start);
}

/** What people say of names. */
export function noteTests(makeCatalog: MakeCatalog): void {
  describe('notes', () => {
    catalogTest(
      'what is said of a name stays through its versions, character for character',
      makeCatalog,
      async (catalog) => {
        await catalog.commit(change('f', 'create'));
        assert.equal(await read(catalog), null);
        const columns = {
          b: { comment: 'Größe\n"x" \u{1F600}', unit: null },
          a: { comment: null, unit: 'm/s' },
        };
        const notes = described('1e400 {"a": [1.0]}', { owner: 'Ann', labels: ['b', 'a'], columns });
        await say(catalog, notes);
        await catalog.commit(change('f', 'replace'));
        await catalog.sweep(1, null, start);
        assert.deepEqual(await read(catalog), notes);
        assert.equal(JSON.stringify(await read(catalog)), JSON.stringify(notes));
        await say(catalog, null);
        assert.equal(await read(catalog), null);
      },
    );

    catalogTest('notes of several names are given in their order', makeCatalog, async (catalog) => {
      for (const name of ['A', 'b', 'c']) await catalog.commit(change(name, 'create'));
      await say(catalog, described('of A'), 'A');
      await say(catalog, described('of c'), 'c');
      const found = await catalog.notes(tenant, ['c', 'b', 'none', 'a', 'A'], start);
      assert.deepEqual(
        found.map((each) => each?.description ?? null),
        ['of c', null, null, null, 'of A'],
      );
    });

    catalogTest('only what the caller has read is replaced', makeCatalog, async (catalog) => {
      await catalog.commit(change('f', 'create'));
      const [one, two] = [described('one'), described('two')];
      const set = (notes: FrameNotes | null, expected: string | null) =>
        catalog.setNotes({ tenant, name: 'f', notes, expected, setBy: 'someone', now: start });
      await set(one, null);
      await set(one, null);
      await refused(set(two, null), 'version_mismatch');
      await refused(set(two, notesId(two).slice(1)), 'version_mismatch');
      await set(two, notesId(one));
      await set(two, notesId(one));
      await refused(set(null, notesId(one)), 'version_mismatch');
      await set(null, notesId(two));
      await refused(
        catalog.setNotes({ tenant, name: 'g', notes: one, expected: null, setBy: 'x', now: start }),
        'frame_not_found',
      );
      await refused(
        catalog.setNotes({ tenant: 'b', name: 'f', notes: one, expected: null, setBy: 'x', now: start }),
        'frame_not_found',
      );
    });

    catalogTest(
      'notes come back with a dropped name, and no other frame gets them',
      makeCatalog,
      async (catalog) => {
        await catalog.commit(change('f', 'create'));
        await say(catalog, described('first', { labels: ['old'] }));
        await catalog.drop(dropOf(tenant, 'f', null, null, start, dayMs));
        assert.equal(await read(catalog), null);
        await catalog.undrop(undropOf(tenant, 'f', null, start));
        assert.deepEqual(await read(catalog), described('first', { labels: ['old'] }));
        await catalog.drop(dropOf(tenant, 'f', null, null, start, dayMs));
        await catalog.commit(change('f', 'create'));
        assert.equal(await read(catalog), null);
        await say(catalog, described('second'));
        await catalog.drop(dropOf(tenant, 'f', null, null, start, dayMs));
        await catalog.undrop(undropOf(tenant, 'f', null, start));
        assert.equal((await read(catalog))?.description, 'second');
        await catalog.drop(dropOf(tenant, 'f', null, null, start));
        await catalog.commit(change('f', 'create'));
        assert.equal(await read(catalog), null);
      },
    );

    catalogTest('notes end with the expiry of their name', makeCatalog, async (catalog) => {
      await catalog.commit(change('f', 'create', { expiresAt: start + 10 }));
      await say(catalog, described('short'));
      assert.deepEqual(await catalog.notes(tenant, ['f'], start + 10), [null]);
      await catalog.sweep(10, null, start + 10);
      await catalog.commit(change('f', 'create', { now: start + 11 }));
      assert.equal(await read(catalog), null);
    });

    catalogTest('a search finds names and notes, of one tenant, in order', makeCatalog, async (catalog) => {
      for (const name of ['Beta', 'alpha', 'gamma', 'delta']) await catalog.commit(change(name, 'create'));
      await catalog.commit(change('alpha', 'create', { tenant: 'other' }));
      await say(catalog, described('The ALPHABET 100%_'.toLowerCase()), 'gamma');
      await say(catalog, { ...noNotes, columns: { price: { comment: null, unit: 'USD' } } }, 'delta');
      await say(catalog, described('alpha'), 'alpha', 'other');
      assert.deepEqual(await search(catalog, 'alpha'), { names: ['alpha', 'gamma'], next: null });
      assert.deepEqual((await search(catalog, 'usd')).names, ['delta']);
      assert.deepEqual((await search(catalog, '0%_')).names, ['gamma'], 'no pattern');
      assert.deepEqual((await search(catalog, 'a')).names, ['alpha', 'Beta', 'delta', 'gamma']);
      assert.deepEqual((await search(catalog, 'nothing')).names, []);
      await catalog.drop(dropOf(tenant, 'gamma', null, null, start, dayMs));
      assert.deepEqual((await search(catalog, 'alpha')).names, ['alpha']);
    });

    catalogTest(
      'a page of a search looks at so many names, and says where the next one begins',
      makeCatalog,
      async (catalog) => {
        for (let n = 0; n < 7; n++) await catalog.commit(change(`n${n}`, 'create'));
        for (const n of [1, 5, 6]) await say(catalog, described('wanted'), `n${n}`);
        assert.deepEqual(await search(catalog, 'wanted', { scanMax: 3 }), { names: ['n1'], next: 'n2' });
        assert.deepEqual(await search(catalog, 'wanted', { scanMax: 3, after: 'n2' }), {
          names: ['n5'],
          next: 'n5',
        });
        assert.deepEqual(await search(catalog, 'wanted', { scanMax: 3, after: 'n5' }), {
          names: ['n6'],
          next: null,
        });
        assert.deepEqual(await search(catalog, 'wanted', { limit: 2 }), { names: ['n1', 'n5'], next: 'n5' });
      },
    );

    catalogTest(
      'a change of notes is an event, and one that changes nothing is not',
      makeCatalog,
      async (catalog) => {
        await catalog.commit(change('f', 'create'));
        await say(catalog, described('one'));
        await say(catalog, described('one'));
        await say(catalog, null);
        const { events } = await catalog.events(tenant, 1, 10);
        assert.deepEqual(
          events.map(({ kind, frame }) => [kind, frame.change]),
          [
            ['frame.changed', 'notes'],
            ['frame.changed', 'notes'],
          ],
        );
      },
    );
  });
}
