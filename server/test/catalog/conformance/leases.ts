import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { partWork } from '../../../src/ports/catalog/leases.ts';
import type { MakeCatalog } from '../catalog-conformance.ts';
import { change, dayMs, start } from '../change-builder.ts';
import { catalogTest } from './assertions.ts';

const hourMs = 3_600_000;

export function leaseTests(makeCatalog: MakeCatalog): void {
  describe('claims', () => {
    catalogTest('work is leased once at a time, until the lease ends', makeCatalog, async (catalog) => {
      assert.equal(await catalog.lease('sweep', 'a', start + hourMs, start), 1);
      assert.equal(await catalog.lease('sweep', 'b', start + hourMs, start + 1), null);
      assert.equal(await catalog.lease('sweep', 'a', start + hourMs, start + 1), null);
      assert.equal(await catalog.lease('other', 'b', start + hourMs, start + 1), 1);
      // Its owner may have died.
      assert.equal(await catalog.lease('sweep', 'b', start + 2 * hourMs, start + hourMs), 2);
    });

    catalogTest('tries are counted until the work is done', makeCatalog, async (catalog) => {
      const lease = () => catalog.lease('work', 'a', start + hourMs, start);
      assert.equal(await lease(), 1);
      await catalog.endLease('work', 'a', 'failed', start);
      assert.equal(await lease(), 2);
      await catalog.endLease('work', 'a', 'untried', start);
      assert.equal(await lease(), 2);
      await catalog.endLease('work', 'b', 'done', start);
      assert.equal(await lease(), null, 'another process does not end it');
      await catalog.endLease('work', 'a', 'done', start);
      assert.equal(await lease(), 1);
    });

    catalogTest('an owner that starts again gives up what it had leased', makeCatalog, async (catalog) => {
      await catalog.lease('mine', 'a', start + hourMs, start);
      await catalog.lease('theirs', 'b', start + hourMs, start);
      await catalog.endLeases('a', start);
      assert.equal(await catalog.lease('mine', 'a', start + hourMs, start), 2);
      assert.equal(await catalog.lease('theirs', 'a', start + hourMs, start), null);
    });

    catalogTest('tries are forgotten a week after the last', makeCatalog, async (catalog) => {
      await catalog.lease('work', 'a', start + hourMs, start);
      await catalog.sweep(10, null, start + 6 * dayMs);
      assert.equal(await catalog.lease('work', 'a', start + 6 * dayMs + 1, start + 6 * dayMs), 2);
      await catalog.sweep(10, null, start + 14 * dayMs);
      assert.equal(await catalog.lease('work', 'a', start + 15 * dayMs, start + 14 * dayMs), 1);
    });

    catalogTest('a part is not offered for work that is leased', makeCatalog, async (catalog) => {
      const put = change('f', 'create');
      await catalog.commit(put);
      const { id } = put.part;
      const offered = async (now: number) => ({
        transcode: (await catalog.untranscoded(10, Number.POSITIVE_INFINITY, now)).length,
        arrow: (await catalog.unpacked(10, now)).length,
      });
      assert.deepEqual(await offered(start), { transcode: 1, arrow: 0 });
      await catalog.lease(partWork.transcode(id), 'a', start + hourMs, start);
      assert.deepEqual(await offered(start), { transcode: 0, arrow: 0 });
      assert.deepEqual(await offered(start + hourMs), { transcode: 1, arrow: 0 });
      const key = put.part.arrow.key.replace('.arrow', '.0.parquet');
      const objects = [{ ...put.part.arrow, key }];
      await catalog.addForm(id, { kind: 'parquet', objects, exact: false }, start);
      assert.deepEqual(await offered(start), { transcode: 0, arrow: 1 });
      await catalog.lease(partWork.recompress(id), 'a', start + hourMs, start);
      assert.deepEqual(await offered(start), { transcode: 0, arrow: 0 });
    });
  });
}
