import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { StoredObject } from '../../../src/model/version.ts';
import type { Catalog } from '../../../src/ports/catalog/catalog.ts';
import { type FileLayout, fileKeptMs } from '../../../src/ports/catalog/files.ts';
import type { MakeCatalog } from '../catalog-conformance.ts';
import { change, dayMs, dropOf, parquetOf, partOf, start, tenant, undropOf } from '../change-builder.ts';
import { catalogTest } from './assertions.ts';

function ownObject(): StoredObject {
  return { key: `${tenant}/${randomUUID()}.0.parquet`, bytes: 8, sha256: 'cd'.repeat(32) };
}

function layoutOf(parts: readonly StoredObject[], own: StoredObject = ownObject()): FileLayout {
  const objects = [...parts.map((object) => ({ ...object, isOwn: false })), { ...own, isOwn: true }];
  return { etag: randomUUID(), bytes: 1_000, objects, pieces: Uint8Array.of(0, 255, 7) };
}

function ownOf({ objects }: FileLayout): string {
  return objects.at(-1)?.key ?? '';
}

/** A frame of one transcoded part. */
async function transcoded(catalog: Catalog): Promise<{ partId: string; objects: readonly StoredObject[] }> {
  const put = change('f', 'create');
  await catalog.commit(put);
  const form = parquetOf(put.part, true, 2);
  await catalog.addForm(put.part.id, form, start);
  return { partId: put.part.id, objects: form.objects };
}

/** Another part in the place of this one: its objects become garbage. */
async function compact(catalog: Catalog, partId: string): Promise<void> {
  assert.equal(await catalog.compact([partId], partOf(), start), true);
}

/** Of Parquet, as all objects of files are. */
async function garbageAt(catalog: Catalog, now: number): Promise<string[]> {
  const garbage = await catalog.takeGarbage({ limit: 1_000, delayMs: 0, leaseMs: 0, now });
  return garbage.filter((key) => key.endsWith('.parquet')).sort();
}

function keysOf(objects: readonly StoredObject[]): string[] {
  return objects.map((object) => object.key).sort();
}

/** Versions that are served as one file. */
export function fileTests(makeCatalog: MakeCatalog): void {
  catalogTest('the first layout of a version is the one in force', makeCatalog, async (catalog) => {
    const { objects } = await transcoded(catalog);
    assert.equal(await catalog.fileLayout(tenant, 'f', 1), null);
    const [first, second] = [layoutOf(objects), layoutOf(objects)];
    assert.deepEqual(await catalog.keepFileLayout(tenant, 'f', 1, first, start), first);
    assert.deepEqual(await catalog.keepFileLayout(tenant, 'f', 1, second, start), first);
    assert.deepEqual(await catalog.keepFileLayout(tenant, 'f', 1, first, start), first, 'repeated');
    assert.deepEqual(await catalog.fileLayout(tenant, 'f', 1), first);
    assert.equal(await catalog.fileLayout('other', 'f', 1), null);
    assert.equal(await catalog.fileLayout(tenant, 'F', 1), null);
    assert.equal(await catalog.fileLayout(tenant, 'f', 2), null);
    const [kept, lost] = [first, second].map(ownOf);
    assert.deepEqual(await garbageAt(catalog, start), [lost]);
    assert.deepEqual(await catalog.known([kept ?? '']), [kept]);
  });

  catalogTest('objects of a layout stay until it was not used for an hour', makeCatalog, async (catalog) => {
    const { partId, objects } = await transcoded(catalog);
    const layout = layoutOf(objects);
    await catalog.keepFileLayout(tenant, 'f', 1, layout, start);
    await compact(catalog, partId);
    assert.deepEqual(await garbageAt(catalog, start), []);
    assert.equal(await catalog.useFileLayout(tenant, 'f', 1, layout.etag, start + 1_000), true);
    assert.equal(await catalog.useFileLayout(tenant, 'f', 1, 'another', start + 1_000), false);
    const end = start + 1_000 + fileKeptMs;
    await catalog.sweep(1, null, end - 1);
    assert.deepEqual(await garbageAt(catalog, end - 1), []);
    assert.deepEqual(await catalog.fileLayout(tenant, 'f', 1), layout);
    assert.deepEqual(await garbageAt(catalog, end + 1), [], 'also after it, as long as the layout is there');
    await catalog.sweep(1, null, end + 1);
    assert.equal(await catalog.fileLayout(tenant, 'f', 1), null);
    assert.equal(await catalog.useFileLayout(tenant, 'f', 1, layout.etag, end), false);
    const own = ownOf(layout);
    assert.deepEqual(await garbageAt(catalog, end + 1), [...keysOf(objects), own].sort());
  });

  catalogTest('a layout ends with its version, and with a drop', makeCatalog, async (catalog) => {
    const { objects } = await transcoded(catalog);
    const layout = layoutOf(objects);
    const own = ownOf(layout);
    await catalog.keepFileLayout(tenant, 'f', 1, layout, start);
    await catalog.drop(dropOf(tenant, 'f', null, null, start, dayMs));
    assert.equal(await catalog.fileLayout(tenant, 'f', 1), null);
    assert.deepEqual(await garbageAt(catalog, start), [own], 'the part can come back');
    await catalog.undrop(undropOf(tenant, 'f', null, start));
    assert.equal(await catalog.fileLayout(tenant, 'f', 1), null);
    const next = layoutOf(objects);
    await catalog.keepFileLayout(tenant, 'f', 1, next, start);
    await catalog.commit(change('f', 'replace'));
    assert.deepEqual(await catalog.fileLayout(tenant, 'f', 1), next, 'replacing a frame keeps its versions');
    await catalog.sweep(1, null, start);
    assert.deepEqual(await catalog.fileLayout(tenant, 'f', 1), next, 'a file that is read pins its version');
    await catalog.sweep(1, null, start + 600_000);
    assert.equal(await catalog.fileLayout(tenant, 'f', 1), null);
    assert.ok(keysOf(objects).every((key) => key !== own));
    const garbage = await garbageAt(catalog, start + 600_000);
    for (const key of keysOf(objects)) assert.ok(garbage.includes(key), key);
  });

  catalogTest('a layout of objects that no part has is not recorded', makeCatalog, async (catalog) => {
    const { partId, objects } = await transcoded(catalog);
    await compact(catalog, partId);
    const layout = layoutOf(objects);
    assert.equal(await catalog.keepFileLayout(tenant, 'f', 1, layout, start), null);
    const own = ownOf(layout);
    assert.deepEqual(await garbageAt(catalog, start), [...keysOf(objects), own].sort());
    assert.equal(await catalog.keepFileLayout(tenant, 'f', 2, layoutOf([]), start), null);
    assert.equal(await catalog.keepFileLayout(tenant, 'never', 1, layoutOf([]), start), null);
  });

  catalogTest('a layout that cannot be read is ended', makeCatalog, async (catalog) => {
    const { partId, objects } = await transcoded(catalog);
    const layout = layoutOf(objects);
    await catalog.keepFileLayout(tenant, 'f', 1, layout, start);
    await compact(catalog, partId);
    assert.deepEqual(await garbageAt(catalog, start), []);
    await catalog.endFileLayout(tenant, 'f', 1, 'another');
    assert.deepEqual(await catalog.fileLayout(tenant, 'f', 1), layout);
    await catalog.endFileLayout(tenant, 'f', 1, layout.etag);
    assert.equal(await catalog.fileLayout(tenant, 'f', 1), null);
    const own = ownOf(layout);
    assert.deepEqual(await garbageAt(catalog, start), [...keysOf(objects), own].sort());
  });
}
