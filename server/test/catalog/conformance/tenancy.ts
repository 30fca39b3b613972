import assert from 'node:assert/strict';
import type { VersionSummary } from '../../../src/model/version.ts';
import type { Catalog } from '../../../src/ports/catalog/catalog.ts';
import { change, dropOf, parquetOf, partOf, tenant } from '../change-builder.ts';
import { catalogTest, refused } from './assertions.ts';

type MakeCatalog = () => Promise<Catalog>;

const whole = { after: null, limit: 100 };

async function sharedNames(catalog: Catalog, reader: string, now = 1): Promise<string[]> {
  const records = await catalog.shared(reader, whole, now);
  return records.map((record) => `${record.tenant}:${record.name}@${record.version}`);
}

/** Sharing with other tenants, and what each tenant holds. */
export function tenancyTests(makeCatalog: MakeCatalog): void {
  catalogTest(
    'what is stored for a tenant has all forms, and nothing of others',
    makeCatalog,
    async (catalog) => {
      const put = change('f', 'create');
      const others = ['a', `${tenant}s`, `${tenant}-2`, 'zz'].map((other) => {
        const theirs = change('f', 'create', { part: partOf(3, 77, other) });
        return { ...theirs, tenant: other };
      });
      for (const each of [put, ...others]) await catalog.commit(each);
      const { bytes } = put.part.arrow;
      assert.deepEqual(await catalog.storedBytes(tenant, 10), { arrow: bytes, parquet: 0, isWhole: true });
      const form = parquetOf(put.part, true, 2);
      await catalog.addForm(put.part.id, form, 1);
      const parquet = form.objects.reduce((sum, object) => sum + object.bytes, 0);
      assert.deepEqual(await catalog.storedBytes(tenant, 10), { arrow: bytes, parquet, isWhole: true });
      assert.equal((await catalog.storedBytes(tenant, 2)).isWhole, false);
      await catalog.evict(put.part.id);
      assert.deepEqual(await catalog.storedBytes(tenant, 10), { arrow: 0, parquet, isWhole: true });
      assert.deepEqual(await catalog.storedBytes('nobody', 10), { arrow: 0, parquet: 0, isWhole: true });
    },
  );

  catalogTest('a share is for one reader and one name, until it is ended', makeCatalog, async (catalog) => {
    await catalog.commit(change('f', 'create'));
    await catalog.commit(change('g', 'create'));
    assert.deepEqual(await catalog.share(tenant, 'f', 'b', 1), ['b']);
    assert.deepEqual(await catalog.share(tenant, 'f', 'a-reader', 1), ['a-reader', 'b']);
    assert.deepEqual(await catalog.share(tenant, 'f', 'b', 1), ['a-reader', 'b']);
    assert.equal(await catalog.isShared(tenant, 'f', 'b'), true);
    assert.equal(await catalog.isShared(tenant, 'F', 'b'), false);
    assert.equal(await catalog.isShared(tenant, 'g', 'b'), false);
    assert.equal(await catalog.isShared(tenant, 'f', 'c'), false);
    assert.equal(await catalog.isShared('b', 'f', tenant), false);
    assert.deepEqual(await catalog.unshare(tenant, 'f', 'b', 1), ['a-reader']);
    assert.equal(await catalog.isShared(tenant, 'f', 'b'), false);
    assert.deepEqual(await catalog.shares(tenant, 'f', 1), ['a-reader']);
  });

  catalogTest('a share goes on with new versions, and ends with the name', makeCatalog, async (catalog) => {
    await catalog.commit(change('f', 'create'));
    await catalog.share(tenant, 'f', 'b', 1);
    await catalog.commit(change('f', 'replace'));
    assert.deepEqual(await sharedNames(catalog, 'b'), [`${tenant}:f@2`]);
    await catalog.drop(dropOf(tenant, 'f', null, null, 2));
    assert.equal(await catalog.isShared(tenant, 'f', 'b'), false);
    await catalog.commit(change('f', 'create'));
    assert.equal(await catalog.isShared(tenant, 'f', 'b'), false, 'a new frame of the name is nobody else’s');
    assert.deepEqual(await sharedNames(catalog, 'b'), []);
  });

  catalogTest('what has expired is shared with nobody', makeCatalog, async (catalog) => {
    await catalog.commit(change('f', 'create', { expiresAt: 100, now: 1 }));
    await catalog.share(tenant, 'f', 'b', 1);
    assert.deepEqual(await sharedNames(catalog, 'b', 99), [`${tenant}:f@1`]);
    assert.deepEqual(await sharedNames(catalog, 'b', 100), []);
    await catalog.sweep(10, null, 200);
    await catalog.commit(change('f', 'create', { now: 201 }));
    assert.equal(await catalog.isShared(tenant, 'f', 'b'), false);
  });

  catalogTest('only a live name can be shared', makeCatalog, async (catalog) => {
    await refused(catalog.share(tenant, 'f', 'b', 1), 'frame_not_found');
    await refused(catalog.shares(tenant, 'f', 1), 'frame_not_found');
    await catalog.commit(change('f', 'create'));
    await catalog.drop(dropOf(tenant, 'f', null, null, 2));
    await refused(catalog.share(tenant, 'f', 'b', 3), 'frame_gone');
  });

  catalogTest('what is shared with a tenant comes in pages', makeCatalog, async (catalog) => {
    for (const owner of ['x', 'y'])
      for (const name of ['B', 'a', 'c']) {
        await catalog.commit({ ...change(name, 'create'), tenant: owner });
        await catalog.share(owner, name, 'b', 1);
      }
    const seen: string[] = [];
    for (let after: { tenant: string; name: string } | null = null; ; ) {
      const page: readonly VersionSummary[] = await catalog.shared('b', { after, limit: 2 }, 1);
      seen.push(...page.map((record) => `${record.tenant}:${record.name}`));
      const last = page.at(-1);
      if (last === undefined) break;
      after = { tenant: last.tenant, name: last.name };
    }
    assert.deepEqual(seen, ['x:a', 'x:B', 'x:c', 'y:a', 'y:B', 'y:c']);
  });

  catalogTest('usage follows every change', makeCatalog, async (catalog) => {
    assert.deepEqual(await catalog.usage(tenant), { frames: 0, bytes: 0 });
    const first = change('f', 'create');
    await catalog.commit(first);
    const bytes = first.part.arrow.bytes;
    assert.deepEqual(await catalog.usage(tenant), { frames: 1, bytes });
    const second = change('f', 'replace');
    await catalog.commit(second);
    assert.deepEqual(await catalog.usage(tenant), { frames: 1, bytes: bytes + second.part.arrow.bytes });
    await catalog.sweep(1, null, 2);
    assert.deepEqual(await catalog.usage(tenant), { frames: 1, bytes: second.part.arrow.bytes });
    await catalog.drop(dropOf(tenant, 'f', null, null, 3));
    assert.deepEqual(await catalog.usage(tenant), { frames: 0, bytes: 0 });
    await catalog.commit(change('f', 'create'));
    assert.equal((await catalog.usage(tenant)).frames, 1);
    assert.deepEqual(await catalog.usage('other'), { frames: 0, bytes: 0 });
  });

  catalogTest('tenants come in pages, with what they hold and share', makeCatalog, async (catalog) => {
    for (const [owner, name] of [
      ['x', 'a'],
      ['x', 'b'],
      ['y', 'a'],
      ['z', 'a'],
    ] as const)
      await catalog.commit({ ...change(name, 'create'), tenant: owner });
    await catalog.share('x', 'a', 'y', 1);
    await catalog.share('x', 'a', 'z', 1);
    await catalog.share('x', 'b', 'y', 1);
    await catalog.drop(dropOf('z', 'a', null, null, 2));
    const [x, y] = await catalog.tenants('', 2);
    assert.deepEqual([x?.tenant, x?.frames, x?.sharesGiven, x?.sharesReceived], ['x', 2, 3, 0]);
    assert.deepEqual([y?.tenant, y?.frames, y?.sharesGiven, y?.sharesReceived], ['y', 1, 0, 2]);
    const held = { frames: 0, bytes: 0, sharesGiven: 0, sharesReceived: 1 };
    assert.deepEqual(await catalog.tenants('y', 2), [{ tenant: 'z', ...held }]);
    assert.deepEqual(await catalog.tenantShares('x'), {
      given: [
        { tenant: 'y', frames: 2 },
        { tenant: 'z', frames: 1 },
      ],
      received: [],
    });
    assert.deepEqual((await catalog.tenantShares('y')).received, [{ tenant: 'x', frames: 2 }]);
    await catalog.drop(dropOf('x', 'a', null, null, 3));
    assert.deepEqual((await catalog.tenantShares('x')).given, [{ tenant: 'y', frames: 1 }]);
  });

  catalogTest('a commit above the quota changes nothing', makeCatalog, async (catalog) => {
    const framesQuota = { framesMax: 1, bytesMax: null };
    await catalog.commit({ ...change('f', 'create'), quota: framesQuota });
    await refused(catalog.commit({ ...change('g', 'create'), quota: framesQuota }), 'quota_exceeded');
    await refused(catalog.resolve(tenant, 'g', null, 1), 'frame_not_found');
    await catalog.commit({ ...change('f', 'replace'), quota: framesQuota });
    const { bytes } = await catalog.usage(tenant);
    const next = change('f', 'replace');
    const tight = { framesMax: null, bytesMax: bytes + next.part.arrow.bytes - 1 };
    await refused(catalog.commit({ ...next, quota: tight }), 'quota_exceeded');
    assert.deepEqual(await catalog.usage(tenant), { frames: 1, bytes });
    await catalog.commit({ ...change('f', 'replace'), quota: { framesMax: null, bytesMax: bytes * 10 } });
    await catalog.commit({ ...change('f', 'create'), tenant: 'other', quota: framesQuota });
  });
}
