import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { getText, putFrame, send } from '../../../server/test/support/frame-client.ts';
import { Framehold } from '../../../server/test/support/framehold-process.ts';
import { machinePace } from '../../../server/test/support/machine-pace.ts';
import { arrowBytes } from '../../../server/test/support/python.ts';
import { rawHttp } from '../../../server/test/support/raw-http.ts';
import { allEndedWithin, Held, holdMany, portOf, underAttack } from './under-attack.ts';

const requestMs = 2_000;
const answerMs = 1_500;
const keepAliveMs = 2_000;
const connectionsMax = 400;
const putsMax = 8;
/** A server that shares its processors with the attackers looks a little later than it should. */
const slackMs = 4_000;

let framehold: Framehold;
let port: number;
before(async () => {
  framehold = await Framehold.start({
    ownConfigFile: [
      '[http]',
      `request_timeout_ms = ${requestMs}`,
      `answer_timeout_ms = ${answerMs}`,
      `keep_alive_ms = ${keepAliveMs}`,
      `connections_max = ${connectionsMax}`,
      '[frames]',
      `puts_max = ${putsMax}`,
      // What the background does with the memory is another matter.
      '[transcode]',
      'threads = 0',
    ].join('\n'),
    env: { FRAMEHOLD_LOG_LEVEL: 'warn' },
  });
  port = portOf(framehold.url);
  const tables = await arrowBytes({
    small: `pa.table({'a': pa.array([1], pa.int64())})`,
    big: `pa.table({'a': pa.array(np.random.default_rng(1).integers(0, 2**62, 3_000_000))})`,
    kept: `pa.table({'a': pa.array(np.random.default_rng(1).integers(0, 2**62, 40_000))})`,
  });
  for (const [name, bytes] of Object.entries(tables)) await putFrame(framehold.url, name, bytes);
});
after(async () => await framehold.remove());

test('connections that say nothing, or send their headers byte by byte, are closed when their time is over', async (t) => {
  const held = await underAttack(t, framehold, { growthMegabytes: 80 }, async () => {
    const silent = holdMany(150, port);
    const slow = holdMany(150, port).map((each) => each.drip('G', 100));
    const begun = holdMany(50, port);
    for (const each of begun) {
      each.socket.write('GET /ping HTTP/1.1\r\nhost: a\r\nx: ');
      each.drip('y', 100);
    }
    const all = [...silent, ...slow, ...begun];
    await allEndedWithin(all, requestMs * 1.1 + slackMs);
    return begun;
  });
  assert.match(held[0]?.text ?? '', /^HTTP\/1\.1 408 /);
});

test('bodies that come byte by byte are refused, and the puts that they held are free for others', async (t) => {
  // Each upload has a buffer and a check of its own, in threads that start with the first.
  const held = await underAttack(t, framehold, { growthMegabytes: 200 }, async () => {
    const bodies = holdMany(putsMax * 3, port);
    for (const [index, each] of bodies.entries()) {
      const length = index % 2 === 0 ? 'content-length: 1000000' : 'transfer-encoding: chunked';
      each.socket.write(
        `PUT /v1/frames/slow${index} HTTP/1.1\r\nhost: a\r\ncontent-type: text/csv\r\n${length}\r\n\r\n`,
      );
      each.drip(index % 2 === 0 ? 'x' : '1\r\nx\r\n', 150);
    }
    // Those that wait for a place have all of their time once they have it.
    await Promise.all(bodies.map((each) => answered(each, (requestMs * 2.5 + slackMs) * 3)));
    return bodies;
  });
  for (const each of held) {
    assert.match(each.text, /^HTTP\/1\.1 (?:408|503) /);
    each.socket.destroy();
  }
  assert.ok(held.some((each) => /less than 256 bytes a second/.test(each.text)));
  const { small } = await arrowBytes({ small: `pa.table({'a': pa.array([1], pa.int64())})` });
  await send(framehold.url, '/v1/frames/after', small, { status: 201 });
});

test('what comes after a compressed body was refused is thrown away, and leaves no file', async () => {
  const held = new Held(port);
  const digest = Buffer.alloc(32).toString('base64');
  held.socket.write(
    `PUT /v1/frames/late HTTP/1.1\r\nhost: a\r\ncontent-type: text/csv\r\ncontent-encoding: gzip\r\ncontent-digest: sha-256=:${digest}:\r\ntransfer-encoding: chunked\r\n\r\n`,
  );
  await answered(held, requestMs * 1.5 + slackMs);
  assert.match(held.text, /^HTTP\/1\.1 408 /);
  // The header of a gzip file with a name that never ends: nothing comes out of it.
  const chunk = (bytes: Buffer) =>
    Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
  held.socket.write(chunk(Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3])));
  for (let count = 0; count < 64; count++) held.socket.write(chunk(Buffer.alloc(65_536, 'a')));
  // Ended while it is still being read: what is left then was left for good.
  await new Promise<void>((resolve) => held.socket.write(chunk(Buffer.from('a')), () => resolve()));
  await framehold.until('all of it to be read', () => (held.socket.writableLength === 0 ? true : null));
  held.socket.end('0\r\n\r\n');
  await held.endedWithin(slackMs * 2);
  assert.deepEqual(readdirSync(join(framehold.dataDirectory, 'tmp')), []);
});

test('a million headers, large or small, are refused, and none is left out silently', async (t) => {
  await underAttack(t, framehold, { growthMegabytes: 100 }, async () => {
    const large = Buffer.from(`GET /ping HTTP/1.1\r\nhost: a\r\n${'a: b\r\n'.repeat(1_000_000)}\r\n`);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => rawHttp(framehold.url, large, { timeoutMs: 5_000 })),
    );
    // A reset because of what was still on its way may overtake the answer, for some callers or for all.
    for (const { status, ended } of answers) assert.ok(status === 431 || ended === 'reset', String(status));
  });
  const many = (count: number, rest: string) =>
    rawHttp(
      framehold.url,
      `PUT /v1/frames/small HTTP/1.1\r\nhost: a\r\ncontent-type: text/csv\r\ncontent-length: 0\r\n${'a: b\r\n'.repeat(count)}${rest}\r\n`,
    );
  assert.equal((await many(201, '')).status, 431);
  // Above 2000 headers Node forgets the rest: a put would have lost its condition.
  assert.equal((await many(5_000, 'if-match: "another"\r\n')).status, 431);
  assert.equal((await many(100, 'if-match: "another"\r\n')).status, 412);
});

test('connections above the limit are closed at once, and those that were there are served', async (t) => {
  await underAttack(t, framehold, { growthMegabytes: 100 }, async () => {
    const held = holdMany(connectionsMax * 3, port);
    const ended = () => held.filter((each) => each.endedAfterMs !== null);
    await framehold.until('the end of those above', () =>
      ended().length >= connectionsMax * 2 ? true : null,
    );
    // On a slow machine some were let in first, and got an answer when their time was over.
    const closedAtOnce = ended().filter((each) => each.text === '').length;
    assert.ok(closedAtOnce >= (connectionsMax * 2) / machinePace(), `${closedAtOnce} were closed at once`);
    for (const each of held) each.socket.destroy();
    await Promise.all(held.map((each) => each.ended));
  });
});

test('a connection that is kept and not used is closed when its time is over', async (t) => {
  await underAttack(t, framehold, { growthMegabytes: 80 }, async () => {
    const idle = holdMany(200, port);
    for (const each of idle) each.socket.write('GET /ping HTTP/1.1\r\nhost: a\r\n\r\n');
    // Node gives a second more than it promises to the caller.
    await allEndedWithin(idle, keepAliveMs + 1_000 + slackMs);
  });
});

test('callers who take nothing of their answers are cut off: large ones, kept ones, many in a row', async (t) => {
  const path = '/exec?handle=kept&fmt=json&limit=40000';
  assert.equal((await getText(framehold.url + path)).status, 200);
  // The threads that render start with the first, and each answer that waits has its bytes.
  await underAttack(t, framehold, { growthMegabytes: 350 }, async () => {
    const streamed = holdMany(8, port, { reads: false });
    for (const each of streamed)
      each.socket.pause().write('GET /exp?handle=big&fmt=csv HTTP/1.1\r\nhost: a\r\n\r\n');
    const kept = holdMany(5, port, { reads: false });
    for (const each of kept) each.socket.pause().write(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`.repeat(20));
    const flood = new Held(port, { reads: false });
    flood.socket.pause().write('GET /v1/openapi.json HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(5_000));
    await framehold.until('the connections', () => (openConnections() >= 12 ? true : null));
    // A paused socket does not see its end. The good caller has up to four of its own, and this test one or two.
    await framehold.until(
      'their end',
      () => (openConnections() <= 6 ? true : null),
      answerMs * 3 + slackMs * 3,
    );
    for (const each of [...streamed, ...kept, flood]) each.socket.destroy();
  });
});

async function answered(held: Held, timeMs: number): Promise<void> {
  await framehold.until(
    'an answer',
    () => (held.text === '' && held.endedAfterMs === null ? null : true),
    timeMs,
  );
}

/** As the system counts them: on the server's side, established. */
function openConnections(): number {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')} `;
  return readFileSync('/proc/net/tcp', 'latin1')
    .split('\n')
    .filter((line) => {
      const [, here = '', , state] = line.trim().split(/\s+/);
      return `${here} `.endsWith(local) && state === '01';
    }).length;
}
