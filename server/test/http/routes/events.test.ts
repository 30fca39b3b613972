import assert from 'node:assert/strict';
import { get } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, mock, test } from 'node:test';
import { openSqliteCatalog } from '../../../src/catalog/sqlite/sqlite-catalog.ts';
import { MemoryQueries } from '../../../src/cluster/memory-queries.ts';
import { AccessGuard } from '../../../src/frames/access/access-guard.ts';
import { Audit } from '../../../src/frames/access/audit.ts';
import { EventsService } from '../../../src/frames/events/events-service.ts';
import { openCaller } from '../../../src/model/caller.ts';
import type { Catalog } from '../../../src/ports/catalog/catalog.ts';
import type { Observation } from '../../../src/ports/observation.ts';
import { change } from '../../catalog/change-builder.ts';
import { EventReader } from '../../support/event-reader.ts';
import { assertProblem, getText } from '../../support/frame-client.ts';
import { eventually } from '../../support/patience.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { openBrowserRules, startBareListener } from '../bare-listener.ts';

const { tenant } = openCaller;
const folder = temporaryFolder('events-route');
const observations: Observation[] = [];
const observe = (observation: Observation) => void observations.push(observation);
const limits = { streamsMax: 20, tenantStreamsMax: 20 };
let catalog: Catalog;

before(async () => {
  catalog = await openSqliteCatalog({ path: join(folder, 'catalog.sqlite') });
  await put('before');
});
after(async () => {
  await catalog.close();
  removeFolder(folder);
});

const put = (name: string) => catalog.commit(change(name, 'create', { tenant, now: Date.now() }));

/** The route over the real service and catalog. */
async function listen(answerIdleMs = 60_000) {
  const access = new AccessGuard(new Audit(observe));
  const queries = new MemoryQueries(Date.now);
  const events = new EventsService({ catalog, queries, access, observe, now: Date.now }, limits);
  const browsers = { ...openBrowserRules, corsOrigins: new Set(['https://app.example']) };
  const listener = await startBareListener({ events, browsers, limits: { answerIdleMs } });
  return { ...listener, events, queries, [Symbol.asyncDispose]: () => listener.close() };
}

test('the head comes at once, is kept by nobody and collected by no proxy; then come the events', async () => {
  await using server = await listen();
  using reader = await EventReader.open(server.url);
  assert.equal(reader.status, 200);
  const { headers } = reader.answer;
  assert.equal(headers['content-type'], 'text/event-stream');
  assert.equal(headers['cache-control'], 'no-store');
  assert.equal(headers['x-accel-buffering'], 'no');
  assert.equal(headers['content-encoding'], undefined);
  await put('made');
  await reader.until('the event', (events) => events.length === 2);
  assert.deepEqual(reader.shortly, ['1 hello', '2 frame.created made@1']);
});

test('a stream goes on after the id of the header, or else of the parameter', async () => {
  await using server = await listen();
  using byHeader = await EventReader.open(server.url, { after: 0 });
  await byHeader.until('the first', (events) => events.length >= 1);
  assert.deepEqual(byHeader.shortly[0], '1 frame.created before@1');
  const first = async (query: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${server.url}/v1/events${query}`, { headers });
    const reader = answer.body?.getReader();
    let text = '';
    while (!text.includes('data')) text += Buffer.from((await reader?.read())?.value ?? []).toString();
    await reader?.cancel();
    return text;
  };
  assert.match(await first('?after=0'), /^: \n\nid: 1-\d+\nevent: frame\.created\ndata: \{"name":"before"/);
  assert.match(await first('?after=0', { 'last-event-id': '1' }), /^: \n\nid: 2-\d+\n/);
  const seen = /^id: (1-\d+)$/m.exec(await first('?after=0'))?.[1] ?? '';
  assert.match(await first(`?after=${seen}`), /^: \n\nid: 2-\d+\n/);
  // The same number in another history.
  assert.match(await first('?after=1-7'), /^: \n\nid: \d+-\d+\nevent: reset/);
  assert.match(await first('?after=77'), /^: \n\nid: \d+-\d+\nevent: reset\ndata: \{"last":\d+\}\n\n$/);
});

test('what is not an id is refused, and so are unknown parameters and other methods', async () => {
  await using server = await listen();
  const url = `${server.url}/v1/events`;
  for (const id of ['x', '-1', '1-', '1-x', '1-2-3', '1.5', '1e3', '9'.repeat(16)]) {
    const answer = await getText(url, { headers: { 'last-event-id': id } });
    assert.match(assertProblem(answer, 400, 'bad_request').hint ?? '', /id of the last event/);
    assertProblem(await getText(`${url}?after=${id}`), 400, 'bad_request');
  }
  assertProblem(await getText(`${url}?afte=1`), 400);
  assertProblem(await getText(url, { method: 'POST' }), 405, 'method_not_allowed');
  assert.equal(server.events.open, 0);
});

test('HEAD gets the head and opens no stream', async () => {
  await using server = await listen();
  const answer = await getText(`${server.url}/v1/events`, { method: 'HEAD' });
  assert.deepEqual([answer.status, answer.type, answer.text], [200, 'text/event-stream', '']);
  assert.equal(server.events.open, 0);
});

test('a page of an allowed origin may say where it was', async () => {
  await using server = await listen();
  const answer = await getText(`${server.url}/v1/events`, {
    method: 'OPTIONS',
    headers: { origin: 'https://app.example', 'access-control-request-method': 'GET' },
  });
  assert.equal(answer.status, 204);
  assert.match(answer.headers.get('access-control-allow-headers') ?? '', /\blast-event-id\b/);
});

test('a comment comes every 15 seconds', async () => {
  await using server = await listen();
  mock.timers.enable({ apis: ['setInterval'] });
  try {
    using reader = await EventReader.open(server.url);
    await reader.until('hello', (events) => events.length === 1);
    assert.equal(reader.comments, 1);
    mock.timers.tick(14_999);
    mock.timers.tick(1);
    await eventually('a heartbeat', () => reader.comments === 2);
    mock.timers.tick(30_000);
    await eventually('two more', () => reader.comments === 4);
  } finally {
    mock.timers.reset();
  }
});

test('a client that leaves is forgotten', async () => {
  await using server = await listen();
  const reader = await EventReader.open(server.url);
  await reader.until('hello', (events) => events.length === 1);
  assert.equal(server.events.open, 1);
  reader[Symbol.dispose]();
  await eventually('no stream', () => server.events.open === 0);
});

test('a client that takes nothing is left, and does not hold up the others', async () => {
  await using server = await listen(300);
  const { port } = new URL(server.url);
  const silent = connect(Number(port), '127.0.0.1');
  silent.on('error', () => {});
  silent.write('GET /v1/events?after=0 HTTP/1.1\r\nHost: a\r\n\r\n');
  silent.pause();
  await eventually('a stream', () => server.events.open === 1);
  using reader = await EventReader.open(server.url);
  await reader.until('hello', (events) => events.length === 1);
  const before = observations.length;
  // Three bytes each: the system takes some megabytes for a client that does not read.
  const text = `select '${'漢'.repeat(990)}'`;
  for (let round = 0; server.events.open > 1; round++) {
    assert.ok(round < 1_000, 'still there');
    for (let index = 0; index < 100; index++)
      server.queries.end(server.queries.begin(openCaller, text, null), 'ok');
    await reader.until('the round', (events) => events.length > 100 * round);
  }
  const reasons = observations
    .slice(before)
    .flatMap((each) => (each.event === 'event-stream-ended' ? [each.reason] : []));
  assert.deepEqual(reasons, ['slow']);
  silent.destroy();
});

test('a listener that closes ends streams at once', async () => {
  const server = await listen();
  const reader = await EventReader.open(server.url);
  await reader.until('hello', (events) => events.length === 1);
  await server.close();
  await reader.untilEnd();
  assert.equal(reader.answer.complete, true, 'ended, not cut');
  await new Promise<void>((resolve) => {
    get(`${server.url}/v1/events`, { agent: false }).once('error', () => resolve());
  });
});
