import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe } from 'node:test';
import { randomId } from '../../../src/model/handle.ts';
import type { MakeCatalog } from '../catalog-conformance.ts';
import { change, dayMs, dropOf, partOf, plainSchema, schemaOf, start, tenant } from '../change-builder.ts';
import { catalogTest, partIds, refused, sortedGarbage } from './assertions.ts';

export function commitTests(makeCatalog: MakeCatalog): void {
  describe('commits', () => {
    catalogTest('create, replace and append count versions from 1', makeCatalog, async (catalog) => {
      const first = await catalog.commit(change('f', 'create'));
      const second = await catalog.commit(change('f', 'replace'));
      const third = await catalog.commit(change('f', 'append'));
      assert.deepEqual(
        [first, second, third].map(({ record, created, replayed }) => [record.version, created, replayed]),
        [
          [1, true, false],
          [2, false, false],
          [3, false, false],
        ],
      );
    });

    catalogTest('create on a live name is refused and changes nothing', makeCatalog, async (catalog) => {
      await catalog.commit(change('f', 'create'));
      const second = change('f', 'create');
      await refused(catalog.commit(second), 'frame_exists', /version 1/);
      assert.equal((await catalog.resolve(tenant, 'f', null, start)).version, 1);
      assert.deepEqual(await catalog.known([second.part.arrow.key]), []);
      assert.equal(await catalog.arrowBytes(), 100);
    });

    catalogTest('replace makes a name that does not exist', makeCatalog, async (catalog) => {
      const { record, created } = await catalog.commit(change('f', 'replace'));
      assert.deepEqual([record.version, created], [1, true]);
    });

    catalogTest('append on an unknown name is not found', makeCatalog, async (catalog) => {
      await refused(catalog.commit(change('f', 'append')), 'frame_not_found');
    });

    catalogTest('append sums rows and bytes and keeps the parts before', makeCatalog, async (catalog) => {
      const parts = [partOf(10, 100), partOf(0, 7), partOf(5, 3)] as const;
      await catalog.commit(change('f', 'create', { part: parts[0] }));
      await catalog.commit(change('f', 'append', { part: parts[1] }));
      const { record } = await catalog.commit(change('f', 'append', { part: parts[2], now: start + 1 }));
      assert.deepEqual(
        [record.rows, record.bytes, record.partCount, record.createdAt],
        [15, 110, 3, start + 1],
      );
      const ids = parts.map((part) => part.id);
      assert.deepEqual(await partIds(catalog, 'f', 3), ids);
      assert.deepEqual(await partIds(catalog, 'f', 2), ids.slice(0, 2));
      assert.deepEqual(await partIds(catalog, 'f', 1), ids.slice(0, 1));
      assert.equal((await catalog.resolve(tenant, 'f', 1, start)).rows, 10);
    });

    catalogTest('replace begins a new log, and appends continue the newest', makeCatalog, async (catalog) => {
      const parts = [partOf(), partOf(), partOf(), partOf()] as const;
      await catalog.commit(change('f', 'create', { part: parts[0] }));
      await catalog.commit(change('f', 'append', { part: parts[1] }));
      await catalog.commit(change('f', 'replace', { part: parts[2] }));
      const { record } = await catalog.commit(change('f', 'append', { part: parts[3] }));
      assert.deepEqual([record.version, record.rows, record.partCount], [4, 20, 2]);
      assert.deepEqual(await partIds(catalog, 'f', 4), [parts[2].id, parts[3].id]);
      assert.deepEqual(await partIds(catalog, 'f', 2), [parts[0].id, parts[1].id]);
      assert.deepEqual(await sortedGarbage(catalog), []);
    });

    catalogTest(
      'an append may widen the schema; earlier versions keep theirs',
      makeCatalog,
      async (catalog) => {
        const wide = schemaOf('a', 'b nullable');
        await catalog.commit(change('f', 'create'));
        await catalog.commit(change('f', 'append', { schema: wide, baseSchemaHash: plainSchema.hash }));
        assert.deepEqual((await catalog.resolve(tenant, 'f', null, start)).schema, wide);
        assert.deepEqual((await catalog.resolve(tenant, 'f', 1, start)).schema, plainSchema);
      },
    );

    catalogTest(
      'append compared with another schema than the newest is refused',
      makeCatalog,
      async (catalog) => {
        await catalog.commit(change('f', 'create'));
        await catalog.commit(change('f', 'replace', { schema: schemaOf('z') }));
        await refused(catalog.commit(change('f', 'append')), 'schema_conflict');
        assert.equal((await catalog.resolve(tenant, 'f', null, start)).version, 2);
      },
    );

    catalogTest('ifVersion wants the newest version', makeCatalog, async (catalog) => {
      await catalog.commit(change('f', 'create'));
      await catalog.commit(change('f', 'replace', { ifVersion: { version: 1 } }));
      await refused(
        catalog.commit(change('f', 'replace', { ifVersion: { version: 1 } })),
        'version_mismatch',
        /is 2/,
      );
      await refused(catalog.commit(change('f', 'append', { ifVersion: { version: 3 } })), 'version_mismatch');
      assert.equal(
        (await catalog.commit(change('f', 'append', { ifVersion: { version: 2 } }))).record.version,
        3,
      );
    });

    catalogTest(
      'a version that has the number of the expected one, but another id, is another version',
      makeCatalog,
      async (catalog) => {
        const { record } = await catalog.commit(change('f', 'create'));
        const lost = { version: record.version, versionId: randomId() };
        const other = [/another one has this number/] as const;
        for (const mode of ['replace', 'append'] as const)
          await refused(catalog.commit(change('f', mode, { ifVersion: lost })), 'version_mismatch', ...other);
        const drop = { ...dropOf(tenant, 'f', null, null, start), ifVersion: lost };
        await refused(catalog.drop(drop), 'version_mismatch', ...other);
        await refused(catalog.expire(tenant, 'f', start + 10, start, lost), 'version_mismatch', ...other);
        await refused(catalog.keepVersions(tenant, 'f', 3, start, lost), 'version_mismatch', ...other);
        const restore = {
          attempt: randomUUID(),
          tenant,
          name: 'f',
          version: 1,
          idempotency: null,
          now: start,
        };
        await refused(catalog.restore({ ...restore, ifVersion: lost }), 'version_mismatch', ...other);
        assert.deepEqual(await catalog.resolve(tenant, 'f', null, start), record);
        const known = { version: record.version, versionId: record.versionId };
        assert.equal((await catalog.commit(change('f', 'append', { ifVersion: known }))).record.version, 2);
      },
    );

    catalogTest('ifVersion on a name that does not exist says so', makeCatalog, async (catalog) => {
      await refused(
        catalog.commit(change('f', 'replace', { ifVersion: { version: 1 } })),
        'version_mismatch',
        /does not exist/,
      );
    });

    catalogTest('of racing appends with the same ifVersion one succeeds', makeCatalog, async (catalog) => {
      await catalog.commit(change('f', 'create'));
      const racing = Array.from({ length: 8 }, () =>
        catalog.commit(change('f', 'append', { ifVersion: { version: 1 } })),
      );
      const outcomes = await Promise.allSettled(racing);
      assert.equal(outcomes.filter((outcome) => outcome.status === 'fulfilled').length, 1);
      assert.equal((await catalog.resolve(tenant, 'f', null, start)).partCount, 2);
    });

    catalogTest('racing appends all get their own version and place', makeCatalog, async (catalog) => {
      await catalog.commit(change('f', 'create'));
      const racing = Array.from({ length: 50 }, () => catalog.commit(change('f', 'append')));
      const versions = (await Promise.all(racing)).map(({ record }) => record.version);
      assert.deepEqual(
        versions.sort((a, b) => a - b),
        Array.from({ length: 50 }, (_, index) => index + 2),
      );
      assert.equal(new Set(await partIds(catalog, 'f', 51)).size, 51);
    });

    catalogTest('of racing creates one succeeds', makeCatalog, async (catalog) => {
      const racing = Array.from({ length: 8 }, () => catalog.commit(change('f', 'create')));
      const outcomes = await Promise.allSettled(racing);
      assert.equal(outcomes.filter((outcome) => outcome.status === 'fulfilled').length, 1);
      assert.equal(await catalog.arrowBytes(), 100);
    });

    catalogTest('a refusal does not touch the changes beside it', makeCatalog, async (catalog) => {
      await catalog.commit(change('taken', 'create'));
      const outcomes = await Promise.allSettled([
        catalog.commit(change('one', 'create')),
        catalog.commit(change('taken', 'create')),
        catalog.commit(change('two', 'create')),
      ]);
      assert.deepEqual(
        outcomes.map((outcome) => outcome.status),
        ['fulfilled', 'rejected', 'fulfilled'],
      );
      const names = (await catalog.list(tenant, { prefix: '', after: null, limit: 9 }, start)).map(
        (record) => record.name,
      );
      assert.deepEqual(names, ['one', 'taken', 'two']);
    });

    catalogTest('a change that fails half-way leaves nothing', makeCatalog, async (catalog) => {
      const first = change('f', 'create');
      await catalog.commit(first);
      const outcomes = await Promise.allSettled([
        catalog.commit(
          change('reused', 'create', {
            part: { ...partOf(), arrow: first.part.arrow },
            schema: schemaOf('unused'),
          }),
        ),
        catalog.commit(change('g', 'create')),
      ]);
      assert.deepEqual(
        outcomes.map((outcome) => outcome.status),
        ['rejected', 'fulfilled'],
      );
      await refused(catalog.resolve(tenant, 'reused', null, start), 'frame_not_found');
      assert.equal((await catalog.commit(change('reused', 'create'))).record.version, 1);
      assert.equal(await catalog.arrowBytes(), 300);
    });

    catalogTest(
      'a put sets the expiry, replace without one keeps it, append never changes it',
      makeCatalog,
      async (catalog) => {
        const expiries: (number | null)[] = [];
        const put = async (
          mode: 'create' | 'replace' | 'append',
          expiresAt?: number | null,
        ): Promise<void> => {
          expiries.push((await catalog.commit(change('f', mode, { expiresAt }))).record.expiresAt);
        };
        await put('create', start + dayMs);
        await put('replace');
        await put('append', start + 5 * dayMs);
        await put('append', null);
        await put('replace', start + 2 * dayMs);
        await put('replace', null);
        const one = start + dayMs;
        assert.deepEqual(expiries, [one, one, one, one, start + 2 * dayMs, null]);
        assert.equal((await catalog.resolve(tenant, 'f', 1, start)).expiresAt, null);
      },
    );
  });
}
