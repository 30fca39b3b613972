import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe } from 'node:test';
import { FrameholdError } from '../../../src/model/errors.ts';
import type { Catalog } from '../../../src/ports/catalog/catalog.ts';
import type { RowPositions } from '../../../src/ports/catalog/versions.ts';
import type { MakeCatalog } from '../catalog-conformance.ts';
import { change, dayMs, dropOf, partOf, start, tenant, undropOf } from '../change-builder.ts';
import { catalogTest, refused } from './assertions.ts';

/** Of each commit of a frame `f`. */
async function appended(catalog: Catalog, count: number, rows = 10): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) {
    const put = change('f', index === 0 ? 'create' : 'append', { part: partOf(rows) });
    await catalog.commit(put);
    ids.push(put.part.id);
  }
  return ids;
}

async function restored(catalog: Catalog, version: number): Promise<void> {
  const attempt = randomUUID();
  await catalog.restore({
    attempt,
    tenant,
    name: 'f',
    version,
    ifVersion: null,
    idempotency: null,
    now: start,
  });
}

function positions(catalog: Catalog, after: number, until: number | null = null): Promise<RowPositions> {
  return catalog.rowPositions(tenant, 'f', after, until, start);
}

/** As `after..until`, the version that is read, and the rows. */
async function span(catalog: Catalog, after: number, until: number | null = null): Promise<string> {
  const { version, until: end, firstRow, endRow } = await positions(catalog, after, until);
  return `${after}..${end} in ${version}: ${firstRow} to ${endRow}`;
}

async function hintOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof FrameholdError);
  return error.hint ?? '';
}

export function rowPositionTests(makeCatalog: MakeCatalog): void {
  describe('rows since a version', () => {
    catalogTest('are those that were appended after it', makeCatalog, async (catalog) => {
      await appended(catalog, 4);
      assert.equal(await span(catalog, 1), '1..4 in 4: 10 to 40');
      assert.equal(await span(catalog, 1, 2), '1..2 in 2: 10 to 20');
      assert.equal(await span(catalog, 0), '0..4 in 4: 0 to 40');
      assert.equal(await span(catalog, 0, 3), '0..3 in 3: 0 to 30');
      assert.equal(await span(catalog, 4), '4..4 in 4: 40 to 40');
      const { versionId } = await catalog.resolve(tenant, 'f', 2, start);
      assert.deepEqual(await positions(catalog, 1, 2), {
        version: 2,
        versionId,
        until: 2,
        untilId: versionId,
        firstRow: 10,
        endRow: 20,
      });
    });

    catalogTest(
      'are known although neither version is kept, and after compaction',
      makeCatalog,
      async (catalog) => {
        const ids = await appended(catalog, 8);
        const { versionId: third } = await catalog.resolve(tenant, 'f', 3, start);
        await catalog.sweep(2, null, start);
        const compacted = partOf(60, 300);
        assert.equal(await catalog.compact(ids.slice(0, 6), compacted, start), true);
        const found = await positions(catalog, 2, 3);
        const { versionId } = await catalog.resolve(tenant, 'f', null, start);
        assert.deepEqual(found, {
          version: 8,
          versionId,
          until: 3,
          untilId: third,
          firstRow: 20,
          endRow: 30,
        });
        const { rowsBefore, parts } = await catalog.partsBetween(tenant, 'f', 8, 20, 30, versionId);
        assert.deepEqual([rowsBefore, parts.map(({ id }) => id)], [0, [compacted.id]]);
        const later = await catalog.partsBetween(tenant, 'f', 8, 65, 75, versionId);
        assert.deepEqual([later.rowsBefore, later.parts.map(({ id }) => id)], [60, ids.slice(6)]);
        await catalog.commit(change('f', 'append'));
        assert.equal(await span(catalog, 7), '7..9 in 9: 70 to 90');
        const last = await catalog.partsBetween(tenant, 'f', 9, 80, 90);
        assert.deepEqual([last.rowsBefore, last.parts.length], [80, 1]);
      },
    );

    catalogTest('are none of a version that was replaced', makeCatalog, async (catalog) => {
      await appended(catalog, 2);
      await catalog.commit(change('f', 'replace'));
      await catalog.commit(change('f', 'append'));
      await refused(positions(catalog, 1), 'not_append_only', /f@4 .* version 1: version 3 replaced/);
      assert.match(await hintOf(positions(catalog, 1)), /f@0\.\./);
      assert.equal(await span(catalog, 3), '3..4 in 4: 10 to 20');
      assert.equal(await span(catalog, 1, 2), '1..2 in 2: 10 to 20');
      await catalog.sweep(1, null, start);
      await refused(positions(catalog, 1), 'not_append_only', /version 3 replaced/);
      await refused(positions(catalog, 1, 2), 'frame_gone');
      assert.equal(await span(catalog, 3), '3..4 in 4: 10 to 20');
    });

    catalogTest('go on after a restore of exactly that version', makeCatalog, async (catalog) => {
      await appended(catalog, 3);
      await catalog.commit(change('f', 'replace'));
      await restored(catalog, 2);
      await catalog.commit(change('f', 'append', { part: partOf(5) }));
      assert.equal(await span(catalog, 2), '2..6 in 6: 20 to 25');
      assert.equal(await span(catalog, 1), '1..6 in 6: 10 to 25');
      assert.equal(await span(catalog, 5), '5..6 in 6: 20 to 25');
      await refused(positions(catalog, 3), 'not_append_only', /version 5 goes on from version 2/);
      assert.match(await hintOf(positions(catalog, 3)), /after version 2 and read f@2\.\./);
      await refused(positions(catalog, 4), 'not_append_only', /version 5 goes on from version 2/);
      await catalog.sweep(1, null, start);
      assert.equal(await span(catalog, 1), '1..6 in 6: 10 to 25');
      assert.equal(await span(catalog, 1, 2), '1..2 in 6: 10 to 20');
    });

    catalogTest('do not skip what was dropped', makeCatalog, async (catalog) => {
      await appended(catalog, 3);
      await catalog.drop(dropOf(tenant, 'f', 3, null, start));
      await refused(positions(catalog, 3), 'not_append_only', /it was dropped, and version 2 is the newest/);
      await catalog.commit(change('f', 'append'));
      await refused(positions(catalog, 3), 'not_append_only', /version 4 goes on from version 2/);
      assert.equal(await span(catalog, 2), '2..4 in 4: 20 to 30');
    });

    catalogTest('are not found after a version that never was', makeCatalog, async (catalog) => {
      await appended(catalog, 2);
      await refused(positions(catalog, 3), 'frame_not_found', /f@3/);
      await refused(positions(catalog, 1, 3), 'frame_not_found', /f@3/);
      await refused(catalog.rowPositions(tenant, 'g', 0, null, start), 'frame_not_found');
    });

    catalogTest('go on after a drop that is undone, and end with the name', makeCatalog, async (catalog) => {
      await appended(catalog, 3);
      await catalog.sweep(1, null, start);
      await catalog.drop(dropOf(tenant, 'f', null, null, start, dayMs));
      await refused(positions(catalog, 1), 'frame_gone');
      await catalog.undrop(undropOf(tenant, 'f', null, start));
      assert.equal(await span(catalog, 1), '1..3 in 3: 10 to 30');
      await catalog.drop(dropOf(tenant, 'f', null, null, start, dayMs));
      await catalog.commit(change('f', 'create'));
      await catalog.purge(tenant, 'f');
      await refused(positions(catalog, 1), 'not_append_only', /version 4 replaced/);
      assert.equal(await span(catalog, 4), '4..4 in 4: 10 to 10');
    });

    catalogTest('of versions without rows are none', makeCatalog, async (catalog) => {
      await appended(catalog, 3, 0);
      await catalog.commit(change('f', 'append'));
      assert.equal(await span(catalog, 1, 3), '1..3 in 3: 0 to 0');
      assert.equal(await span(catalog, 3), '3..4 in 4: 0 to 10');
      assert.equal((await catalog.partsBetween(tenant, 'f', 4, 0, 10)).parts.length, 1);
    });
  });
}
