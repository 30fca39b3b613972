import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Catalog } from '../../../src/ports/catalog/catalog.ts';
import type { JobPin } from '../../../src/ports/catalog/pins.ts';
import type { LinkRecord } from '../../../src/ports/catalog/sharing.ts';
import type { Commit } from '../../../src/ports/catalog/versions.ts';
import type { MakeCatalog } from '../catalog-conformance.ts';
import { change, dayMs, dropOf, partOf, start, tenant, undropOf } from '../change-builder.ts';
import { catalogTest, refused, sortedGarbage } from './assertions.ts';

const weekMs = 7 * dayMs;
const minuteMs = 60_000;

function linkOf(id: string, version: number, fields: Partial<LinkRecord> = {}): LinkRecord {
  const times = { createdAt: start, expiresAt: start + weekMs };
  return { id, tenant, name: 'f', version, incarnation: 0, createdBy: 'someone', ...times, ...fields };
}

/** So many versions of `f`, made a millisecond after each other; returns the keys of their objects. */
async function versions(
  catalog: Catalog,
  count: number,
  mode: Commit['mode'] = 'replace',
  fields: Partial<Commit> = {},
): Promise<string[]> {
  const keys: string[] = [];
  for (let made = 0; made < count; made++) {
    const part = partOf(10, 100, fields.tenant);
    keys.push(part.arrow.key);
    await catalog.commit(change('f', mode, { now: start + made, ...fields, part }));
  }
  return keys;
}

async function kept(catalog: Catalog, now = start, owner = tenant): Promise<number[]> {
  const page = { before: null, limit: 1000 };
  return (await catalog.versions(owner, 'f', page, now)).map(({ version }) => version);
}

async function jobOf(catalog: Catalog, id: string, version: number): Promise<JobPin> {
  const { versionId } = await catalog.resolve(tenant, 'f', version, start);
  return { id, tenant, name: 'f', version, versionId, kind: 'statement', until: start + dayMs };
}

/** Versions that something names stay, whatever else would end them. */
export function pinTests(makeCatalog: MakeCatalog): void {
  describe('pins', () => {
    catalogTest('a link keeps its version until it expires', makeCatalog, async (catalog) => {
      await catalog.commit(change('f', 'create'));
      await catalog.addLink(linkOf('a', 1), start);
      await versions(catalog, 12, 'append');
      await catalog.sweep(10, null, start + 1);
      assert.deepEqual(await kept(catalog), [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 1]);
      await refused(catalog.resolve(tenant, 'f', 2, start), 'frame_gone', /newer|superseded|replaced/);
      await catalog.sweep(10, null, start + weekMs - 1);
      assert.equal((await catalog.resolve(tenant, 'f', 1, start)).rows, 10);
      await catalog.sweep(10, null, start + weekMs);
      assert.equal((await kept(catalog)).length, 10);
      await refused(catalog.resolve(tenant, 'f', 1, start), 'frame_gone');
    });

    catalogTest('the next sweep prunes a version whose link was revoked', makeCatalog, async (catalog) => {
      const [first, second, ...others] = await versions(catalog, 4);
      await catalog.addLink(linkOf('a', 1), start);
      await catalog.addLink(linkOf('b', 1), start);
      await catalog.addLink(linkOf('c', 2), start);
      await catalog.sweep(1, null, start + 1);
      assert.deepEqual(await kept(catalog), [4, 2, 1]);
      assert.deepEqual(await sortedGarbage(catalog), others.slice(0, 1));
      await catalog.revokeLink(tenant, 'f', 'a', start + 2);
      await catalog.sweep(1, null, start + 3);
      assert.deepEqual(await kept(catalog), [4, 2, 1], 'another link names it');
      await catalog.revokeLink(tenant, 'f', 'b', start + 4);
      await catalog.sweep(1, null, start + 5);
      assert.deepEqual(await kept(catalog), [4, 2]);
      assert.deepEqual(await sortedGarbage(catalog), [first, ...others.slice(0, 1)].sort());
      await catalog.revokeLink(tenant, 'f', 'c', start + 6);
      await catalog.sweep(1, null, start + 7);
      assert.deepEqual(await kept(catalog), [4]);
      assert.deepEqual(await sortedGarbage(catalog), [first, second, ...others.slice(0, 1)].sort());
    });

    catalogTest('age does not end what is pinned, and ends the rest', makeCatalog, async (catalog) => {
      await versions(catalog, 4);
      await catalog.addLink(linkOf('a', 2), start);
      await catalog.sweep(10, start + dayMs, start + dayMs);
      assert.deepEqual(await kept(catalog), [4, 2]);
      await catalog.commit(change('f', 'replace', { now: start + dayMs }));
      await catalog.sweep(10, start + dayMs, start + dayMs + 1);
      assert.deepEqual(await kept(catalog), [5, 2]);
      await catalog.sweep(10, start + dayMs, start + weekMs);
      assert.deepEqual(await kept(catalog), [5]);
    });

    catalogTest('dropping and purging end what is pinned', makeCatalog, async (catalog) => {
      const keys = await versions(catalog, 3);
      await catalog.addLink(linkOf('a', 1), start);
      await catalog.addLink(linkOf('b', 2), start);
      await catalog.drop(dropOf(tenant, 'f', 1, null, start));
      assert.deepEqual(await kept(catalog), [3, 2]);
      await catalog.sweep(1, null, start);
      assert.deepEqual(await kept(catalog), [3, 2]);
      await catalog.drop(dropOf(tenant, 'f', null, null, start, dayMs));
      await refused(catalog.resolve(tenant, 'f', 2, start), 'frame_gone', /dropped/);
      await catalog.purge(tenant, 'f');
      assert.deepEqual(await sortedGarbage(catalog), keys.sort());
      assert.deepEqual(await catalog.pinned(tenant, 10), { versions: 0, bytes: 0, frames: [] });
    });

    catalogTest('a link from before a drop does not pin after it', makeCatalog, async (catalog) => {
      await versions(catalog, 3);
      await catalog.addLink(linkOf('a', 1), start);
      await catalog.drop(dropOf(tenant, 'f', null, null, start, dayMs));
      await catalog.undrop(undropOf(tenant, 'f', null, start));
      await catalog.sweep(1, null, start);
      assert.deepEqual(await kept(catalog), [3]);
    });

    catalogTest('the expiry of the name ends what is pinned', makeCatalog, async (catalog) => {
      await versions(catalog, 3, 'replace', { expiresAt: start + 10 });
      await catalog.addLink(linkOf('a', 1), start);
      await catalog.sweep(1, null, start + 5);
      assert.deepEqual(await kept(catalog, start + 5), [3, 1]);
      await catalog.sweep(1, null, start + 10);
      await refused(catalog.resolve(tenant, 'f', 1, start + 10), 'frame_gone', /expired/);
      await catalog.commit(change('f', 'create', { now: start + 11 }));
      await catalog.sweep(1, null, start + 11);
      assert.deepEqual(await kept(catalog, start + 11), [4], 'the link names a version that has ended');
    });

    catalogTest('a link to a version that has ended is refused', makeCatalog, async (catalog) => {
      await versions(catalog, 3);
      await catalog.sweep(1, null, start + 3);
      await refused(catalog.addLink(linkOf('a', 1), start + 4), 'frame_gone');
      await refused(catalog.addLink(linkOf('a', 4), start + 4), 'frame_not_found');
      assert.deepEqual(await catalog.links(tenant, 'f', start + 4), []);
    });

    catalogTest('pinned bytes count in the quota of their tenant alone', makeCatalog, async (catalog) => {
      const quota = { framesMax: null, bytesMax: 350 };
      await versions(catalog, 3, 'replace', { quota });
      await versions(catalog, 3, 'replace', { tenant: 'other' });
      await catalog.addLink(linkOf('a', 1), start);
      await catalog.addLink(linkOf('b', 2), start);
      await catalog.sweep(1, null, start + 3);
      assert.deepEqual(await kept(catalog), [3, 2, 1]);
      assert.deepEqual(await kept(catalog, start, 'other'), [3], 'the same version of another tenant');
      assert.deepEqual(await catalog.pinned('other', 10), { versions: 0, bytes: 0, frames: [] });
      assert.equal((await catalog.usage(tenant)).bytes, 300);
      await refused(catalog.commit(change('f', 'replace', { quota })), 'quota_exceeded');
      await catalog.revokeLink(tenant, 'f', 'a', start + 4);
      await catalog.sweep(1, null, start + 5);
      assert.equal((await catalog.usage(tenant)).bytes, 200);
      await catalog.commit(change('f', 'replace', { quota }));
    });

    catalogTest('what a tenant holds because of pins is known', makeCatalog, async (catalog) => {
      await versions(catalog, 3);
      await catalog.addLink(linkOf('a', 1), start);
      await catalog.addLink(linkOf('b', 2, { expiresAt: start + dayMs }), start);
      await catalog.commit(change('g', 'create'));
      await catalog.addLink(linkOf('c', 1, { name: 'g' }), start);
      for (let made = 0; made < 3; made++) await catalog.commit(change('g', 'append'));
      await catalog.sweep(1, null, start + 3);
      assert.deepEqual(await catalog.pinned(tenant, 10), {
        versions: 3,
        // The newest version of g needs every part of its log.
        bytes: 200,
        frames: [
          { name: 'f', versions: 2, bytes: 200, until: start + dayMs },
          { name: 'g', versions: 1, bytes: 0, until: start + weekMs },
        ],
      });
      assert.equal((await catalog.pinned(tenant, 1)).frames.length, 1);
      // What is restored is needed by the newest version as well.
      await catalog.restore({
        attempt: 'restored',
        tenant,
        name: 'f',
        version: 1,
        ifVersion: null,
        idempotency: null,
        now: start + 4,
      });
      await catalog.sweep(1, null, start + 5);
      const { frames } = await catalog.pinned(tenant, 1);
      assert.deepEqual(frames, [{ name: 'f', versions: 2, bytes: 100, until: start + dayMs }]);
    });

    catalogTest('the pins of versions are listed, by kind', makeCatalog, async (catalog) => {
      await versions(catalog, 3);
      await catalog.addLink(linkOf('a', 1), start);
      await catalog.addLink(linkOf('b', 1, { expiresAt: start + dayMs }), start);
      await catalog.addLink(linkOf('c', 3), start);
      await catalog.pinForJob(await jobOf(catalog, 'j', 1), start);
      const layout = { etag: 'e', bytes: 8, objects: [], pieces: new Uint8Array(8) };
      await catalog.keepFileLayout(tenant, 'f', 2, layout, start);
      const link = { version: 1, kind: 'link', count: 2, until: start + weekMs };
      const job = { version: 1, kind: 'statement', count: 1, until: start + dayMs };
      const file = { version: 2, kind: 'file', count: 1, until: start + 10 * minuteMs };
      const newest = { version: 3, kind: 'link', count: 1, until: start + weekMs };
      assert.deepEqual(await catalog.pins(tenant, 'f', 1, 3, start), [newest, file, link, job]);
      assert.deepEqual(await catalog.pins(tenant, 'f', 2, 2, start), [file]);
      assert.deepEqual(await catalog.pins(tenant, 'f', 1, 2, start + dayMs), [{ ...link, count: 1 }]);
      await refused(catalog.pins('other', 'f', 1, 3, start), 'frame_not_found');
    });

    catalogTest(
      'a file that is being read keeps its version for ten minutes',
      makeCatalog,
      async (catalog) => {
        await versions(catalog, 3);
        const layout = { etag: 'e', bytes: 8, objects: [], pieces: new Uint8Array(8) };
        await catalog.keepFileLayout(tenant, 'f', 1, layout, start);
        await catalog.sweep(1, null, start + 5);
        assert.deepEqual(await kept(catalog), [3, 1]);
        await catalog.useFileLayout(tenant, 'f', 1, 'e', start + 5 * minuteMs);
        await catalog.sweep(1, null, start + 10 * minuteMs);
        assert.deepEqual(await kept(catalog), [3, 1]);
        await catalog.sweep(1, null, start + 15 * minuteMs);
        assert.deepEqual(await kept(catalog), [3]);
      },
    );

    catalogTest('a job keeps its version until it ends, or for its time', makeCatalog, async (catalog) => {
      await versions(catalog, 3);
      const [first, second] = [await jobOf(catalog, 'a', 1), await jobOf(catalog, 'b', 2)];
      await catalog.pinForJob(first, start);
      await catalog.pinForJob(first, start);
      await catalog.pinForJob(second, start);
      await catalog.sweep(1, null, start + 3);
      assert.deepEqual(await kept(catalog), [3, 2, 1]);
      await catalog.unpinForJob('a', start + 4);
      await catalog.unpinForJob('a', start + 4);
      await catalog.sweep(1, null, start + 5);
      assert.deepEqual(await kept(catalog), [3, 2]);
      await catalog.sweep(1, null, start + dayMs);
      assert.deepEqual(await kept(catalog), [3]);
      await refused(catalog.pinForJob(second, start + dayMs), 'frame_gone');
      await refused(catalog.pinForJob({ ...first, version: 3 }, start), 'frame_not_found');
      await refused(catalog.pinForJob({ ...first, tenant: 'other' }, start), 'frame_not_found');
    });

    catalogTest('a name may keep more versions than the server, or fewer', makeCatalog, async (catalog) => {
      await versions(catalog, 6);
      const more = await catalog.keepVersions(tenant, 'f', 5, start + 6);
      assert.deepEqual([more.version, more.versionsKeep], [6, 5]);
      assert.equal((await catalog.resolve(tenant, 'f', 2, start)).versionsKeep, 5);
      await catalog.sweep(2, null, start + 7);
      assert.deepEqual(await kept(catalog), [6, 5, 4, 3, 2]);
      await catalog.keepVersions(tenant, 'f', 3, start + 8, { version: 6 });
      await refused(catalog.keepVersions(tenant, 'f', 4, start + 8, { version: 5 }), 'version_mismatch');
      await catalog.addLink(linkOf('a', 2), start);
      await catalog.sweep(10, null, start + 9);
      assert.deepEqual(await kept(catalog), [6, 5, 4, 2]);
      const { record } = await catalog.commit(change('f', 'append', { now: start + 10 }));
      assert.equal(record.versionsKeep, 3);
      await catalog.sweep(10, null, start + 11);
      assert.deepEqual(await kept(catalog), [7, 6, 5, 2]);
      assert.equal((await catalog.keepVersions(tenant, 'f', null, start + 12)).versionsKeep, undefined);
      await catalog.sweep(2, null, start + 13);
      assert.deepEqual(await kept(catalog), [7, 6, 2]);
    });

    catalogTest('what a name keeps comes back with it, and ends with it', makeCatalog, async (catalog) => {
      await versions(catalog, 3);
      await catalog.keepVersions(tenant, 'f', 1, start);
      await catalog.drop(dropOf(tenant, 'f', null, null, start, dayMs));
      await catalog.undrop(undropOf(tenant, 'f', null, start));
      assert.equal((await catalog.resolve(tenant, 'f', null, start)).versionsKeep, 1);
      await catalog.drop(dropOf(tenant, 'f', null, null, start));
      const { record } = await catalog.commit(change('f', 'create'));
      assert.equal(record.versionsKeep, undefined);
      await refused(catalog.keepVersions('other', 'f', 1, start), 'frame_not_found');
    });

    catalogTest('setting what a name keeps is an event, once', makeCatalog, async (catalog) => {
      await catalog.commit(change('f', 'create'));
      await catalog.keepVersions(tenant, 'f', 3, start);
      await catalog.keepVersions(tenant, 'f', 3, start);
      const { events } = await catalog.events(tenant, 1, 10);
      assert.deepEqual(
        events.map(({ kind, frame }) => [kind, frame.change]),
        [['frame.changed', 'versionsKeep']],
      );
    });
  });
}
