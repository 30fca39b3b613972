/**
 * Writers and readers at a server that is killed again and again: what a reader has seen in the end, over all of its connections, is every change
 * that was made, once, in order. EVENTS_SEED chooses the instants; `npm run test:long -- events` runs more rounds.
 */
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Failpoint } from '../../server/src/model/failpoints.ts';
import { type Random, seededRandom } from '../../server/test/fuzz/seeded-random.ts';
import { ask } from '../../server/test/support/catalog-file.ts';
import { EventReader, type ReceivedEvent } from '../../server/test/support/event-reader.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { inLongRun } from '../../server/test/support/long-run.ts';
import { timePasses } from '../../server/test/support/passing-time.ts';
import { eventually } from '../../server/test/support/patience.ts';

const seed = Number(process.env.EVENTS_SEED ?? '20261116');
/** Before the events are on the disk, after that but before anybody knows, and at any time. */
const deaths: readonly (Failpoint | null)[] = ['catalog:changed', 'catalog:synced', null];
const roundCount = inLongRun(30, 3);

/** The server of the moment; null while there is none. */
interface Place {
  url: string | null;
  isOver: boolean;
}

/** One after another, each until it is answered: the answers are what must be there. */
class Writer {
  /** `name@version` of puts, and names that were dropped. */
  readonly made: string[] = [];
  readonly dropped: string[] = [];
  readonly #place: Place;
  readonly #id: number;
  readonly #random: Random;

  constructor(place: Place, id: number) {
    this.#place = place;
    this.#id = id;
    this.#random = seededRandom(seed, id);
  }

  async run(): Promise<void> {
    for (let count = 0; !this.#place.isOver; count++) {
      const name = `w${this.#id}-${count}`;
      await this.#put(`/v1/frames/${name}`, 'PUT', `${name}-1`);
      for (let more = this.#random(4); more > 0; more--) {
        const isAppend = this.#random(2) === 0;
        const path = `/v1/frames/${name}${isAppend ? '/rows' : ''}`;
        await this.#put(path, isAppend ? 'POST' : 'PUT', `${name}-more-${more}`);
      }
      if (this.#random(3) > 0) continue;
      await this.#ask(`/v1/frames/${name}`, { method: 'DELETE' });
      this.dropped.push(name);
    }
  }

  async #put(path: string, method: string, key: string): Promise<void> {
    const headers = { 'content-type': 'text/csv', 'idempotency-key': key };
    const { name, version } = JSON.parse(await this.#ask(path, { method, headers, body: 'a\n1\n' }));
    this.made.push(`${name}@${version}`);
  }

  /** Repeats what was not answered, until it is: a drop that is repeated may find that nothing is left. */
  async #ask(path: string, init: RequestInit): Promise<string> {
    for (;;) {
      const { url } = this.#place;
      try {
        if (url === null) throw new Error('no server');
        const answer = await fetch(url + path, init);
        const text = await answer.text();
        if (answer.ok || (init.method === 'DELETE' && answer.status === 410)) return text;
        if (answer.status < 500) throw new assert.AssertionError({ message: `${path}: ${text}` });
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
      }
      await timePasses(20, 'before it is tried again');
    }
  }
}

/** Connects again and again, each time after the last event that it got. */
async function readAll(place: Place, lastOf: () => number | null): Promise<ReceivedEvent[]> {
  const all: ReceivedEvent[] = [];
  let after = 0;
  const isWhole = (id: number) => id >= (lastOf() ?? Number.POSITIVE_INFINITY);
  while (!isWhole(after)) {
    const { url } = place;
    const reader = url === null ? null : await EventReader.open(url, { after }).catch(() => null);
    if (reader === null) {
      await timePasses(20, 'before it is tried again');
      continue;
    }
    using open = reader;
    await eventually('the end', () => open.hasEnded || isWhole(open.lastId ?? after));
    all.push(...open.events.filter(({ id }) => id !== null));
    after = open.lastId ?? after;
  }
  return all;
}

test(`no event is missing and none comes twice, however often the server dies (EVENTS_SEED=${seed})`, async (t) => {
  const framehold = Framehold.prepare({
    env: { FRAMEHOLD_FRAMES_VERSIONS_KEEP: '1000' },
    imports: [join(import.meta.dirname, '..', '..', 'server', 'test', 'support', 'crash-at-failpoint.ts')],
  });
  t.after(() => framehold.remove());
  const armed = join(framehold.home, 'armed');
  const place: Place = { url: null, isOver: false };
  const lastId = () =>
    ask<{ last: number }>(framehold.dataDirectory, 'SELECT last FROM event_heads')[0]?.last ?? 0;
  const writers = Array.from({ length: 6 }, (_, id) => new Writer(place, id));
  const writing = Promise.all(writers.map((writer) => writer.run()));
  let last: number | null = null;
  const reading = Promise.all(Array.from({ length: 4 }, () => readAll(place, () => last)));
  const random = seededRandom(seed, 1_000);
  for (let round = 0; round < roundCount; round++) {
    const step = deaths[round % deaths.length];
    rmSync(armed, { force: true });
    const crash = step === null ? {} : { CRASH_AT: `${step}#${10 + random(60)}`, CRASH_ARMED_BY: armed };
    await framehold.start(crash);
    place.url = framehold.url;
    writeFileSync(armed, '');
    if (step === null) {
      await timePasses(200 + random(1_000), 'death comes at any moment');
      await framehold.kill();
    } else assert.equal(await framehold.death(), 'SIGKILL');
    place.url = null;
  }
  await framehold.start();
  place.url = framehold.url;
  const made = () => writers.reduce((sum, writer) => sum + writer.made.length, 0);
  const before = made();
  await eventually('writers go on', () => made() > before + 20);
  place.isOver = true;
  await writing;
  // What was transcoded is reported, too.
  await eventually('quiet', async () => {
    const before = lastId();
    await timePasses(500, 'that nothing comes is no event');
    return lastId() === before;
  });
  last = lastId();
  const seen = (await reading).map((events) => events.slice(0, last ?? 0));

  const versions = ask<{ handle: string }>(
    framehold.dataDirectory,
    `SELECT n.name || '@' || v.version AS handle FROM names n JOIN kept_versions v ON v.name_id = n.id`,
  ).map(({ handle }) => handle);
  const puts = new Set(['frame.created', 'frame.replaced', 'frame.appended']);
  for (const events of seen) {
    assert.deepEqual(
      events.map(({ id }) => id),
      Array.from({ length: last }, (_, index) => index + 1),
      'no gap, no duplicate',
    );
    const made = events
      .filter(({ kind }) => puts.has(kind))
      .map(({ data }) => `${data.name}@${data.version}`);
    assert.deepEqual(made.toSorted(), versions.toSorted(), 'one event for each version');
    const dropped = events.filter(({ kind }) => kind === 'frame.dropped').map(({ data }) => data.name);
    assert.deepEqual(dropped.toSorted(), writers.flatMap((writer) => writer.dropped).toSorted());
    assert.deepEqual(events, seen[0]);
  }
  const stored = new Set(versions);
  const acknowledged = writers.flatMap((writer) => writer.made);
  assert.deepEqual(
    acknowledged.filter((handle) => !stored.has(handle)),
    [],
  );
  assert.ok(acknowledged.length > 10 * roundCount, String(acknowledged.length));
  t.diagnostic(`${roundCount} kills, ${acknowledged.length} puts, ${last} events, ${seen.length} readers`);
});
