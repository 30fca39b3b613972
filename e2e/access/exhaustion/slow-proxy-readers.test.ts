/** Callers who ask the external database for much and take nothing of it. */
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { FakeUpstream } from '../../../server/test/support/fake-upstream.ts';
import { Framehold } from '../../../server/test/support/framehold-process.ts';
import { newToken } from '../../../server/test/support/framehold-tokens.ts';
import { assertTook } from '../../../server/test/support/machine-pace.ts';
import { timePasses } from '../../../server/test/support/passing-time.ts';
import { Held, portOf } from './under-attack.ts';

const answerMs = 8_000;
const slackMs = 4_000;
const queriesMax = 2;

let upstream: FakeUpstream;
let framehold: Framehold;
let tokens: Record<'a' | 'b', string>;
before(async () => {
  upstream = await FakeUpstream.start(({ head, socket }) => {
    if (head.includes('query=silent')) return;
    if (head.includes('query=endless')) answerWithoutEnd(socket);
    else socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}');
  });
  framehold = await Framehold.start({
    env: {
      SERVICE_TSDB_HTTP_URL: upstream.url,
      // The patient ones of one tenant hold all of them.
      FRAMEHOLD_TSDB_CONNECTIONS_MAX: String(queriesMax),
      FRAMEHOLD_TSDB_TIMEOUT_MS: '20000',
      FRAMEHOLD_HTTP_ANSWER_TIMEOUT_MS: String(answerMs),
      FRAMEHOLD_TENANT_QUERIES_MAX: String(queriesMax),
    },
  });
  const make = (tenant: string) => newToken(framehold.dataDirectory, tenant, 'tsdb,read');
  tokens = { a: make('a'), b: make('b') };
});
after(async () => {
  await upstream.stop();
  await framehold.remove();
});

/** As fast as it is taken. */
function answerWithoutEnd(socket: Socket): void {
  socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n');
  const piece = `10000\r\n${'a'.repeat(65_536)}\r\n`;
  const more = () => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on('drain', more);
  more();
}

function get(tenant: keyof typeof tokens, path: string): string {
  return `GET ${path} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${tokens[tenant]}\r\n\r\n`;
}

/** Asks, and takes nothing of the answers. */
function patient(tenant: keyof typeof tokens, ...queries: readonly string[]): Held {
  const held = new Held(portOf(framehold.url), { reads: false });
  held.socket.pause();
  for (const query of queries) held.socket.write(get(tenant, `/exec?query=${query}&fmt=json`));
  return held;
}

function ask(tenant: keyof typeof tokens, path = '/exec?query=select%201&fmt=json'): Promise<Response> {
  return fetch(framehold.url + path, { headers: { authorization: `Bearer ${tokens[tenant]}` } });
}

async function asked(count: number): Promise<void> {
  await framehold.until('the questions', () => (upstream.seen.length >= count ? true : null));
}

test('a caller that reads nothing loses the connection, and the database is free for others', async () => {
  const before = upstream.seen.length;
  const held = [patient('a', 'endless'), patient('a', 'endless')];
  await asked(before + 2);
  const began = performance.now();
  const answer = await ask('b');
  assert.equal(answer.status, 200);
  assertTook(performance.now() - began, answerMs + slackMs);
  await Promise.all(upstream.seen.slice(before, before + 2).map(({ gone }) => gone));
  for (const each of held) each.socket.destroy();
});

test("queries of the database count among a tenant's; one too many is refused as rate_limited, and is in the audit log", async () => {
  const before = upstream.seen.length;
  const held = [patient('a', 'endless'), patient('a', 'endless')];
  await asked(before + 2);
  for (const path of ['/exec?query=select%201&fmt=json', '/v1/sql?query=select%201']) {
    const refused = await ask('a', path);
    const { code, hint } = (await refused.json()) as { code: string; hint: string };
    assert.deepEqual([refused.status, code], [429, 'rate_limited'], path);
    assert.match(hint, /tenant\.queries_max/);
    assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  }
  const told = /"action":"tsdb.query","outcome":"refused","reason":"rate_limited".*"tenant":"a"/;
  await framehold.until('the audit log', () =>
    framehold.lines.some((line) => told.test(line)) ? true : null,
  );
  for (const each of held) each.socket.destroy();
  await framehold.until('an end', async () => ((await ask('a')).status === 200 ? true : null));
});

test('the database is also free if the answer waits behind one that does not come', async () => {
  const before = upstream.seen.length;
  const held = patient('b', 'silent', 'endless');
  await asked(before + 2);
  const stands = upstream.seen.slice(before).find(({ head }) => head.includes('query=endless'));
  // With so much waiting for it the connection is not read behind the next request: nobody sees that its caller has left.
  await timePasses(300, 'the server takes what it takes, which nobody sees');
  held.socket.write(get('b', '/ping'));
  await timePasses(200, 'and leaves the next request, which nobody sees either');
  held.socket.destroy();
  const began = performance.now();
  await stands?.gone;
  assertTook(performance.now() - began, answerMs + slackMs);
});
