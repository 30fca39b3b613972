import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe } from 'node:test';
import type { Catalog } from '../../../src/ports/catalog/catalog.ts';
import type { Restore } from '../../../src/ports/catalog/versions.ts';
import type { MakeCatalog } from '../catalog-conformance.ts';
import { change, dayMs, described, dropOf, partOf, schemaOf, start, tenant } from '../change-builder.ts';
import { catalogTest, garbageOf, partIds, refused, sortedGarbage } from './assertions.ts';

const bounds = { partBytesMax: 1000, runBytesMax: 100_000, runPartsMin: 2, runPartsMax: 100, growthMin: 1 };

function restoring(name: string, version: number, fields: Partial<Restore> = {}): Restore {
  return {
    attempt: randomUUID(),
    tenant,
    name,
    version,
    ifVersion: null,
    idempotency: null,
    now: start,
    ...fields,
  };
}

async function appended(catalog: Catalog, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) {
    const put = change('f', index === 0 ? 'create' : 'append');
    await catalog.commit(put);
    ids.push(put.part.id);
  }
  return ids;
}

export function restoreTests(makeCatalog: MakeCatalog): void {
  describe('restoring a version', () => {
    catalogTest('makes its rows the newest version, out of the same parts', makeCatalog, async (catalog) => {
      const first = change('f', 'create', { expiresAt: start + dayMs });
      await catalog.commit(first);
      await catalog.commit(change('f', 'replace', { schema: schemaOf('other') }));
      const usage = await catalog.usage(tenant);
      const { record, created, replayed } = await catalog.restore(restoring('f', 1, { now: start + 5 }));
      assert.deepEqual([record.version, record.rows, record.bytes, record.partCount], [3, 10, 100, 1]);
      assert.deepEqual(record.origin, { kind: 'restored', from: 1, format: 'arrow' });
      assert.deepEqual([created, replayed, record.createdAt], [false, false, start + 5]);
      assert.equal(record.expiresAt, start + dayMs, 'the expiry is the name’s');
      assert.deepEqual(await catalog.resolve(tenant, 'f', null, start), record);
      assert.deepEqual(await partIds(catalog, 'f', 3), [first.part.id]);
      assert.deepEqual(await catalog.usage(tenant), usage, 'no bytes were added');
      const [listed] = await catalog.list(tenant, { prefix: '', after: null, limit: 1 }, start);
      assert.deepEqual(listed?.origin, record.origin);
    });

    catalogTest(
      'parts of some rows are found through all logs that a version reads',
      makeCatalog,
      async (catalog) => {
        await appended(catalog, 3);
        await catalog.restore(restoring('f', 2));
        await catalog.commit(change('f', 'append'));
        await catalog.commit(change('f', 'append'));
        // Two parts of the first log and two of the restored one's, ten rows each.
        const all = await catalog.parts(tenant, 'f', 6);
        assert.deepEqual(
          all.map(({ rows }) => rows),
          [10, 10, 10, 10],
        );
        for (let first = 0; first <= 41; first++) {
          for (const end of [first, first + 1, first + 10, first + 11, 100]) {
            const found = await catalog.partsBetween(tenant, 'f', 6, first, end);
            const wanted = all.filter(
              (_, index) => index * 10 < end && index * 10 + 10 > first && first < end,
            );
            assert.deepEqual(found.parts, wanted, `${first} to ${end}`);
            if (wanted.length > 0) assert.equal(found.rowsBefore, first - (first % 10));
          }
        }
        await refused(catalog.partsBetween(tenant, 'f', 9, 0, 1), 'frame_not_found');
      },
    );

    catalogTest(
      'what it came from may go: the parts stay as long as one needs them',
      makeCatalog,
      async (catalog) => {
        const ids = await appended(catalog, 3);
        await catalog.restore(restoring('f', 2));
        await catalog.sweep(1, null, start);
        assert.deepEqual(await partIds(catalog, 'f', 4), ids.slice(0, 2));
        assert.equal((await sortedGarbage(catalog)).length, 1);
        assert.equal((await catalog.usage(tenant)).bytes, 200);
        await refused(catalog.restore(restoring('f', 2)), 'frame_gone', /superseded/);
        await catalog.drop(dropOf(tenant, 'f', null, null, start));
        assert.equal((await sortedGarbage(catalog)).length, 3);
        assert.equal((await catalog.usage(tenant)).bytes, 0);
      },
    );

    catalogTest('appends go on from it and leave the later versions alone', makeCatalog, async (catalog) => {
      const ids = await appended(catalog, 3);
      await catalog.restore(restoring('f', 1));
      const more = change('f', 'append');
      const { record } = await catalog.commit(more);
      assert.deepEqual([record.version, record.rows, record.partCount], [5, 20, 2]);
      assert.deepEqual(await partIds(catalog, 'f', 5), [ids[0], more.part.id]);
      assert.deepEqual(await partIds(catalog, 'f', 3), ids);
      // Restored once more, out of a log that continues another one.
      await catalog.restore(restoring('f', 5));
      const last = change('f', 'append');
      await catalog.commit(last);
      assert.deepEqual(await partIds(catalog, 'f', 7), [ids[0], more.part.id, last.part.id]);
      await catalog.sweep(1, null, start);
      assert.deepEqual(await partIds(catalog, 'f', 7), [ids[0], more.part.id, last.part.id]);
      assert.equal((await garbageOf(catalog, 100)).length, 2);
      // With only one version left its parts are neighbours, and can be compacted.
      const run = await catalog.compactable(bounds, start);
      assert.deepEqual(
        run?.parts.map((part) => part.id),
        [ids[0], more.part.id, last.part.id],
      );
    });

    catalogTest(
      'parts are not compacted across the end of a restored version',
      makeCatalog,
      async (catalog) => {
        const ids = await appended(catalog, 5);
        await catalog.restore(restoring('f', 3));
        for (const version of [1, 2, 3, 4]) await catalog.drop(dropOf(tenant, 'f', version, null, start));
        const parts = [partOf(50, 100), partOf(30, 100)] as const;
        assert.equal(await catalog.compact(ids, parts[0], start), false);
        const run = await catalog.compactable(bounds, start);
        assert.deepEqual(
          run?.parts.map((part) => part.id),
          ids.slice(0, 3),
        );
        assert.equal(await catalog.compact(ids.slice(0, 3), parts[1], start), true);
        assert.deepEqual(await partIds(catalog, 'f', 6), [parts[1].id]);
        assert.deepEqual(await partIds(catalog, 'f', 5), [parts[1].id, ids[3], ids[4]]);
      },
    );

    catalogTest(
      'parts whose readers differ in their columns stay as they are',
      makeCatalog,
      async (catalog) => {
        await appended(catalog, 3);
        await catalog.restore(restoring('f', 2));
        const wider = change('f', 'append', {
          schema: schemaOf('a', 'b', 'nullable'),
          baseSchemaHash: schemaOf('a', 'b').hash,
        });
        await catalog.commit(wider);
        for (const version of [1, 2, 4]) await catalog.drop(dropOf(tenant, 'f', version, null, start));
        assert.equal(await catalog.compactable(bounds, start), null);
      },
    );

    catalogTest('takes an ifVersion, and knows which versions there are', makeCatalog, async (catalog) => {
      await refused(catalog.restore(restoring('f', 1)), 'frame_not_found');
      await appended(catalog, 2);
      await refused(catalog.restore(restoring('f', 1, { ifVersion: { version: 1 } })), 'version_mismatch');
      await refused(catalog.restore(restoring('f', 3)), 'frame_not_found');
      await refused(catalog.restore(restoring('F', 1)), 'frame_not_found');
      assert.equal(
        (await catalog.restore(restoring('f', 1, { ifVersion: { version: 2 } }))).record.version,
        3,
      );
      await catalog.drop(dropOf(tenant, 'f', 2, null, start));
      await refused(catalog.restore(restoring('f', 2)), 'frame_gone', /dropped/);
      await catalog.expire(tenant, 'f', start + 1, start);
      await refused(catalog.restore(restoring('f', 1, { now: start + 1 })), 'frame_gone', /expired/);
    });

    catalogTest('the same key restores once', makeCatalog, async (catalog) => {
      await appended(catalog, 2);
      const idempotency = { key: 'k', fingerprint: 'p' };
      const first = await catalog.restore(restoring('f', 1, { idempotency }));
      const again = await catalog.restore(restoring('f', 1, { idempotency, now: start + 1 }));
      assert.deepEqual(again, { ...first, record: described(first.record), replayed: true });
      assert.deepEqual(await catalog.replay(tenant, 'k', 'p', start + 1), again);
      await refused(
        catalog.restore(restoring('f', 1, { idempotency: { key: 'k', fingerprint: 'q' } })),
        'idempotency_conflict',
      );
      assert.equal((await catalog.resolve(tenant, 'f', null, start)).version, 3);
    });

    catalogTest('a damaged object names the restored versions too', makeCatalog, async (catalog) => {
      const put = change('f', 'create');
      await catalog.commit(put);
      await catalog.commit(change('f', 'replace'));
      await catalog.restore(restoring('f', 1));
      await catalog.commit(change('f', 'append'));
      const damage = await catalog.markDamaged(put.part.arrow.key, 'changed', start);
      assert.deepEqual(damage?.frames, [`${tenant}/f@1,3,4`]);
    });

    catalogTest('the statement that made a version stays with its rows', makeCatalog, async (catalog) => {
      const query = { text: 'SELECT 1', sources: ['g@1'] };
      await catalog.commit(change('f', 'create', { origin: { kind: 'query', format: 'sql', query } }));
      await catalog.restore(restoring('f', 1));
      const { origin } = await catalog.resolve(tenant, 'f', null, start);
      assert.deepEqual(origin, { kind: 'restored', from: 1, format: 'sql', query });
    });
  });
}
