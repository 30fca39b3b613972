import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Committed } from '../../../src/ports/catalog/versions.ts';
import type { MakeCatalog } from '../catalog-conformance.ts';
import { change, dayMs, described, dropOf, schemaOf, start, tenant } from '../change-builder.ts';
import { catalogTest, refused } from './assertions.ts';

const idempotency = { key: 'k', fingerprint: 'print' };

/** Every part here has ten rows. */
function replayOf(first: Committed): Committed {
  return { ...first, record: described(first.record), replayed: true, added: 10 };
}

export function idempotencyTests(makeCatalog: MakeCatalog): void {
  describe('idempotency keys', () => {
    catalogTest('a key that was never used has no answer', makeCatalog, async (catalog) => {
      assert.equal(await catalog.replay(tenant, 'k', 'print', start), null);
    });

    catalogTest(
      'the same key answers as the first time and changes nothing',
      makeCatalog,
      async (catalog) => {
        const first = await catalog.commit(change('f', 'create', { idempotency }));
        const repeated = change('f', 'create', { idempotency, now: start + 1 });
        const second = await catalog.commit(repeated);
        assert.deepEqual(second, replayOf(first));
        assert.deepEqual(await catalog.replay(tenant, 'k', 'print', start + 1), replayOf(first));
        assert.deepEqual(await catalog.known([repeated.part.arrow.key]), []);
        assert.equal((await catalog.resolve(tenant, 'f', null, start)).version, 1);
      },
    );

    catalogTest('the answer stays what it was while the name goes on', makeCatalog, async (catalog) => {
      const first = await catalog.commit(change('f', 'create', { idempotency }));
      await catalog.commit(change('f', 'replace', { schema: schemaOf('new'), expiresAt: start + dayMs }));
      assert.deepEqual(await catalog.replay(tenant, 'k', 'print', start), replayOf(first));
    });

    catalogTest('the answer outlives the version', makeCatalog, async (catalog) => {
      const schema = schemaOf('only here');
      const first = await catalog.commit(change('f', 'create', { idempotency, schema }));
      await catalog.drop(dropOf(tenant, 'f', null, null, start));
      assert.deepEqual(await catalog.replay(tenant, 'k', 'print', start), replayOf(first));
      const again = await catalog.commit(change('f', 'create', { idempotency }));
      assert.deepEqual([again.replayed, again.record], [true, described(first.record)]);
      await refused(catalog.resolve(tenant, 'f', null, start), 'frame_gone');
    });

    catalogTest('another request with the same key is refused', makeCatalog, async (catalog) => {
      await catalog.commit(change('f', 'create', { idempotency }));
      await refused(catalog.replay(tenant, 'k', 'other', start), 'idempotency_conflict');
      const other = { key: 'k', fingerprint: 'other' };
      await refused(catalog.commit(change('g', 'create', { idempotency: other })), 'idempotency_conflict');
      await refused(catalog.resolve(tenant, 'g', null, start), 'frame_not_found');
    });

    catalogTest('another body with the same key is refused', makeCatalog, async (catalog) => {
      const withBody = (body: string) => ({ ...idempotency, body });
      const first = await catalog.commit(change('f', 'create', { idempotency: withBody('one') }));
      assert.deepEqual(await catalog.replay(tenant, 'k', 'print', start, 'one'), replayOf(first));
      assert.deepEqual(await catalog.replay(tenant, 'k', 'print', start), replayOf(first));
      await refused(catalog.replay(tenant, 'k', 'print', start, 'two'), 'idempotency_conflict');
      const other = change('f', 'replace', { idempotency: withBody('two') });
      await refused(catalog.commit(other), 'idempotency_conflict');
      const same = await catalog.commit(change('f', 'replace', { idempotency: withBody('one') }));
      assert.deepEqual(same, replayOf(first));
      assert.equal((await catalog.resolve(tenant, 'f', null, start)).version, 1);
    });

    catalogTest('a key that was kept without a body takes any', makeCatalog, async (catalog) => {
      const first = await catalog.commit(change('f', 'create', { idempotency }));
      assert.deepEqual(await catalog.replay(tenant, 'k', 'print', start, 'any'), replayOf(first));
      const again = change('f', 'create', { idempotency: { ...idempotency, body: 'any' } });
      assert.deepEqual(await catalog.commit(again), replayOf(first));
    });

    catalogTest('the answer says how many rows an append has added', makeCatalog, async (catalog) => {
      await catalog.commit(change('f', 'create'));
      await catalog.commit(change('f', 'append', { idempotency }));
      const answer = await catalog.replay(tenant, 'k', 'print', start);
      assert.deepEqual([answer?.record.rows, answer?.added], [20, 10]);
    });

    catalogTest(
      'of racing puts with one key one commits and the others are replayed',
      makeCatalog,
      async (catalog) => {
        const racing = Array.from({ length: 6 }, () => change('f', 'replace', { idempotency }));
        const outcomes = await Promise.all(racing.map((put) => catalog.commit(put)));
        assert.equal(outcomes.filter(({ replayed }) => !replayed).length, 1);
        assert.deepEqual(new Set(outcomes.map(({ record }) => record.version)), new Set([1]));
        assert.equal((await catalog.known(racing.map((put) => put.part.arrow.key))).length, 1);
        assert.equal(await catalog.arrowBytes(), 100);
      },
    );

    catalogTest('keys belong to a tenant', makeCatalog, async (catalog) => {
      await catalog.commit(change('f', 'create', { idempotency }));
      assert.equal(await catalog.replay('other', 'k', 'different', start), null);
      const other = await catalog.commit(change('f', 'create', { tenant: 'other', idempotency }));
      assert.equal(other.replayed, false);
    });

    catalogTest('a refused put leaves its key free', makeCatalog, async (catalog) => {
      await refused(catalog.commit(change('f', 'append', { idempotency })), 'frame_not_found');
      assert.equal(await catalog.replay(tenant, 'k', 'print', start), null);
      assert.equal((await catalog.commit(change('f', 'create', { idempotency }))).replayed, false);
    });

    catalogTest('a key is free again after a day, swept or not', makeCatalog, async (catalog) => {
      await catalog.commit(change('f', 'create', { idempotency, schema: schemaOf('first') }));
      assert.ok(await catalog.replay(tenant, 'k', 'print', start + dayMs - 1));
      assert.equal(await catalog.replay(tenant, 'k', 'other', start + dayMs), null);
      const later = change('f', 'replace', {
        idempotency: { key: 'k', fingerprint: 'other' },
        now: start + dayMs,
      });
      assert.equal((await catalog.commit(later)).record.version, 2);
      assert.equal((await catalog.replay(tenant, 'k', 'other', start + dayMs))?.record.version, 2);
      await catalog.sweep(10, null, start + 2 * dayMs);
      assert.equal(await catalog.replay(tenant, 'k', 'other', start + dayMs), null);
    });
  });
}
