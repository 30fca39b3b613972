import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { FrameholdError } from '../../../src/model/errors.ts';
import type { MakeCatalog } from '../catalog-conformance.ts';
import { change, dayMs, dropOf, plainSchema, schemaOf, start, tenant } from '../change-builder.ts';
import { catalogTest, refused } from './assertions.ts';

export function handleTests(makeCatalog: MakeCatalog): void {
  describe('handles', () => {
    catalogTest('a name gives its newest version, name@version that one', makeCatalog, async (catalog) => {
      await catalog.commit(change('f', 'create'));
      await catalog.commit(change('f', 'replace', { schema: schemaOf('x') }));
      assert.equal((await catalog.resolve(tenant, 'f', null, start)).version, 2);
      assert.equal((await catalog.resolve(tenant, 'f', 1, start)).version, 1);
      assert.equal((await catalog.resolve(tenant, 'f', 2, start)).version, 2);
      assert.deepEqual((await catalog.resolve(tenant, 'f', 1, start)).schema, plainSchema);
      assert.deepEqual((await catalog.resolve(tenant, 'f', null, start)).schema, schemaOf('x'));
    });

    catalogTest(
      'a version that is not there is answered with those that are',
      makeCatalog,
      async (catalog) => {
        await catalog.commit(change('f', 'create'));
        const hintOf = (version: number) =>
          catalog.resolve(tenant, 'f', version, start).then(
            () => assert.fail('it is there'),
            ({ kind, hint }: FrameholdError) => `${kind}: ${hint}`,
          );
        assert.equal(await hintOf(9), 'frame_not_found: It has version 1. Read "f" for the newest.');
        for (let version = 2; version <= 6; version++) await catalog.commit(change('f', 'replace'));
        await catalog.drop(dropOf(tenant, 'f', 2, null, start));
        const kept = 'It has the versions 1, 3 to 6. Read "f" for the newest.';
        assert.equal(await hintOf(9), `frame_not_found: ${kept}`);
        assert.equal(await hintOf(2), `frame_gone: ${kept}`);
        for (let version = 7; version <= 36; version++) await catalog.commit(change('f', 'replace'));
        for (let version = 8; version < 36; version += 2)
          await catalog.drop(dropOf(tenant, 'f', version, null, start));
        assert.equal(
          await hintOf(99),
          'frame_not_found: Its newest versions are 17, 19, 21, 23, 25, 27, 29, 31, 33, 35, 36. Read "f" for the newest.',
        );
      },
    );

    catalogTest('a record comes back as it was committed', makeCatalog, async (catalog) => {
      const put = change('F.x-1', 'create', {
        expiresAt: start + 5,
        origin: { kind: 'query', format: 'csv' },
        schema: {
          ...plainSchema,
          columns: [{ name: 'a', type: 'ARRAY', dim: 2, elemType: 'DOUBLE' }],
        },
      });
      const { record } = await catalog.commit(put);
      assert.deepEqual(record, {
        tenant,
        name: 'F.x-1',
        version: 1,
        versionId: record.versionId,
        frameId: record.frameId,
        createdAt: start,
        expiresAt: start + 5,
        rows: 10,
        bytes: 100,
        partCount: 1,
        origin: { kind: 'query', format: 'csv' },
        schema: put.schema,
      });
      assert.ok(record.frameId.length > 0);
      assert.match(record.versionId, /^[0-9a-z]{20,}$/);
      assert.deepEqual(await catalog.resolve(tenant, 'F.x-1', null, start), record);
      assert.deepEqual(await catalog.resolve(tenant, 'F.x-1', 1, start), record);
      const { schema: _, ...summary } = record;
      const names = { prefix: '', after: null, limit: 5 };
      assert.deepEqual(await catalog.names(tenant, names, start), ['F.x-1']);
      assert.deepEqual(await catalog.list(tenant, names, start), [summary]);
      assert.deepEqual(await catalog.list(tenant, { ...names, schemas: true }, start), [record]);
      const versions = { before: null, limit: 5 };
      assert.deepEqual(await catalog.versions(tenant, 'F.x-1', versions, start), [summary]);
      assert.deepEqual(await catalog.versions(tenant, 'F.x-1', { ...versions, schemas: true }, start), [
        record,
      ]);
    });

    catalogTest(
      'a schema message that is a view of a larger buffer is kept exactly',
      makeCatalog,
      async (catalog) => {
        const buffer = Buffer.from('before|the message|after');
        const schema = { ...plainSchema, hash: 'view', message: buffer.subarray(7, 18) };
        await catalog.commit(change('f', 'create', { schema }));
        buffer.fill(0);
        const found = await catalog.resolve(tenant, 'f', null, start);
        assert.equal(Buffer.from(found.schema.message).toString(), 'the message');
      },
    );

    catalogTest('an unknown name is not found, nor any version of it', makeCatalog, async (catalog) => {
      await refused(catalog.resolve(tenant, 'f', null, start), 'frame_not_found', /"f"/);
      await refused(catalog.resolve(tenant, 'f', 1, start), 'frame_not_found', /"f@1"/);
      await refused(catalog.parts(tenant, 'f', 1), 'frame_not_found');
      await refused(catalog.versions(tenant, 'f', { before: null, limit: 1 }, start), 'frame_not_found');
      await refused(catalog.expire(tenant, 'f', null, start), 'frame_not_found');
      await refused(catalog.drop(dropOf(tenant, 'f', null, null, start)), 'frame_not_found');
    });

    catalogTest('a version above the newest is not found', makeCatalog, async (catalog) => {
      await catalog.commit(change('f', 'create'));
      await refused(catalog.resolve(tenant, 'f', 2, start), 'frame_not_found');
      await refused(catalog.parts(tenant, 'f', 2), 'frame_not_found');
      await refused(catalog.drop(dropOf(tenant, 'f', 2, null, start)), 'frame_not_found');
    });

    catalogTest('tenants do not see each other', makeCatalog, async (catalog) => {
      await catalog.commit(change('f', 'create'));
      await refused(catalog.resolve('other', 'f', null, start), 'frame_not_found');
      const other = await catalog.commit(change('F', 'create', { tenant: 'other' }));
      assert.equal(other.record.version, 1);
      const mine = await catalog.resolve(tenant, 'f', null, start);
      assert.notEqual(mine.frameId, other.record.frameId);
      assert.equal((await catalog.list('other', { prefix: '', after: null, limit: 9 }, start)).length, 1);
    });

    catalogTest('the frame id stays with the name', makeCatalog, async (catalog) => {
      const first = await catalog.commit(change('f', 'create'));
      const second = await catalog.commit(change('f', 'append'));
      const third = await catalog.commit(change('f', 'replace'));
      const other = await catalog.commit(change('g', 'create'));
      assert.equal(second.record.frameId, first.record.frameId);
      assert.equal(third.record.frameId, first.record.frameId);
      assert.notEqual(other.record.frameId, first.record.frameId);
    });

    catalogTest(
      'a live name in another case is a conflict to puts and not found to reads',
      makeCatalog,
      async (catalog) => {
        await catalog.commit(change('Prices', 'create'));
        for (const mode of ['create', 'replace', 'append'] as const)
          await refused(catalog.commit(change('prices', mode)), 'name_conflict', /"Prices"/);
        await refused(catalog.resolve(tenant, 'prices', null, start), 'frame_not_found');
        await refused(catalog.resolve(tenant, 'prices', 1, start), 'frame_not_found');
        await refused(catalog.parts(tenant, 'prices', 1), 'frame_not_found');
        await refused(catalog.drop(dropOf(tenant, 'prices', null, null, start)), 'frame_not_found');
        assert.equal((await catalog.resolve(tenant, 'Prices', null, start)).version, 1);
      },
    );

    catalogTest(
      'a dropped name gives way to another case, and versions go on',
      makeCatalog,
      async (catalog) => {
        await catalog.commit(change('Prices', 'create'));
        await catalog.drop(dropOf(tenant, 'Prices', null, null, start));
        const { record, created } = await catalog.commit(change('prices', 'create'));
        assert.equal(record.name, 'prices');
        assert.equal(record.version, 2);
        assert.equal(created, true);
        assert.equal((await catalog.resolve(tenant, 'prices', null, start)).name, 'prices');
        await refused(catalog.resolve(tenant, 'Prices', null, start), 'frame_not_found');
        await refused(catalog.commit(change('Prices', 'replace')), 'name_conflict');
      },
    );

    catalogTest(
      'an expired name gives way to another case before it is swept',
      makeCatalog,
      async (catalog) => {
        await catalog.commit(change('Prices', 'create', { expiresAt: start + 10 }));
        await catalog.resolve(tenant, 'Prices', null, start);
        const { record } = await catalog.commit(change('prices', 'create', { now: start + 10 }));
        assert.equal(record.version, 2);
        await refused(catalog.resolve(tenant, 'Prices', null, start + 10), 'frame_not_found');
      },
    );

    catalogTest('what a change did is what the next resolve sees', makeCatalog, async (catalog) => {
      await catalog.commit(change('f', 'create'));
      assert.equal((await catalog.resolve(tenant, 'f', null, start)).version, 1);
      await catalog.commit(change('f', 'append'));
      assert.equal((await catalog.resolve(tenant, 'f', null, start)).version, 2);
      await catalog.expire(tenant, 'f', start + dayMs, start);
      assert.equal((await catalog.resolve(tenant, 'f', null, start)).expiresAt, start + dayMs);
      assert.equal((await catalog.resolve(tenant, 'f', 1, start)).expiresAt, start + dayMs);
      await catalog.drop(dropOf(tenant, 'f', 2, null, start));
      assert.equal((await catalog.resolve(tenant, 'f', null, start)).version, 1);
      await catalog.drop(dropOf(tenant, 'f', null, null, start));
      await refused(catalog.resolve(tenant, 'f', null, start), 'frame_gone');
      await refused(catalog.resolve(tenant, 'f', 1, start), 'frame_gone');
    });

    catalogTest('a catalog that is open answers a ping', makeCatalog, async (catalog) => {
      await catalog.ping();
    });

    catalogTest('a closed catalog refuses, and closes twice', makeCatalog, async (catalog) => {
      await catalog.commit(change('f', 'create'));
      await catalog.close();
      await refused(catalog.resolve(tenant, 'f', null, start), 'draining');
      await refused(catalog.ping(), 'draining');
      await catalog.close();
    });
  });
}
