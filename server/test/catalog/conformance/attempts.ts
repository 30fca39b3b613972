import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe } from 'node:test';
import type { MakeCatalog } from '../catalog-conformance.ts';
import {
  change,
  dayMs,
  dropOf,
  packedOf,
  parquetOf,
  partOf,
  start,
  tenant,
  undropOf,
} from '../change-builder.ts';
import { catalogTest, refused, sortedGarbage } from './assertions.ts';

/** What a caller may do who did not get the answer: the same again. */
export function attemptTests(makeCatalog: MakeCatalog): void {
  describe('a repeated change takes effect once', () => {
    catalogTest('a commit, also if its version is not the newest any more', makeCatalog, async (catalog) => {
      const first = change('f', 'create');
      const answer = await catalog.commit(first);
      assert.deepEqual(await catalog.commit(first), answer);
      const more = change('f', 'append');
      const appended = await catalog.commit(more);
      assert.deepEqual(await catalog.commit(first), answer);
      assert.deepEqual(await catalog.commit(more), appended);
      assert.deepEqual(await catalog.resolve(tenant, 'f', null, start), appended.record);
      assert.equal((await catalog.parts(tenant, 'f', 2)).length, 2);
      assert.deepEqual(await sortedGarbage(catalog), []);
    });

    catalogTest('a commit whose frame has gone since', makeCatalog, async (catalog) => {
      const put = change('f', 'create');
      const answer = await catalog.commit(put);
      await catalog.drop(dropOf(tenant, 'f', null, null, start));
      assert.deepEqual(await catalog.commit(put), answer);
      await refused(catalog.resolve(tenant, 'f', null, start), 'frame_gone');
      assert.deepEqual(await sortedGarbage(catalog), [put.part.arrow.key]);
    });

    catalogTest('but one that was refused is tried anew', makeCatalog, async (catalog) => {
      const put = change('f', 'append');
      await refused(catalog.commit(put), 'frame_not_found');
      await catalog.commit(change('f', 'create'));
      assert.equal((await catalog.commit(put)).record.version, 2);
    });

    catalogTest('a commit is forgotten after a day', makeCatalog, async (catalog) => {
      const put = change('f', 'replace');
      await catalog.commit(put);
      await catalog.sweep(10, null, start + dayMs - 1);
      assert.equal((await catalog.commit(put)).record.version, 1);
      await catalog.sweep(10, null, start + dayMs);
      // Its part is still there, so that it cannot be made twice even then.
      await assert.rejects(catalog.commit(put));
    });

    catalogTest('a drop, also if the name lives again', makeCatalog, async (catalog) => {
      await catalog.commit(change('f', 'create'));
      const drop = dropOf(tenant, 'f', null, null, start, dayMs);
      await catalog.drop(drop);
      await catalog.drop(drop);
      const again = await catalog.commit(change('f', 'create'));
      await catalog.drop(drop);
      assert.deepEqual(await catalog.resolve(tenant, 'f', null, start), again.record);
    });

    catalogTest('an undrop and a restore', makeCatalog, async (catalog) => {
      await catalog.commit(change('f', 'create'));
      await catalog.drop(dropOf(tenant, 'f', null, null, start, dayMs));
      const undrop = undropOf(tenant, 'f', null, start);
      const back = await catalog.undrop(undrop);
      assert.deepEqual(await catalog.undrop(undrop), back);
      await refused(catalog.undrop(undropOf(tenant, 'f', null, start)), 'name_in_use');
      const restore = {
        attempt: randomUUID(),
        tenant,
        name: 'f',
        version: 1,
        ifVersion: { version: 1 },
        idempotency: null,
        now: start,
      };
      const restored = await catalog.restore(restore);
      assert.deepEqual(await catalog.restore(restore), restored);
      assert.deepEqual(await catalog.resolve(tenant, 'f', null, start), restored.record);
    });

    catalogTest('a compaction, also if its part was compacted again', makeCatalog, async (catalog) => {
      const puts = [change('f', 'create'), change('f', 'append'), change('f', 'append')];
      for (const put of puts) await catalog.commit(put);
      await catalog.sweep(1, null, start);
      const [first, second, third] = puts.map(({ part }) => part.id);
      assert.ok(first && second && third);
      const compacted = partOf(20, 200);
      assert.equal(await catalog.compact([first, second], compacted, start), true);
      assert.equal(await catalog.compact([first, second], compacted, start), true);
      const whole = partOf(30, 300);
      assert.equal(await catalog.compact([compacted.id, third], whole, start), true);
      await catalog.compact([first, second], compacted, start);
      const parts = await catalog.parts(tenant, 'f', 3);
      assert.deepEqual(
        parts.map(({ id, rows }) => [id, rows]),
        [[whole.id, 30]],
      );
      assert.equal((await sortedGarbage(catalog)).includes(whole.arrow.key), false);
    });

    catalogTest('a form', makeCatalog, async (catalog) => {
      const put = change('f', 'create');
      await catalog.commit(put);
      const form = parquetOf(put.part, true, 2);
      for (let tries = 0; tries < 2; tries++)
        assert.equal(await catalog.addForm(put.part.id, form, start), true);
      const packed = packedOf(put.part);
      for (let tries = 0; tries < 2; tries++)
        assert.equal(await catalog.replaceArrow(put.part.id, put.part.arrow.key, packed, 9), true);
      const arrow = { kind: 'arrow', objects: [packed], exact: true };
      assert.deepEqual((await catalog.parts(tenant, 'f', 1))[0]?.forms, [arrow, form]);
      assert.deepEqual(await sortedGarbage(catalog), [put.part.arrow.key]);
    });
  });
}
