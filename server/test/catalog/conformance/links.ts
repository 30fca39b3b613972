import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Catalog } from '../../../src/ports/catalog/catalog.ts';
import type { LinkRecord } from '../../../src/ports/catalog/sharing.ts';
import type { MakeCatalog } from '../catalog-conformance.ts';
import { change, dayMs, dropOf, start, tenant, undropOf } from '../change-builder.ts';
import { catalogTest, refused } from './assertions.ts';

function linkOf(id: string, fields: Partial<LinkRecord> = {}): LinkRecord {
  const createdAt = start;
  return {
    id,
    tenant,
    name: 'f',
    version: 1,
    incarnation: 0,
    createdAt,
    createdBy: 'someone',
    expiresAt: start + dayMs,
    ...fields,
  };
}

async function idsOf(catalog: Catalog, now = start): Promise<string[]> {
  return (await catalog.links(tenant, 'f', now)).map(({ id }) => id);
}

/** Signed links: what is kept of them. */
export function linkTests(makeCatalog: MakeCatalog): void {
  describe('links', () => {
    catalogTest('a link is in force until it is revoked', makeCatalog, async (catalog) => {
      await catalog.commit(change('f', 'create'));
      const [first, second] = [linkOf('a'), linkOf('b', { createdAt: start + 1 })];
      await catalog.addLink(first, start);
      await catalog.addLink(second, start);
      assert.deepEqual(await catalog.links(tenant, 'f', start), [second, first]);
      assert.deepEqual(await catalog.revokeLink(tenant, 'f', 'a', start + 2), first);
      assert.deepEqual(await catalog.links(tenant, 'f', start + 2), [second]);
      assert.equal(await catalog.isLinkInForce('a'), false);
      assert.equal(await catalog.isLinkInForce('b'), true);
      assert.equal(await catalog.isLinkInForce('never made'), false);
    });

    catalogTest('adding and revoking are safe to repeat', makeCatalog, async (catalog) => {
      await catalog.commit(change('f', 'create'));
      await catalog.addLink(linkOf('a'), start);
      await catalog.addLink(linkOf('a'), start);
      assert.deepEqual(await idsOf(catalog), ['a']);
      await catalog.revokeLink(tenant, 'f', 'a', start);
      await catalog.revokeLink(tenant, 'f', 'a', start);
      await catalog.addLink(linkOf('a'), start);
      assert.equal(await catalog.isLinkInForce('a'), false, 'a late repetition does not bring it back');
    });

    catalogTest('a link belongs to its name and its tenant', makeCatalog, async (catalog) => {
      await catalog.commit(change('f', 'create'));
      await catalog.commit(change('g', 'create'));
      await catalog.commit(change('f', 'create', { tenant: 'other' }));
      await catalog.addLink(linkOf('a'), start);
      assert.deepEqual(await catalog.links(tenant, 'g', start), []);
      assert.deepEqual(await catalog.links('other', 'f', start), []);
      await refused(catalog.revokeLink(tenant, 'g', 'a', start), 'link_not_found');
      await refused(catalog.revokeLink('other', 'f', 'a', start), 'link_not_found');
      await refused(catalog.revokeLink(tenant, 'f', 'b', start), 'link_not_found');
      assert.equal(await catalog.isLinkInForce('a'), true);
    });

    catalogTest('only a live name has links', makeCatalog, async (catalog) => {
      await refused(catalog.addLink(linkOf('a'), start), 'frame_not_found');
      await refused(catalog.links(tenant, 'f', start), 'frame_not_found');
      await catalog.commit(change('f', 'create', { expiresAt: start + 10 }));
      await catalog.addLink(linkOf('a'), start);
      await refused(catalog.addLink(linkOf('b'), start + 10), 'frame_gone');
      await refused(catalog.links(tenant, 'f', start + 10), 'frame_gone');
      await refused(catalog.revokeLink(tenant, 'f', 'a', start + 10), 'frame_gone');
    });

    catalogTest(
      'what has expired is not listed, and forgotten by the sweep',
      makeCatalog,
      async (catalog) => {
        await catalog.commit(change('f', 'create'));
        await catalog.addLink(linkOf('a', { expiresAt: start + 10 }), start);
        await catalog.addLink(linkOf('b', { expiresAt: start + 11 }), start);
        assert.deepEqual(await idsOf(catalog, start + 10), ['b']);
        await catalog.sweep(10, null, start + 10);
        assert.equal(await catalog.isLinkInForce('a'), false);
        assert.equal(await catalog.isLinkInForce('b'), true);
      },
    );

    catalogTest('links to ended versions are not listed', makeCatalog, async (catalog) => {
      await catalog.commit(change('f', 'create'));
      await catalog.commit(change('f', 'replace'));
      await catalog.addLink(linkOf('a'), start);
      await catalog.addLink(linkOf('b', { version: 2 }), start);
      await catalog.drop(dropOf(tenant, 'f', 1, null, start));
      assert.deepEqual(await idsOf(catalog), ['b']);
      await catalog.drop(dropOf(tenant, 'f', null, null, start, dayMs));
      await catalog.undrop(undropOf(tenant, 'f', null, start));
      assert.deepEqual(await idsOf(catalog), [], 'a link ends when its name is dropped');
      await catalog.addLink(linkOf('c', { version: 2, incarnation: 1 }), start);
      assert.deepEqual(await idsOf(catalog), ['c']);
    });

    catalogTest(
      'a name has a thousand links, and remembers as many revoked ones',
      makeCatalog,
      async (catalog) => {
        await catalog.commit(change('f', 'create'));
        const many = Array.from({ length: 1_000 }, (_, index) => `${index}`);
        await Promise.all(many.map((id) => catalog.addLink(linkOf(id), start)));
        await refused(catalog.addLink(linkOf('more'), start), 'bad_request', /1000 links/);
        await catalog.addLink(linkOf('0'), start);
        assert.equal((await idsOf(catalog)).length, 1_000);
        await Promise.all(many.map((id, at) => catalog.revokeLink(tenant, 'f', id, start + at)));
        await catalog.addLink(linkOf('more'), start);
        await catalog.revokeLink(tenant, 'f', 'more', start + 2_000);
        // The first one is forgotten by now, and still not in force.
        await refused(catalog.revokeLink(tenant, 'f', '0', start), 'link_not_found');
        assert.equal(await catalog.isLinkInForce('0'), false);
        await catalog.revokeLink(tenant, 'f', '1', start);
        // Those that expire make room by themselves.
        await Promise.all(
          many.map((id) => catalog.addLink(linkOf(`x${id}`, { expiresAt: start + 5 }), start)),
        );
        await catalog.addLink(linkOf('later'), start + 5);
      },
    );
  });
}
