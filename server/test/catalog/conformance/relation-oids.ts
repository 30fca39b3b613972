import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { MakeCatalog } from '../catalog-conformance.ts';
import { change, dayMs, dropOf, start, tenant, undropOf } from '../change-builder.ts';
import { catalogTest } from './assertions.ts';

const first = 16_384;

export function relationOidTests(makeCatalog: MakeCatalog): void {
  describe('numbers in PostgreSQL’s catalogs', () => {
    catalogTest('a name and a tenant keep theirs, and nobody else has it', makeCatalog, async (catalog) => {
      for (const name of ['A', 'b', 'c']) await catalog.commit(change(name, 'create'));
      const given = await catalog.relationOids(tenant, ['a', 'b', '']);
      assert.equal(new Set(given).size, 3);
      for (const oid of given) assert.ok(oid !== null && oid >= first && oid < 2 ** 31, String(oid));
      await catalog.commit(change('b', 'replace'));
      assert.deepEqual(await catalog.relationOids(tenant, ['', 'b', 'a']), [given[2], given[1], given[0]]);
      const [third] = await catalog.relationOids(tenant, ['c']);
      assert.ok(!given.includes(third ?? null));
    });

    catalogTest('the same name of another tenant has another one', makeCatalog, async (catalog) => {
      await catalog.commit(change('a', 'create'));
      await catalog.commit({ ...change('a', 'create'), tenant: 'other' });
      const [own] = await catalog.relationOids(tenant, ['a']);
      const [other] = await catalog.relationOids('other', ['a']);
      assert.notEqual(own, other);
    });

    catalogTest('what is not live has none', makeCatalog, async (catalog) => {
      await catalog.commit(change('gone', 'create'));
      await catalog.drop(dropOf(tenant, 'gone', null, null, start));
      assert.deepEqual(await catalog.relationOids(tenant, ['never', 'gone']), [null, null]);
    });

    catalogTest(
      'none is given twice: a name that comes back gets another one',
      makeCatalog,
      async (catalog) => {
        const seen = new Set<number | null>();
        for (let round = 0; round < 4; round++) {
          await catalog.commit(change('f', 'create'));
          const [oid = null] = await catalog.relationOids(tenant, ['f']);
          assert.ok(oid !== null && !seen.has(oid), `${oid} in round ${round}`);
          seen.add(oid);
          // The highest that there is goes: the counter stays.
          await catalog.drop(dropOf(tenant, 'f', null, null, start, dayMs));
        }
        await catalog.undrop(undropOf(tenant, 'f', null, start + 1));
        const [back = null] = await catalog.relationOids(tenant, ['f']);
        assert.ok(back !== null && !seen.has(back));
      },
    );

    catalogTest('many callers at once get the same ones', makeCatalog, async (catalog) => {
      const names = Array.from({ length: 20 }, (_, index) => `n${index}`);
      for (const name of names) await catalog.commit(change(name, 'create'));
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          catalog.relationOids(tenant, index % 2 === 0 ? names : names.toReversed()),
        ),
      );
      for (const [index, answer] of answers.entries())
        assert.deepEqual(index % 2 === 0 ? answer : answer.toReversed(), answers[0]);
      assert.equal(new Set(answers[0]).size, names.length);
    });
  });
}
