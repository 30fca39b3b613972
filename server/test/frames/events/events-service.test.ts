import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openSqliteCatalog } from '../../../src/catalog/sqlite/sqlite-catalog.ts';
import { MemoryQueries } from '../../../src/cluster/memory-queries.ts';
import { AccessGuard } from '../../../src/frames/access/access-guard.ts';
import { Audit } from '../../../src/frames/access/audit.ts';
import type { EventStream, StreamedEvent } from '../../../src/frames/events/events.ts';
import { EventsService } from '../../../src/frames/events/events-service.ts';
import { type Caller, openCaller } from '../../../src/model/caller.ts';
import { FrameholdError } from '../../../src/model/errors.ts';
import type { EventCatalog } from '../../../src/ports/catalog/events.ts';
import type { Observation } from '../../../src/ports/observation.ts';
import { change, tenant } from '../../catalog/change-builder.ts';
import { refused } from '../../catalog/conformance/assertions.ts';
import { eventually } from '../../support/patience.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder('events');
const closing: (() => Promise<void>)[] = [];
after(async () => {
  for (const close of closing) await close();
  removeFolder(folder);
});

const caller: Caller = { ...openCaller, tenant };

/** The service over a catalog of its own. `reads` counts how often the catalog was asked for events. */
async function open(limits = { streamsMax: 1_000, tenantStreamsMax: 1_000 }) {
  const catalog = await openSqliteCatalog({ path: join(folder, `${randomUUID()}.sqlite`) });
  const queries = new MemoryQueries(Date.now);
  const observations: Observation[] = [];
  const observe = (observation: Observation) => void observations.push(observation);
  const access = new AccessGuard(new Audit(observe));
  let reads = 0;
  const counted: EventCatalog = {
    events: (...args) => {
      reads += 1;
      return catalog.events(...args);
    },
    watchEvents: (listener, watched) => catalog.watchEvents(listener, watched),
  };
  const service = new EventsService({ catalog: counted, queries, access, observe, now: Date.now }, limits);
  closing.push(async () => {
    service.stop();
    await catalog.close();
  });
  const put = (name: string, owner = tenant) =>
    catalog.commit(change(name, 'create', { now: Date.now(), tenant: owner }));
  const ends = () =>
    observations.flatMap((each) => (each.event === 'event-stream-ended' ? [each.reason] : []));
  return { catalog, queries, service, put, ends, reads: () => reads };
}

/** Takes everything as it comes. */
class Taker {
  readonly events: StreamedEvent[] = [];
  readonly stream: EventStream;
  readonly end: Promise<void>;

  constructor(stream: EventStream) {
    this.stream = stream;
    this.end = this.#take();
  }

  async #take(): Promise<void> {
    for await (const step of this.stream) this.events.push(...step);
  }

  get shortly(): string[] {
    return this.events.map(({ id, kind, data }) => {
      const { name } = JSON.parse(data) as { name?: string };
      return [id?.seq, kind, ...(name === undefined ? [] : [name])].join(' ');
    });
  }

  async until(count: number): Promise<void> {
    await eventually(`${count} events`, () => this.events.length >= count);
  }
}

async function follow(service: EventsService, from: number | null, as = caller): Promise<Taker> {
  return new Taker(
    await service.subscribe(
      as,
      from === null ? null : { seq: from, mark: null },
      new AbortController().signal,
    ),
  );
}

test('a stream begins now, or after what was seen, or anew if that is not possible', async () => {
  const { service, put } = await open();
  await put('a');
  const first = await follow(service, null);
  await put('b');
  await put('c');
  await first.until(3);
  assert.deepEqual(first.shortly, ['1 hello', '2 frame.created b', '3 frame.created c']);
  assert.equal(first.events[0]?.data, '{"last":1}');

  const all = await follow(service, 0);
  const later = await follow(service, 2);
  const newest = await follow(service, 3);
  const beyond = await follow(service, 4);
  await put('d');
  await all.until(4);
  for (const each of [later, beyond]) await each.until(2);
  await newest.until(1);
  const d = '4 frame.created d';
  assert.deepEqual(all.shortly, ['1 frame.created a', '2 frame.created b', '3 frame.created c', d]);
  assert.deepEqual(later.shortly, ['3 frame.created c', d]);
  assert.deepEqual(newest.shortly, [d]);
  assert.deepEqual(beyond.shortly, ['3 reset', d]);
});

test('after events were removed, a stream that has not seen them begins anew', async () => {
  const { service, catalog, put } = await open();
  for (const name of ['a', 'b', 'c']) await put(name);
  await catalog.sweep(10, null, Date.now() + 3_600_001);
  await put('d');
  const [old, young] = [await follow(service, 2), await follow(service, 3)];
  await young.until(1);
  await old.until(1);
  assert.deepEqual([old.shortly, young.shortly], [['4 reset'], ['4 frame.created d']]);
});

test('the data are those of the frame, with times as texts', async () => {
  const { service, catalog } = await open();
  const now = Date.UTC(2026, 10, 16, 12);
  const taker = await follow(service, null);
  await catalog.commit(change('f', 'create', { now, expiresAt: now + 1_000 }));
  await catalog.share(tenant, 'f', 'other', now);
  await taker.until(3);
  assert.deepEqual(
    taker.events.slice(1).map(({ data }) => JSON.parse(data)),
    [
      {
        name: 'f',
        version: 1,
        rows: 10,
        bytes: 100,
        at: '2026-11-16T12:00:00.000Z',
        expiresAt: '2026-11-16T12:00:01.000Z',
        origin: { kind: 'upload', format: 'arrow' },
      },
      { name: 'f', version: 1, at: '2026-11-16T12:00:00.000Z', change: 'shares' },
    ],
  );
});

test('streams of one tenant share what is read; those of another see nothing', async () => {
  const { service, put, reads } = await open();
  const takers = await Promise.all(Array.from({ length: 50 }, () => follow(service, 0)));
  const other = await follow(service, 0, { ...caller, tenant: 'other' });
  const before = reads();
  for (let index = 0; index < 20; index++) await put(`f${index}`);
  await put('theirs', 'other');
  for (const taker of takers) await taker.until(20);
  await other.until(1);
  // One read for each commit at most, and one more to find that there is nothing left.
  assert.ok(reads() - before <= 2 * 21 + 2, `${reads() - before} reads for 51 streams`);
  const expected = Array.from({ length: 20 }, (_, index) => `${index + 1} frame.created f${index}`);
  for (const taker of takers) assert.deepEqual(taker.shortly, expected);
  assert.deepEqual(other.shortly, ['1 frame.created theirs']);
  assert.equal(service.open, 51);
});

test('a reader that is behind misses nothing, and nothing is held for it', async () => {
  const { service, put } = await open();
  const stream = await service.subscribe(caller, null, new AbortController().signal);
  const prompt = await follow(service, null);
  // Far more than is held in memory for all streams together.
  for (let first = 0; first < 3_000; first += 500)
    await Promise.all(Array.from({ length: 500 }, (_, index) => put(`f${first + index}`)));
  await prompt.until(3_001);
  const late = new Taker(stream);
  await late.until(3_001);
  for (const { events } of [prompt, late])
    assert.deepEqual(
      events.map(({ id }) => id?.seq),
      [0, ...Array.from({ length: 3_000 }, (_, index) => index + 1)],
    );
});

test('too many streams are refused, and one that ends makes room', async () => {
  const { service } = await open({ streamsMax: 3, tenantStreamsMax: 2 });
  const { signal } = new AbortController();
  const leaving = new AbortController();
  const first = await service.subscribe(caller, null, leaving.signal);
  await service.subscribe(caller, null, signal);
  await refused(service.subscribe(caller, null, signal), 'rate_limited', /2 streams/);
  const other = { ...caller, tenant: 'other' };
  await service.subscribe(other, null, signal);
  await refused(service.subscribe(other, null, signal), 'overloaded', /3 streams/);
  leaving.abort();
  assert.equal(first.ended.aborted, true);
  const again = await service.subscribe(caller, null, signal);
  again.end('left');
  again.end('left');
  await service.subscribe(caller, null, signal);
  await refused(service.subscribe(caller, null, signal), 'rate_limited');
  assert.equal(service.open, 3);
});

test('a caller without the right is refused and takes no place', async () => {
  const { service } = await open({ streamsMax: 1, tenantStreamsMax: 1 });
  const { signal } = new AbortController();
  await refused(service.subscribe({ ...caller, scopes: new Set(['write']) }, null, signal), 'access_denied');
  await refused(
    service.subscribe({ ...caller, link: { name: 'f', version: 1 } }, null, signal),
    'access_denied',
  );
  const aborted = AbortSignal.abort(new FrameholdError('cancelled', 'gone'));
  await refused(service.subscribe(caller, null, aborted), 'cancelled');
  await service.subscribe(caller, null, signal);
});

test('a stream ends with its credential: while nothing happens, and before the next event', async () => {
  const { service, put, ends } = await open();
  let isValid = true;
  const passing = { ...caller, isCurrent: () => isValid };
  const quiet = await follow(service, null, passing);
  const lasting = await follow(service, null);
  await quiet.until(1);
  isValid = false;
  await quiet.end;
  assert.deepEqual(ends(), ['credential']);
  isValid = true;
  const busy = await follow(service, null, passing);
  await busy.until(1);
  isValid = false;
  await put('secret');
  await busy.end;
  await lasting.until(2);
  assert.deepEqual(busy.shortly, ['0 hello']);
});

test('when the server stops, streams end and no more are accepted', async () => {
  const { service, ends } = await open();
  const takers = await Promise.all([follow(service, null), follow(service, 0)]);
  service.stop();
  for (const taker of takers) await taker.end;
  assert.deepEqual(ends(), ['stopped', 'stopped']);
  assert.equal(service.open, 0);
  await refused(service.subscribe(caller, null, new AbortController().signal), 'draining');
});

test('a statement is reported when it starts and when it ends; a short one once', async () => {
  const { service, queries } = await open();
  const taker = await follow(service, null);
  const long = queries.begin(caller, 'select long', null);
  const foreign = queries.begin({ ...caller, tenant: 'other' }, 'select theirs', null);
  await taker.until(2);
  long.rows = 7;
  queries.end(long, 'ok');
  queries.end(foreign, 'ok');
  await taker.until(3);
  const short = queries.begin(caller, `select '${'x'.repeat(2_000)}'`, null);
  queries.end(short, new FrameholdError('sql_failed', 'it is wrong'));
  const left = queries.begin(caller, 'select left', { text: 'mine', isOptional: false });
  queries.end(left, 'cancelled');
  await taker.until(5);
  const [, started, ended, failed, cancelled] = taker.events;
  assert.deepEqual(taker.shortly, [
    '0 hello',
    ' statement.started',
    ' statement.ended',
    ' statement.ended',
    ' statement.ended',
  ]);
  const { startedAt, ...start } = JSON.parse(started?.data ?? '');
  assert.equal(startedAt, new Date(long.startedAt).toISOString());
  assert.deepEqual(start, { id: long.id, query: 'select long', rows: 0, state: 'waiting' });
  const { durationMs, ...end } = JSON.parse(ended?.data ?? '');
  assert.ok(durationMs >= 200, `${durationMs} ms`);
  assert.deepEqual(end, { id: long.id, query: 'select long', rows: 7, startedAt, state: 'done' });
  const failure = JSON.parse(failed?.data ?? '');
  assert.deepEqual(
    [failure.state, failure.error, failure.query.length],
    ['failed', { code: 'sql_failed', detail: 'it is wrong' }, 1_000],
  );
  const leave = JSON.parse(cancelled?.data ?? '');
  assert.deepEqual([leave.id, leave.state, leave.error], ['mine', 'cancelled', undefined]);
});

test('of very many statements short ones are left out, but none that started stays without its end', async () => {
  const { service, queries } = await open();
  const taker = await follow(service, null);
  const long = Array.from({ length: 150 }, (_, index) => queries.begin(caller, `select ${index}`, null));
  for (let index = 0; index < 3_000; index++) queries.end(queries.begin(caller, 'select 1', null), 'ok');
  await taker.until(151);
  const kinds = () => Map.groupBy(taker.events, ({ kind }) => kind);
  assert.equal(kinds().get('statement.started')?.length, 150);
  assert.equal(kinds().get('statement.ended'), undefined);
  for (const query of long) queries.end(query, 'ok');
  await taker.until(301);
  const ids = (kind: string) =>
    new Set(
      kinds()
        .get(kind)
        ?.map(({ data }) => JSON.parse(data).id),
    );
  assert.deepEqual(ids('statement.ended'), ids('statement.started'));
});

test('a reader that misses statements is ended, and the others are not', async () => {
  const { service, queries, ends } = await open();
  const prompt = await follow(service, null);
  const stream = await service.subscribe(caller, null, new AbortController().signal);
  const iterator = stream[Symbol.asyncIterator]();
  await iterator.next();
  const text = `select '${'x'.repeat(990)}'`;
  // Some 260 of them are held for all streams together.
  for (let round = 0; round < 4; round++) {
    for (let index = 0; index < 100; index++) queries.end(queries.begin(caller, text, null), 'ok');
    await prompt.until(1 + 100 * (round + 1));
  }
  assert.equal((await iterator.next()).done, true);
  assert.deepEqual([ends(), stream.ended.aborted, service.open], [['slow'], true, 1]);
});
