/** Streams of events of the started command: many readers, everything that can happen, two tenants, ended credentials, a stop. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { EventReader } from '../../server/test/support/event-reader.ts';
import { getText, send } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { inLongRun } from '../../server/test/support/long-run.ts';
import { assertTook } from '../../server/test/support/machine-pace.ts';
import { TestCredentials } from '../../server/test/support/test-credentials.ts';

let framehold: Framehold;
before(async () => {
  framehold = await Framehold.start({ env: { FRAMEHOLD_JOBS_SWEEP_INTERVAL_MS: '200' } });
});
after(() => framehold?.remove());

const csv = { type: 'text/csv' };

function bearer(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

async function put(url: string, name: string, token?: string): Promise<void> {
  await send(url, `/v1/frames/${name}`, 'a\n1\n', { ...csv, headers: bearer(token), status: 201 });
}

test('a hundred readers see the same events in the same order, and each event once', async (t) => {
  const { url } = framehold;
  const readers = await Promise.all(Array.from({ length: 100 }, () => EventReader.open(url, { after: 0 })));
  t.after(() => {
    for (const reader of readers) reader[Symbol.dispose]();
  });
  const count = inLongRun(2_000, 120);
  for (let first = 0; first < count; first += 20)
    await Promise.all(Array.from({ length: 20 }, (_, index) => put(url, `f${first + index}`)));
  const made = (reader: EventReader) => reader.events.filter(({ kind }) => kind === 'frame.created');
  for (const reader of readers) await reader.until('all of them', () => made(reader).length === count);
  const [first] = readers as [EventReader];
  assert.deepEqual(new Set(made(first).map(({ data }) => data.name)).size, count);
  for (const reader of readers) {
    const ids = reader.events.flatMap(({ id }) => id ?? []);
    assert.deepEqual(
      ids,
      ids.map((_, index) => index + 1),
      'no gap, no duplicate',
    );
    const shared = Math.min(reader.events.length, first.events.length);
    assert.deepEqual(reader.events.slice(0, shared), first.events.slice(0, shared));
  }
  const metrics = await getText(`${url}/metrics`);
  assert.match(metrics.text, /^framehold_event_streams_open 100$/m);
});

test('what SQL, appends, restores, drops and expiries do is seen, with the statements', async () => {
  const { url } = framehold;
  using reader = await EventReader.open(url);
  const ask = async (path: string, init: RequestInit = {}) => {
    const answer = await getText(url + path, init);
    assert.ok(answer.status < 300, answer.text);
  };
  const sql = (text: string) =>
    ask('/v1/sql', { method: 'POST', headers: { 'content-type': 'application/sql' }, body: text });
  await put(url, 'f');
  await send(url, '/v1/frames/f/rows', 'a\n2\n', { ...csv, method: 'POST', status: 200 });
  await sql('create or replace table f as select 1 as b');
  await ask('/v1/frames/f/restore?version=1', { method: 'POST' });
  await ask('/v1/frames/f', { method: 'DELETE' });
  await ask('/v1/frames/f/undrop', { method: 'POST' });
  await send(url, '/v1/frames/brief?ttl=1', 'a\n1\n', { ...csv, status: 201 });
  await reader.until('the end of the brief one', (events) =>
    events.some(({ kind }) => kind === 'frame.expired'),
  );
  await reader.until('the statement', (events) => events.some(({ kind }) => kind === 'statement.ended'));
  const frames = reader.shortly.filter((text) => / frame\./.test(text) && !text.includes('settled'));
  assert.deepEqual(
    frames.map((text) => text.replace(/^\d+ frame\./, '')),
    [
      'created f@1',
      'appended f@2',
      'replaced f@3',
      'restored f@4',
      'dropped f@4',
      'undropped f@4',
      'created brief@1',
      'expired brief@1',
    ],
  );
  const statement = reader.events.find(({ kind }) => kind === 'statement.ended');
  assert.deepEqual(
    [statement?.id, statement?.data.state, statement?.data.query],
    [null, 'done', 'create or replace table f as select 1 as b'],
  );
  await sql('select * from f');
  await reader.until('transcoded', (events) =>
    events.some(({ kind, data }) => kind === 'frame.settled' && data.name === 'f'),
  );
});

test('a tenant sees its own events only; a stream ends with its token; a stop ends streams at once', async () => {
  const { url } = framehold;
  using open = await EventReader.open(url);
  await open.until('hello', (events) => events.length === 1);
  using credentials = new TestCredentials(framehold.dataDirectory);
  const tokens = ['acme', 'zeta'].map((tenant) => credentials.create({ tenant, scopes: ['write'] }));
  const [acme, zeta] = tokens as [string, string];
  // With the first token the server is no longer open to everyone.
  await open.untilEnd();
  assert.equal((await getText(`${url}/v1/events`)).status, 401);
  using ours = await EventReader.open(url, { token: acme, after: 0 });
  using theirs = await EventReader.open(url, { token: zeta, after: 0 });
  await put(url, 'mine', acme);
  await put(url, 'yours', zeta);
  const isMade = (reader: EventReader, name: string) =>
    reader.until(name, (events) => events.some(({ data }) => data.name === name));
  await isMade(ours, 'mine');
  await isMade(theirs, 'yours');
  assert.deepEqual(
    [ours.shortly[0], theirs.shortly[0]],
    ['1 frame.created mine@1', '1 frame.created yours@1'],
  );
  assert.doesNotMatch(JSON.stringify(ours.events), /yours|zeta/);
  assert.doesNotMatch(JSON.stringify(theirs.events), /mine|acme/);

  credentials.revoke(acme);
  await ours.untilEnd();
  assert.equal(ours.answer.complete, true);
  assert.equal(theirs.hasEnded, false);
  const begun = performance.now();
  await framehold.stop();
  assertTook(performance.now() - begun, 5_000, 'the stop');
  await theirs.untilEnd();
  assert.equal(theirs.answer.complete, true, 'ended, not cut');
});
