import assert from 'node:assert/strict';
import type { MakeCatalog } from '../catalog-conformance.ts';
import { change, dayMs, dropOf, start, tenant, undropOf } from '../change-builder.ts';
import { catalogTest } from './assertions.ts';

const body = Uint8Array.of(1, 2, 3);

/** Statistics of versions: bytes that the catalog keeps as long as their version. */
export function statisticsTests(makeCatalog: MakeCatalog): void {
  catalogTest('statistics are kept for each version, and replaced', makeCatalog, async (catalog) => {
    await catalog.commit(change('f', 'create'));
    await catalog.commit(change('f', 'replace'));
    assert.equal(await catalog.statistics(tenant, 'f', 1), null);
    await catalog.keepStatistics(tenant, 'f', 1, body);
    assert.deepEqual(await catalog.statistics(tenant, 'f', 1), body);
    assert.equal(await catalog.statistics(tenant, 'f', 2), null);
    assert.equal(await catalog.statistics('other', 'f', 1), null);
    assert.equal(await catalog.statistics(tenant, 'F', 1), null);
    await catalog.keepStatistics(tenant, 'f', 1, Uint8Array.of(4));
    assert.deepEqual(await catalog.statistics(tenant, 'f', 1), Uint8Array.of(4));
  });

  catalogTest('statistics end with their version', makeCatalog, async (catalog) => {
    for (const mode of ['create', 'replace', 'replace'] as const) await catalog.commit(change('f', mode));
    for (const version of [1, 2, 3]) await catalog.keepStatistics(tenant, 'f', version, body);
    await catalog.drop(dropOf(tenant, 'f', 2, null, start));
    assert.equal(await catalog.statistics(tenant, 'f', 2), null);
    await catalog.sweep(1, null, start);
    assert.equal(await catalog.statistics(tenant, 'f', 1), null);
    assert.deepEqual(await catalog.statistics(tenant, 'f', 3), body);
    await catalog.keepStatistics(tenant, 'f', 1, body);
    assert.equal(await catalog.statistics(tenant, 'f', 1), null, 'nothing is kept for an ended version');
    await catalog.keepStatistics(tenant, 'never', 1, body);
    assert.equal(await catalog.statistics(tenant, 'never', 1), null);
  });

  catalogTest('statistics come back with an undropped name', makeCatalog, async (catalog) => {
    await catalog.commit(change('f', 'create'));
    await catalog.keepStatistics(tenant, 'f', 1, body);
    await catalog.drop(dropOf(tenant, 'f', null, null, start, dayMs));
    await catalog.undrop(undropOf(tenant, 'f', null, start + 1));
    assert.deepEqual(await catalog.statistics(tenant, 'f', 1), body);
    await catalog.drop(dropOf(tenant, 'f', null, null, start, 0));
    assert.equal(await catalog.statistics(tenant, 'f', 1), null);
  });
}
