import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe } from 'node:test';
import type { Catalog } from '../../../src/ports/catalog/catalog.ts';
import type { FrameEvent } from '../../../src/ports/catalog/events.ts';
import { eventually } from '../../support/patience.ts';
import type { MakeCatalog } from '../catalog-conformance.ts';
import { change, dayMs, dropOf, parquetOf, partOf, start, tenant, undropOf } from '../change-builder.ts';
import { catalogTest, refused } from './assertions.ts';

const hourMs = 3_600_000;

/** All events of a tenant, and that their numbers follow each other from the first that is kept to the last. */
async function eventsOf(catalog: Catalog, owner = tenant): Promise<readonly FrameEvent[]> {
  const { events, last, oldest } = await catalog.events(owner, 0, 100_000);
  assert.deepEqual(
    events.map(({ seq }) => seq),
    Array.from({ length: last - oldest + 1 }, (_, index) => oldest + index),
  );
  return events;
}

/** Short texts of the events: `created f@1`. */
async function shortly(catalog: Catalog, owner = tenant): Promise<string[]> {
  return (await eventsOf(catalog, owner)).map(
    ({ kind, frame }) => `${kind.replace('frame.', '')} ${frame.name}@${frame.version}`,
  );
}

export function eventTests(makeCatalog: MakeCatalog): void {
  describe('events', () => {
    catalogTest('every kind of change of a frame is one event, in order', makeCatalog, async (catalog) => {
      const put = change('f', 'create', { now: start });
      await catalog.commit(put);
      await catalog.commit(change('f', 'append', { now: start + 1 }));
      await catalog.commit(change('f', 'replace', { now: start + 2, expiresAt: start + dayMs }));
      const attempt = randomUUID();
      const restore = { attempt, tenant, name: 'f', version: 1, ifVersion: null, idempotency: null };
      await catalog.restore({ ...restore, now: start + 3 });
      await catalog.expire(tenant, 'f', start + 2 * dayMs, start + 4);
      await catalog.share(tenant, 'f', 'other', start + 5);
      await catalog.unshare(tenant, 'f', 'other', start + 6);
      await catalog.drop(dropOf(tenant, 'f', 2, null, start + 7));
      await catalog.drop(dropOf(tenant, 'f', null, null, start + 8, hourMs));
      await catalog.undrop(undropOf(tenant, 'f', null, start + 9));
      const frame = { name: 'f', version: 4, rows: 10, bytes: 100, expiresAt: start + 2 * dayMs };
      const upload = { kind: 'upload', format: 'arrow' };
      const restored = { kind: 'restored', format: 'arrow', from: 1 };
      const expected = [
        ['created', { ...frame, version: 1, expiresAt: null, origin: upload }],
        [
          'appended',
          {
            ...frame,
            version: 2,
            rows: 20,
            bytes: 200,
            expiresAt: null,
            origin: { kind: 'append', format: 'arrow' },
          },
        ],
        ['replaced', { ...frame, version: 3, expiresAt: start + dayMs, origin: upload }],
        ['restored', { ...frame, expiresAt: start + dayMs, origin: restored }],
        ['changed', { ...frame, origin: restored, change: 'expiry' }],
        ['changed', { name: 'f', version: 4, change: 'shares' }],
        ['changed', { name: 'f', version: 4, change: 'shares' }],
        ['changed', { ...frame, change: 'version', dropped: 2 }],
        ['dropped', { name: 'f', version: 4 }],
        ['undropped', { ...frame, origin: restored }],
      ];
      assert.deepEqual(
        (await eventsOf(catalog)).map(({ mark: _, ...event }) => event),
        expected.map(([kind, about], index) => ({
          seq: index + 1,
          kind: `frame.${kind}`,
          at: start + index,
          frame: about,
        })),
      );
    });

    catalogTest(
      'a change that is repeated or refused, and one that changes nothing, is no event',
      makeCatalog,
      async (catalog) => {
        const put = change('f', 'create', { idempotency: { key: 'k', fingerprint: 'p' } });
        await catalog.commit(put);
        await catalog.commit(put);
        await catalog.commit({ ...put, part: partOf() });
        await refused(catalog.commit(change('f', 'create')), 'frame_exists');
        const quota = { framesMax: 1, bytesMax: null };
        await refused(catalog.commit(change('g', 'create', { quota })), 'quota_exceeded');
        await catalog.expire(tenant, 'f', start + dayMs, start);
        await catalog.expire(tenant, 'f', start + dayMs, start);
        await catalog.share(tenant, 'f', 'other', start);
        await catalog.share(tenant, 'f', 'other', start);
        await catalog.unshare(tenant, 'f', 'nobody', start);
        const drop = dropOf(tenant, 'f', null, null, start, hourMs);
        await catalog.drop(drop);
        await catalog.drop(drop);
        const undrop = undropOf(tenant, 'f', null, start);
        await catalog.undrop(undrop);
        await catalog.undrop(undrop);
        assert.deepEqual(await shortly(catalog), [
          'created f@1',
          'changed f@1',
          'changed f@1',
          'dropped f@1',
          'undropped f@1',
        ]);
      },
    );

    catalogTest(
      'a frame expires in the sweep, or when its name is used again',
      makeCatalog,
      async (catalog) => {
        const expiresAt = start + 5;
        await catalog.commit(change('swept', 'create', { expiresAt }));
        await catalog.sweep(10, null, start + 10);
        await catalog.commit(change('reused', 'create', { expiresAt }));
        await catalog.commit(change('reused', 'create', { now: start + 20 }));
        assert.deepEqual(await shortly(catalog), [
          'created swept@1',
          'expired swept@1',
          'created reused@1',
          'expired reused@1',
          'created reused@2',
        ]);
        const expired = (await eventsOf(catalog))[1];
        assert.deepEqual(expired?.frame, { name: 'swept', version: 1, expiresAt });
        assert.equal(expired?.at, start + 10);
      },
    );

    catalogTest('a version is transcoded when its last part is', makeCatalog, async (catalog) => {
      const first = change('f', 'create');
      const second = change('f', 'append');
      const third = change('f', 'append');
      for (const put of [first, second, third]) await catalog.commit(put);
      await catalog.addForm(first.part.id, parquetOf(first.part, true), start);
      await catalog.addForm(third.part.id, parquetOf(third.part, true), start);
      await catalog.addForm(third.part.id, parquetOf(third.part, true), start);
      assert.equal((await eventsOf(catalog)).length, 3);
      await catalog.refuseTranscoding(second.part.id, 'no such type', start + 7);
      await catalog.refuseTranscoding(second.part.id, 'no such type', start + 8);
      const transcoded = (await eventsOf(catalog)).slice(3).map(({ mark: _, ...event }) => event);
      const frame = { name: 'f', version: 3, rows: 30, bytes: 300, expiresAt: null };
      assert.deepEqual(transcoded, [{ seq: 4, kind: 'frame.settled', at: start + 7, frame }]);
    });

    catalogTest(
      'transcoding counts for the newest version only, with the parts that it has from earlier ones',
      makeCatalog,
      async (catalog) => {
        const first = change('f', 'create');
        const second = change('f', 'append');
        const replacing = change('f', 'replace');
        for (const put of [first, second, replacing]) await catalog.commit(put);
        const transcode = ({ part }: typeof first) => catalog.addForm(part.id, parquetOf(part, true), start);
        await transcode(second);
        assert.equal((await eventsOf(catalog)).length, 3, 'of an earlier version');
        const restore = { attempt: randomUUID(), tenant, name: 'f', version: 1, ifVersion: null };
        await catalog.restore({ ...restore, idempotency: null, now: start });
        await transcode(replacing);
        assert.equal((await eventsOf(catalog)).length, 4, 'of an earlier version again');
        await transcode(first);
        assert.deepEqual((await shortly(catalog)).at(-1), 'settled f@4');
        await catalog.drop(dropOf(tenant, 'f', null, null, start, hourMs));
        assert.equal((await eventsOf(catalog)).length, 6);
      },
    );

    catalogTest('each tenant has its own numbers and sees its own events', makeCatalog, async (catalog) => {
      await catalog.commit(change('f', 'create'));
      await catalog.commit(change('f', 'create', { tenant: 'other' }));
      await catalog.commit(change('g', 'create', { tenant: 'other' }));
      assert.deepEqual(await shortly(catalog), ['created f@1']);
      assert.deepEqual(await shortly(catalog, 'other'), ['created f@1', 'created g@1']);
      assert.deepEqual(await catalog.events('nobody', 0, 10), {
        events: [],
        last: 0,
        lastMark: null,
        oldest: 1,
        isContinued: true,
      });
    });

    catalogTest('a page begins after a number and has a limit', makeCatalog, async (catalog) => {
      for (let index = 0; index < 5; index++) await catalog.commit(change(`f${index}`, 'create'));
      const page = async (after: number, limit: number) =>
        (await catalog.events(tenant, after, limit)).events.map(({ seq }) => seq);
      assert.deepEqual(await page(0, 2), [1, 2]);
      assert.deepEqual(await page(2, 2), [3, 4]);
      assert.deepEqual(await page(4, 2), [5]);
      assert.deepEqual(await page(5, 2), []);
      assert.deepEqual(await page(500, 2), []);
    });

    catalogTest('an event of another history is recognised by its mark', makeCatalog, async (catalog) => {
      for (let index = 0; index < 3; index++) await catalog.commit(change(`f${index}`, 'create'));
      const { events, last, lastMark } = await catalog.events(tenant, 0, 10);
      const marks = events.map(({ mark }) => mark);
      assert.equal(new Set(marks).size, 3);
      assert.equal(lastMark, marks[2]);
      const continues = async (after: number, mark: number | null) =>
        (await catalog.events(tenant, after, 10, mark)).isContinued;
      for (const [index, { seq, mark }] of events.entries()) {
        assert.ok(await continues(seq, mark));
        // Of a release that gave none.
        assert.ok(await continues(seq, null));
        assert.ok(!(await continues(seq, marks[(index + 1) % 3] as number)));
      }
      assert.ok(!(await continues(last + 1, null)));
    });

    catalogTest('events are removed after an hour, and the numbers go on', makeCatalog, async (catalog) => {
      await catalog.commit(change('old', 'create', { now: start }));
      await catalog.commit(change('late', 'create', { now: start + 10 }));
      // The clock was set back: what is left must not have a gap.
      await catalog.commit(change('back', 'create', { now: start - 5 }));
      await catalog.commit(change('young', 'create', { now: start + hourMs }));
      await catalog.sweep(10, null, start + hourMs + 5);
      assert.deepEqual(await shortly(catalog), ['created young@1']);
      await catalog.sweep(10, null, start + 3 * hourMs);
      const { lastMark, ...rest } = await catalog.events(tenant, 0, 10);
      assert.deepEqual(rest, { events: [], last: 4, oldest: 5, isContinued: true });
      // Of the last one the mark is known, also when it is not kept any more.
      for (const [mark, isContinued] of [
        [lastMark, true],
        [1, false],
        [null, true],
      ] as const)
        assert.equal((await catalog.events(tenant, 4, 10, mark)).isContinued, isContinued);
      await catalog.commit(change('next', 'create', { now: start + 3 * hourMs }));
      assert.deepEqual((await eventsOf(catalog))[0]?.seq, 5);
    });

    catalogTest('watchers hear of tenants with new events, until they stop', makeCatalog, async (catalog) => {
      const heard: string[] = [];
      const stop = catalog.watchEvents(
        (tenants) => heard.push(...tenants),
        () => [tenant, 'other', 'third'],
      );
      await catalog.commit(change('f', 'create'));
      await eventually('the first', () => heard.includes(tenant));
      await catalog.commit(change('f', 'create', { tenant: 'other' }));
      await eventually('the second', () => heard.includes('other'));
      await catalog.lease('work', 'owner', start + 1, start);
      stop();
      await catalog.commit(change('g', 'create', { tenant: 'third' }));
      await catalog.ping();
      // A catalog may call back more than once.
      assert.deepEqual([...new Set(heard)], [tenant, 'other']);
    });
  });
}
