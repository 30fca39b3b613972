/** Readers of the started command that are far behind: events that are no longer kept, and clients that take nothing. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { EventReader } from '../../server/test/support/event-reader.ts';
import { getText, send } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { eventually } from '../../server/test/support/patience.ts';

let framehold: Framehold;
before(async () => {
  framehold = await Framehold.start({
    env: { FRAMEHOLD_HTTP_ANSWER_TIMEOUT_MS: '2000', FRAMEHOLD_JOBS_SWEEP_INTERVAL_MS: '200' },
  });
});
after(() => framehold?.remove());

const put = (name: string) =>
  send(framehold.url, `/v1/frames/${name}`, 'a\n1\n', { type: 'text/csv', status: 201 });

/** Changes the catalog of the stopped server, and starts it again. */
async function restartWith(sql: string): Promise<void> {
  await framehold.stop();
  const catalog = new DatabaseSync(join(framehold.dataDirectory, 'catalog.sqlite'));
  catalog.exec(sql);
  catalog.close();
  await framehold.start();
}

test('after events have been removed, a reader that missed them is told to begin anew', async () => {
  for (const name of ['a', 'b', 'c', 'd']) await put(name);
  // As if more than an hour had passed since the first two.
  await restartWith('UPDATE events SET at = at - 3600000 WHERE seq <= 2');
  const { url } = framehold;
  await eventually('the sweep', async () => {
    using reader = await EventReader.open(url, { after: 0 });
    await reader.until('the first', (events) => events.length > 0);
    return reader.events[0]?.kind === 'reset';
  });
  using missed = await EventReader.open(url, { after: 1 });
  using seen = await EventReader.open(url, { after: 2 });
  await put('e');
  for (const reader of [missed, seen])
    await reader.until('e', (events) => events.some(({ data }) => data.name === 'e'));
  assert.equal(missed.events[0]?.kind, 'reset');
  assert.equal(missed.events[0]?.id, missed.events[0]?.data.last);
  // The first frame may have been transcoded before the third was put.
  assert.match(seen.shortly[0] ?? '', /^3 /);
});

/** Resident memory of the server, in MB. */
function residentMegabytes(): number {
  const status = readFileSync(`/proc/${framehold.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

async function metric(pattern: RegExp): Promise<number> {
  return Number(pattern.exec((await getText(`${framehold.url}/metrics`)).text)?.[1] ?? 0);
}

test('clients that take nothing are dropped, and the server holds little for them', async (t) => {
  // Twenty megabytes to catch up with: more than the system takes for a client that does not read.
  await restartWith(`
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 9000)
    INSERT INTO events SELECT 'default', last + n, (SELECT max(at) FROM events), 'frame.changed',
      json_object('name', printf('%.*c', 2000, 'n'), 'version', n, 'change', 'shares'), n
    FROM numbers, event_heads;
    UPDATE event_heads SET last = last + 9000, last_mark = 9000;
  `);
  const { url } = framehold;
  using prompt = await EventReader.open(url, { after: 2 });
  await prompt.until('all of them', (events) => events.length >= 9_000);
  const before = residentMegabytes();
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, residentMegabytes());
  }, 20);
  const silent: Socket[] = [];
  t.after(() => {
    clearInterval(watch);
    for (const socket of silent) socket.destroy();
  });
  const { port, hostname, host } = new URL(url);
  for (let index = 0; index < 100; index++) {
    const socket = connect(Number(port), hostname).pause();
    socket.on('error', () => {});
    socket.write(`GET /v1/events?after=2 HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    silent.push(socket);
  }
  const slow = () => metric(/^framehold_event_streams_ended_total\{reason="slow"\} (\d+)$/m);
  await eventually('the end of all of them', async () => (await slow()) === 100);
  t.diagnostic(`${Math.round(before)} MB before, ${Math.round(most)} MB at most`);
  // All that they have not taken would be two gigabytes. Most of what is measured is garbage of what the system took for them.
  assert.ok(most - before < 500, `${Math.round(before)} MB before, ${Math.round(most)} MB at most`);
  await put('later');
  await prompt.until('later', (events) => events.some(({ data }) => data.name === 'later'));
  const ids = prompt.events.flatMap(({ id }) => id ?? []);
  assert.deepEqual(
    ids,
    ids.map((_, index) => index + 3),
    'no gap, no duplicate',
  );
});
