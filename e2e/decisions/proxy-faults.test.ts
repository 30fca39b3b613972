/** What happens in proxy mode when the database, or the way to it, misbehaves. */
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { FakeUpstream } from '../../server/test/support/fake-upstream.ts';
import { assertProblem, exec } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { assertTook } from '../../server/test/support/machine-pace.ts';
import { eventually } from '../../server/test/support/patience.ts';
import { type Questdb, useQuestdb } from '../../server/test/support/questdb-process.ts';
import { rawGet } from '../../server/test/support/raw-http.ts';
import { type Passage, Toxiproxy } from '../../server/test/support/toxiproxy-process.ts';

/** Longer than a busy machine takes to answer what it can. */
const timeoutMs = 3_000;
const slackMs = 3_000;

let questdb: Questdb;
let toxiproxy: Toxiproxy;
let passage: Passage;
let framehold: Framehold;
/** A database that answers as a test wants, and the server before it. */
let upstream: FakeUpstream;
let beforeUpstream: Framehold;
let answerOfUpstream: (socket: Socket) => void;
before(async () => {
  questdb = await useQuestdb();
  toxiproxy = await Toxiproxy.start();
  passage = await toxiproxy.before(questdb.url);
  framehold = await startBefore(passage.url);
  upstream = await FakeUpstream.start(({ socket }) => answerOfUpstream(socket));
  beforeUpstream = await startBefore(upstream.url);
});
after(async () => {
  await beforeUpstream.remove();
  await upstream.stop();
  await framehold.remove();
  await toxiproxy.stop();
  await questdb.stop();
});

const startBefore = (url: string) =>
  Framehold.start({
    env: { SERVICE_TSDB_HTTP_URL: url, FRAMEHOLD_TSDB_TIMEOUT_MS: String(timeoutMs) },
  });

const ask = (sql = 'select 1') => exec(framehold.url, { query: sql, fmt: 'json' });

/** A server whose database answers as this function says, and has seen nothing yet. No connection stays for the next test. */
async function withUpstream(
  answer: (socket: Socket) => void,
  use: (url: string, upstream: FakeUpstream) => Promise<void>,
): Promise<void> {
  answerOfUpstream = answer;
  try {
    await use(beforeUpstream.url, upstream);
  } finally {
    await upstream.forget();
  }
}

const target = '/exec?query=select%201&fmt=json';

test('the database is down: 502, and works again when it is back', async () => {
  await passage.close();
  const problem = assertProblem(await ask(), 502, 'tsdb_failed');
  assert.equal(problem.query, 'select 1');
  await passage.open();
  assert.equal((await ask()).status, 200);
});

test('the connection is reset before an answer: 502', async () => {
  await passage.poison({ type: 'reset_peer', attributes: { timeout: 0 } });
  assertProblem(await ask(), 502, 'tsdb_failed');
  await passage.heal();
  assert.equal((await ask()).status, 200);
});

test('the real database, cut in mid-body: the socket is destroyed, the body never looks complete', async () => {
  await passage.poison({ type: 'limit_data', attributes: { bytes: 20_000 } });
  const sql = encodeURIComponent('select x, x * 2 from long_sequence(100000)');
  const answer = await rawGet(framehold.url, `/exec?query=${sql}&fmt=json`, { connection: 'keep-alive' });
  assert.equal(answer.status, 200);
  assert.ok(answer.body.length > 0);
  assert.equal(answer.complete, false);
  assert.notEqual(answer.ended, 'open');
  await passage.heal();
});

test('the way to the database is stalled before it answers: 504 after tsdb.timeout_ms', async () => {
  await passage.poison({ type: 'timeout', attributes: { timeout: 0 } });
  const began = Date.now();
  assertProblem(await ask(), 504, 'tsdb_timeout');
  const tookMs = Date.now() - began;
  assert.ok(tookMs >= timeoutMs * 0.9, `${tookMs} ms`);
  assertTook(tookMs, timeoutMs + slackMs);
  await passage.heal();
});

test('latency below the time-out only takes time', async () => {
  await passage.poison({ type: 'latency', attributes: { latency: 300 } });
  assert.equal((await ask()).status, 200);
  await passage.heal();
});

test('redirects: 502, and the redirect is not followed', async () => {
  await withUpstream(
    (socket) => socket.end('HTTP/1.1 302 Found\r\nlocation: /elsewhere\r\ncontent-length: 0\r\n\r\n'),
    async (url, upstream) => {
      const answer = await rawGet(url, target);
      assert.equal(answer.status, 502);
      assert.equal(answer.headers.location, undefined);
      assert.equal(upstream.seen.length, 1);
    },
  );
});

test('closes before it answers: 502', async () => {
  await withUpstream(
    (socket) => socket.end(),
    async (url) => assert.equal((await rawGet(url, target)).status, 502),
  );
});

test('closes in the middle of its head: 502', async () => {
  await withUpstream(
    (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-ty'),
    async (url) => assert.equal((await rawGet(url, target)).status, 502),
  );
});

test('does not speak HTTP: 502', async () => {
  await withUpstream(
    (socket) => socket.end('220 smtp.example.test ESMTP\r\n'),
    async (url) => assert.equal((await rawGet(url, target)).status, 502),
  );
});

test('never answers: 504, in the error shape of /exec', async () => {
  await withUpstream(
    () => {},
    async (url) => {
      const began = Date.now();
      const problem = assertProblem(await exec(url, { query: 'select 1', fmt: 'json' }), 504, 'tsdb_timeout');
      assert.equal(problem.query, 'select 1');
      assertTook(Date.now() - began, timeoutMs + slackMs);
    },
  );
});

const chunkedHead = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';
const half = '5\r\n{"a":\r\n';

test('pauses in mid-body longer than the time-out: the socket is destroyed', async () => {
  await withUpstream(
    (socket) => socket.write(chunkedHead + half),
    async (url) => {
      const answer = await rawGet(url, target, { connection: 'keep-alive' });
      assert.equal(answer.status, 200);
      assert.equal(answer.body.toString(), '{"a":');
      assert.equal(answer.complete, false);
      assert.notEqual(answer.ended, 'open');
    },
  );
});

test('chunked, cut in mid-body: no last chunk is ever sent', async () => {
  await withUpstream(
    (socket) => socket.end(chunkedHead + half),
    async (url) => {
      const answer = await rawGet(url, target, { connection: 'keep-alive' });
      assert.equal(answer.body.toString(), '{"a":');
      assert.equal(answer.complete, false);
      assert.notEqual(answer.ended, 'open');
    },
  );
});

test('Content-Length, cut in mid-body: the body stays short of it', async () => {
  await withUpstream(
    (socket) =>
      socket.end('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"a":'),
    async (url) => {
      const answer = await rawGet(url, target, { connection: 'keep-alive' });
      assert.equal(answer.complete, false);
      assert.notEqual(answer.ended, 'open');
    },
  );
});

test('a body that ends with the connection (no length, no chunks) arrives whole', async () => {
  await withUpstream(
    (socket) =>
      socket.end('HTTP/1.1 200 OK\r\ncontent-type: text/x-odd\r\nconnection: close\r\n\r\nall of it'),
    async (url) => {
      const answer = await rawGet(url, target);
      assert.equal(answer.complete, true);
      assert.equal(answer.body.toString(), 'all of it');
      assert.equal(answer.headers['content-type'], 'text/x-odd');
    },
  );
});

const whole = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}';

test('never forwarded: Authorization, Cookie, Host, X-Forwarded-* of the caller; identity is asked for', async () => {
  await withUpstream(
    (socket) => socket.write(whole),
    async (url, upstream) => {
      const answer = await rawGet(url, target, {
        authorization: 'Bearer secret-token',
        cookie: 'session=secret-cookie',
        'x-forwarded-for': '10.9.8.7',
        'x-forwarded-host': 'secret.example.test',
        'x-forwarded-proto': 'https',
        forwarded: 'for=10.9.8.7',
        'accept-encoding': 'gzip, br',
        host: 'caller.example.test',
      });
      assert.equal(answer.status, 200);
      const head = (upstream.seen[0]?.head ?? '').toLowerCase();
      for (const name of [
        'authorization',
        'cookie',
        'x-forwarded',
        'forwarded',
        'secret',
        'caller.example',
      ]) {
        assert.ok(!head.includes(name), `${name} in ${head}`);
      }
      assert.match(head, new RegExp(`\r\nhost: ${new URL(upstream.url).host}\r\n`));
      assert.match(head, /\r\naccept-encoding: identity\r\n/);
    },
  );
});

test('cookies and other headers of the database do not reach the caller', async () => {
  await withUpstream(
    (socket) => socket.write(whole.replace('\r\n\r\n', '\r\nset-cookie: a=b\r\nserver: inside\r\n\r\n')),
    async (url) => {
      const answer = await rawGet(url, target);
      assert.equal(answer.headers['set-cookie'], undefined);
      assert.equal(answer.headers.server, undefined);
    },
  );
});

test("only query, fmt and QuestDB's own parameters are forwarded, as given", async () => {
  await withUpstream(
    (socket) => socket.write(whole),
    async (url, upstream) => {
      const given = 'limit=1%2C5&count=true&nm=TRUE&timings=x&explain=&quoteLargeNum=true';
      await rawGet(url, `${target}&${given}&secret=1&src=con&version=9`);
      const sent = /^GET \/exec\?(\S+) /.exec(upstream.seen[0]?.head ?? '')?.[1] ?? '';
      assert.deepEqual(sent.split('&').sort(), ['query=select%201', 'fmt=json', ...given.split('&')].sort());
    },
  );
});

/** Of a refusal, what the database takes of a URL. */
async function urlBytesMax(url: string): Promise<number> {
  const refused = await rawGet(url, `/exec?query=${'a'.repeat(40_000)}&fmt=json`);
  assert.equal(refused.status, 414);
  const { code, detail } = JSON.parse(refused.body.toString());
  assert.equal(code, 'url_too_long');
  return Number(/takes (\d+)\.$/.exec(detail)?.[1]);
}

function longTarget(urlBytes: number): string {
  const frame = '/exec?query=select%201%20--&fmt=json';
  return frame.replace('&fmt', `${'a'.repeat(urlBytes - frame.length)}&fmt`);
}

test('forwarded URL longer than 32,209 bytes with half of its headers: 414 before forwarding; at the limit it is forwarded', async () => {
  await withUpstream(
    (socket) => socket.write(whole),
    async (url, upstream) => {
      const max = await urlBytesMax(url);
      assert.equal((await rawGet(url, longTarget(max + 1))).status, 414);
      assert.equal(upstream.seen.length, 0);
      assert.equal((await rawGet(url, longTarget(max))).status, 200);
      const [, ...lines] = upstream.seen[0]?.head.split('\r\n').filter((line) => line !== '') ?? [];
      const headerBytes = lines.reduce((bytes, line) => bytes + line.length + 2, 0);
      assert.equal(max, 32_209 - Math.ceil(headerBytes / 2));
    },
  );
});

test('the real database answers the longest URL that is forwarded to it', async () => {
  const longest = await rawGet(framehold.url, longTarget(await urlBytesMax(framehold.url)));
  assert.equal(longest.status, 200);
  assert.ok(longest.complete);
});

for (const [when, bytes] of [
  ['before the answer', ''],
  ['in mid-body', chunkedHead + half],
] as const) {
  test(`caller goes away ${when}: the forwarded request is cancelled within a second`, async () => {
    await withUpstream(
      (socket) => {
        if (bytes !== '') socket.write(bytes);
      },
      async (url, upstream) => {
        let caller: Socket | undefined;
        let hasAnswer = false;
        const onSocket = (socket: Socket) => {
          caller = socket;
          socket.once('data', () => {
            hasAnswer = true;
          });
        };
        const asked = rawGet(url, target, {}, { onSocket });
        await eventually('the database is asked', () => upstream.seen.length > 0);
        if (bytes !== '') await eventually('some of the answer has come', () => hasAnswer);
        const left = Date.now();
        caller?.destroy();
        await asked;
        await upstream.seen[0]?.gone;
        // The forwarded request ends then, whether or not its caller is still there.
        assert.ok(Date.now() - left < timeoutMs - 100, 'not cancelled');
      },
    );
  });
}

test('the error status of the database passes: 401, 405, 500, 503', async () => {
  for (const status of [401, 405, 500, 503]) {
    await withUpstream(
      (socket) =>
        socket.write(`HTTP/1.1 ${status} Text\r\ncontent-type: text/plain\r\ncontent-length: 4\r\n\r\nnope`),
      async (url) => {
        const answer = await rawGet(url, target);
        assert.equal(answer.status, status);
        assert.equal(answer.headers['content-type'], 'text/plain');
        assert.equal(answer.body.toString(), 'nope');
      },
    );
  }
});
