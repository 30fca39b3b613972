/** What a caller, or a hostile database, may do to make the server reach anything but the configured database. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { after, afterEach, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { FakeUpstream } from '../../server/test/support/fake-upstream.ts';
import { getText } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { assertTook } from '../../server/test/support/machine-pace.ts';
import { type RawAnswer, rawGet, rawHttp } from '../../server/test/support/raw-http.ts';
import { postSql } from '../sql/sql-client.ts';

const timeoutMs = 1_000;
/** Slack for a busy machine. */
const slackMs = 4_000;
/** Of what tsdb() fetches. */
const bodyBytesMax = 1024 ** 2;

type Answer = (socket: Socket) => void;
const answers = new Map<string, Answer>();

let forbidden: Server;
let forbiddenPort = 0;
/** Connections to the place that must never be reached. */
let reached = 0;
let upstream: FakeUpstream;
let framehold: Framehold;

/** The text of the query says which answer is wanted; `exp_…` is for the rows, after columns as they should be. */
function answerAsAsked(head: string, socket: Socket): void {
  const name = /case_(\w+?)_stop/.exec(head)?.[1] ?? 'fine';
  const isForRows = name.startsWith('exp_');
  if (isForRows && head.startsWith('GET /exec?')) socket.write(columns);
  else (answers.get(isForRows ? name.slice(4) : name) ?? fine)(socket);
}

before(async () => {
  forbidden = createServer((socket) => {
    reached += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => forbidden.listen(0, '127.0.0.1', resolve));
  const address = forbidden.address();
  forbiddenPort = typeof address === 'object' && address !== null ? address.port : 0;
  upstream = await FakeUpstream.start(({ head, socket }) => answerAsAsked(head, socket));
  const elsewhere = `http://127.0.0.1:${forbiddenPort}`;
  framehold = await Framehold.start({
    env: {
      FRAMEHOLD_TSDB_HTTP_URL: upstream.url,
      FRAMEHOLD_TSDB_TOKEN: 'the-servers-own',
      FRAMEHOLD_TSDB_TIMEOUT_MS: String(timeoutMs),
      FRAMEHOLD_TSDB_CONNECTIONS_MAX: '2',
      FRAMEHOLD_HTTP_BODY_BYTES_MAX: String(bodyBytesMax),
      // Node's own client obeys these; ours must not.
      NODE_USE_ENV_PROXY: '1',
      ...Object.fromEntries(
        ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'].map((name) => [
          name,
          elsewhere,
        ]),
      ),
    },
  });
});
after(async () => {
  await framehold.remove();
  await upstream.stop();
  await new Promise((resolve) => forbidden.close(resolve));
});
afterEach(() => {
  assert.equal(reached, 0, 'the server connected to where it must never connect');
  assert.equal(framehold.exit, null, 'the server has ended');
  upstream.seen.length = 0;
});

const head = (status: string, ...headers: string[]) =>
  `HTTP/1.1 ${status}\r\n${headers.map((header) => `${header}\r\n`).join('')}\r\n`;
const body = (text: string | Buffer) => `content-length: ${Buffer.byteLength(text)}`;
const fine: Answer = (socket) =>
  socket.write(`${head('200 OK', 'content-type: application/json', body('{}'))}{}`);
const described = '{"columns":[{"name":"a","type":"LONG"}],"dataset":[],"count":0}';
const columns = `${head('200 OK', 'content-type: application/json', body(described))}${described}`;

function bytes(text: string): Answer {
  return (socket) => socket.write(Buffer.from(text, 'latin1'));
}

/** Writes for as long as the other side takes it. */
function endless(begin: string, piece: string): Answer {
  return (socket) => {
    const more = () => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on('drain', more);
    socket.write(begin);
    more();
  };
}

/** A byte now and then: never silent for long, never done. */
function dripping(begin: string): Answer {
  return (socket) => {
    socket.write(begin);
    const timer = setInterval(() => socket.write('x'), 100);
    socket.on('close', () => clearInterval(timer));
  };
}

async function proxied(name: string): Promise<RawAnswer> {
  return await rawGet(framehold.url, `/exec?query=case_${name}_stop&fmt=json`);
}

async function joined(name: string) {
  return await postSql(framehold.url, `select * from tsdb('select 1 as case_${name}_stop')`);
}

/** Whatever the answer is, nothing of the database's own headers is in it; those all hold the word. */
function assertClean({ headers }: RawAnswer): void {
  assert.doesNotMatch(JSON.stringify(headers), /hostile/i);
}

/** The headers of a forwarded request, by name. A name that comes twice fails. */
function sentHeaders(text: string): Readonly<Record<string, string>> {
  const lines = text.split('\r\n').slice(1, -2);
  const pairs = lines.map((line) => /^([^:]+): (.*)$/s.exec(line)?.slice(1) as [string, string]);
  const names = pairs.map(([name]) => name.toLowerCase());
  assert.equal(new Set(names).size, names.length, text);
  return Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value]));
}

function assertOwnHeaders(text: string): void {
  const { connection, ...headers } = sentHeaders(text);
  assert.match(connection ?? '', /^(keep-alive|close)$/);
  assert.deepEqual(headers, {
    host: new URL(upstream.url).host,
    'accept-encoding': 'identity',
    authorization: 'Bearer the-servers-own',
  });
}

describe('a redirect of the database is not followed', () => {
  const places = () => [
    `http://127.0.0.1:${forbiddenPort}/exec`,
    `//127.0.0.1:${forbiddenPort}/exec`,
    `http://localhost:${forbiddenPort}/`,
    'http://169.254.169.254/latest/meta-data/',
    'http://[fe80::1%25lo]/',
    'file:///etc/passwd',
    'gopher://127.0.0.1/',
    '/exec?query=again',
    '',
  ];
  for (const status of [300, 301, 302, 303, 304, 305, 307, 308]) {
    it(`${status}: 502 in proxy mode and in tsdb(), one request each`, async () => {
      for (const [index, place] of places().entries()) {
        const name = `redirect${status}at${index}`;
        answers.set(name, bytes(head(`${status} Hostile`, `location: ${place}`, 'content-length: 0')));
        const answer = await proxied(name);
        assert.equal(answer.status, 502, name);
        assert.equal(answer.headers.location, undefined);
        assert.equal(JSON.parse(answer.body.toString()).code, 'tsdb_failed');
        assert.equal((await joined(name)).status, 502, name);
        assert.equal((await joined(`exp_${name}`)).status, 502, name);
        // Columns, columns again, and rows.
        assert.equal(upstream.seen.length, 1 + 1 + 2, name);
        upstream.seen.length = 0;
      }
    });
  }

  it('other headers that name places are neither followed nor passed on', async () => {
    answers.set(
      'places',
      bytes(
        `${head(
          '200 OK',
          body('{}'),
          `refresh: 0; url=http://127.0.0.1:${forbiddenPort}/hostile`,
          `alt-svc: h2="127.0.0.1:${forbiddenPort}"; hostile=1`,
          `content-location: http://127.0.0.1:${forbiddenPort}/hostile`,
          `link: <http://127.0.0.1:${forbiddenPort}/hostile>; rel=preload`,
        )}{}`,
      ),
    );
    const answer = await proxied('places');
    assert.equal(answer.status, 200);
    assertClean(answer);
  });
});

/** Answers that no client should be troubled with: status in proxy mode, and what tsdb() says. */
const odd: readonly (readonly [name: string, what: string, answer: Answer, status: number])[] = [
  [
    'cookies',
    'cookies, credentials wanted, hop-by-hop and other headers',
    bytes(
      `${head(
        '401 Unauthorized',
        'content-type: text/plain',
        body('no'),
        'set-cookie: a=hostile',
        'www-authenticate: Basic realm="hostile"',
        'proxy-authenticate: Basic realm="hostile"',
        'keep-alive: timeout=99, hostile',
        'access-control-allow-origin: https://hostile.test',
        'strict-transport-security: max-age=1; hostile',
        'x-request-id: hostile',
        'server: hostile',
      )}no`,
    ),
    401,
  ],
  [
    'trailers',
    'trailers',
    bytes(
      `${head('200 OK', 'transfer-encoding: chunked', 'trailer: hostile')}2\r\n{}\r\n0\r\nhostile: 1\r\n\r\n`,
    ),
    200,
  ],
  [
    'upgrade200',
    'an upgrade offered',
    bytes(`${head('200 OK', 'connection: upgrade', 'upgrade: hostile', body('{}'))}{}`),
    200,
  ],
  [
    'upgrade101',
    'protocols switched unasked',
    bytes(`${head('101 Switching', 'connection: upgrade', 'upgrade: hostile')}GET / HTTP/1.1\r\n\r\n`),
    502,
  ],
  [
    'early103',
    'early hints before the answer',
    bytes(`${head('103 Early', 'link: <hostile>')}${head('200 OK', body('{}'))}{}`),
    200,
  ],
  [
    'unasked100',
    'a 100 that nobody waits for',
    bytes(`${head('100 Go')}${head('200 OK', body('{}'))}{}`),
    502,
  ],
  ['status099', 'a status below 100', bytes(`${head('099 Odd', body('{}'))}{}`), 502],
  ['notHttp', 'another protocol', bytes('SSH-2.0-hostile\r\n'), 502],
  ['http2', 'HTTP/2', bytes('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), 502],
  [
    'splitLf',
    'a line break inside a header',
    bytes(`${head('200 OK', 'content-type: a\nhostile: 1', body('{}'))}{}`),
    502,
  ],
  [
    'splitCr',
    'a carriage return inside a header',
    bytes(`${head('200 OK', 'content-type: a\rhostile: 1', body('{}'))}{}`),
    502,
  ],
  ['zero', 'a zero inside a header', bytes(`${head('200 OK', 'content-type: a\0b', body('{}'))}{}`), 502],
  [
    'nameSpace',
    'a space in the name of a header',
    bytes(`${head('200 OK', 'content type: hostile', body('{}'))}{}`),
    502,
  ],
  [
    'bothLengths',
    'a length and chunks',
    bytes(`${head('200 OK', 'transfer-encoding: chunked', body('{}'))}2\r\n{}\r\n0\r\n\r\n`),
    502,
  ],
  ['twoLengths', 'two lengths', bytes(`${head('200 OK', 'content-length: 2', 'content-length: 3')}{}x`), 502],
  ['minusLength', 'a negative length', bytes(`${head('200 OK', 'content-length: -1')}{}`), 502],
  [
    'hugeHeader',
    'a header of 100 kB',
    bytes(`${head('200 OK', `x: ${'a'.repeat(100_000)}`, body('{}'))}{}`),
    502,
  ],
  [
    'manyHeaders',
    'ten thousand headers',
    bytes(`${head('200 OK', ...Array.from({ length: 10_000 }, (_, n) => `x${n}: hostile`), body('{}'))}{}`),
    502,
  ],
  ['endlessHeader', 'a header that never ends', endless('HTTP/1.1 200 OK\r\nx: ', 'a'.repeat(65_536)), 502],
  ['drippingHeader', 'a header that drips', dripping('HTTP/1.1 200 OK\r\nx: '), 504],
  ['endless1xx', 'hints without end', endless('', head('103 Early', 'link: <hostile>')), 504],
  ['closed', 'nothing', (socket) => socket.end(), 502],
  ['reset', 'a reset', (socket) => socket.resetAndDestroy(), 502],
  ['gzip', 'a compressed body', bytes(`${head('200 OK', 'content-encoding: gzip', body('{}'))}{}`), 502],
];

describe('an answer that is hostile or odd', () => {
  for (const [name, what, answer, status] of odd) {
    it(`${what}: ${status} in proxy mode, an error of its own in tsdb(), and the server goes on`, async () => {
      answers.set(name, answer);
      const began = performance.now();
      const passed = await proxied(name);
      assert.equal(passed.status, status, passed.body.toString().slice(0, 500));
      assert.ok(passed.complete);
      assertClean(passed);
      for (const each of [name, `exp_${name}`]) {
        const { status: joinedStatus, text } = await joined(each);
        const { code } = JSON.parse(text) as { code: string };
        const expected = status === 504 ? ['tsdb_timeout', 504] : ['tsdb_failed', 502];
        assert.deepEqual([code, joinedStatus], expected, text);
        assert.doesNotMatch(text, /hostile/i);
      }
      assertTook(performance.now() - began, 3 * timeoutMs + slackMs);
      assert.equal((await proxied('fine')).body.toString(), '{}');
    });
  }

  it('a body longer than its length: the rest is never the answer to somebody else', async () => {
    answers.set('poison', bytes(`${head('200 OK', body('{}'))}{}${head('200 OK', body('poison'))}poison`));
    for (let round = 0; round < 5; round++) {
      assert.equal((await proxied('poison')).body.toString(), '{}');
      const others = await Promise.all([proxied('fine'), proxied('fine'), proxied('fine')]);
      // The connection that was written to unasked is closed; a request that was already on it fails.
      for (const other of others) assert.ok([200, 502].includes(other.status));
      for (const other of others) assert.doesNotMatch(other.body.toString(), /poison/);
    }
  });

  it('a body shorter than its length: cut, and never whole', async () => {
    answers.set('short', (socket) =>
      socket.end(
        `${head('200 OK', 'content-type: application/vnd.apache.parquet', 'content-length: 100')}PAR1`,
      ),
    );
    const answer = await proxied('short');
    assert.deepEqual([answer.status, answer.complete], [200, false]);
    for (const name of ['short', 'exp_short']) assert.equal((await joined(name)).status, 502);
  });

  it('a body that never ends: it is as long as the caller takes it, and tsdb() has its limits', async () => {
    const type = 'content-type: application/vnd.apache.parquet';
    answers.set('endless', endless(head('200 OK', type), 'x'.repeat(65_536)));
    let taken = 0;
    const answer = await rawGet(
      framehold.url,
      '/exec?query=case_endless_stop&fmt=json',
      {},
      {
        timeoutMs: 10_000,
        onSocket: (socket) =>
          socket.on('data', (chunk) => {
            taken += chunk.length;
            if (taken > bodyBytesMax) socket.destroy();
          }),
      },
    );
    assert.equal(answer.complete, false);
    await upstream.seen[0]?.gone;
    const described = await joined('endless');
    assert.equal(described.status, 502, described.text);
    const rows = await joined('exp_endless');
    assert.equal(rows.status, 413, rows.text);
    // Not the columns as they should be, whose connection is kept.
    for (const index of [1, 3]) await upstream.seen[index]?.gone;
  });

  it('4 GiB in a few megabytes of gzip: refused, and nothing is unpacked', async () => {
    const piece = gzipSync(Buffer.alloc(64 * 1024 ** 2), { level: 1 });
    const bomb = Buffer.concat(Array.from({ length: 64 }, () => piece));
    for (const [name, type] of [
      ['bombJson', 'application/json'],
      ['bombRows', 'application/vnd.apache.parquet'],
    ] as const) {
      answers.set(name, (socket) => {
        socket.write(head('200 OK', `content-type: ${type}`, 'content-encoding: gzip', body(bomb)));
        socket.write(bomb);
      });
    }
    const before = memoryPeak();
    assert.equal((await proxied('bombJson')).status, 502);
    assert.equal((await joined('bombJson')).status, 502);
    assert.equal((await joined('exp_bombRows')).status, 502);
    const grown = memoryPeak() - before;
    assert.ok(grown < 512 * 1024 ** 2, `${grown} bytes more`);
  });
});

/** The most memory that the server's process has had. */
function memoryPeak(): number {
  const status = readFileSync(`/proc/${framehold.pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

describe('a caller cannot steer where the request goes', () => {
  const evil = () => `127.0.0.1:${forbiddenPort}`;

  it('headers of the caller: none is sent on', async () => {
    await rawGet(framehold.url, '/exec?query=q&fmt=json', {
      host: evil(),
      authorization: 'Bearer callers-own',
      'proxy-authorization': 'Basic callers-own',
      cookie: 'session=callers-own',
      forwarded: `for=callers-own;host=${evil()}`,
      'x-forwarded-for': '10.9.8.7',
      'x-forwarded-host': evil(),
      'x-forwarded-proto': 'https',
      'x-real-ip': '10.9.8.7',
      'x-original-url': `http://${evil()}/`,
      'x-http-method-override': 'DELETE',
      via: '1.1 callers-own',
      origin: `http://${evil()}`,
      referer: `http://${evil()}/callers-own`,
      'user-agent': 'callers-own',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      tracestate: 'callers=own',
      baggage: 'callers=own',
      'x-request-id': 'callers-own',
      'accept-encoding': 'gzip',
      te: 'trailers',
    });
    assert.equal(upstream.seen.length, 1);
    assertOwnHeaders(upstream.seen[0]?.head ?? '');
    assert.doesNotMatch(upstream.seen[0]?.head ?? '', /callers|10\.9\.8\.7/);
  });

  /** Request targets, and what is sent for them: null if nothing may be. */
  const targets: readonly (readonly [what: string, target: () => string, sent: (() => string) | null])[] = [
    [
      'another parameter',
      () => '/exec?query=a%26fmt%3Dcsv&fmt=json',
      () => '/exec?query=a%26fmt%3Dcsv&fmt=json',
    ],
    [
      'line breaks, encoded',
      () => '/exec?query=a%0d%0aHost:%20x%0d%0a%0d%0aGET%20/&fmt=json',
      () => '/exec?query=a%0d%0aHost:%20x%0d%0a%0d%0aGET%20/&fmt=json',
    ],
    ['a zero, encoded', () => '/exec?query=a%00b&fmt=json', () => '/exec?query=a%00b&fmt=json'],
    ['a URL', () => `/exec?query=http://${evil()}/&fmt=json`, () => `/exec?query=http://${evil()}/&fmt=json`],
    ['two slashes', () => `/exec?query=//${evil()}/&fmt=json`, () => `/exec?query=//${evil()}/&fmt=json`],
    ['a user', () => `/exec?query=@${evil()}/&fmt=json`, () => `/exec?query=@${evil()}/&fmt=json`],
    ['dots', () => '/exec?query=/../../x&fmt=json', () => '/exec?query=/../../x&fmt=json'],
    ['a second question mark', () => '/exec?query=a?b&fmt=json', () => '/exec?query=a?b&fmt=json'],
    [
      'parameters of its own',
      () => `/exec?query=a&fmt=json&url=http://${evil()}/&host=${evil()}`,
      () => '/exec?query=a&fmt=json',
    ],
    [
      'a limit with more in it',
      () => '/exec?query=a&fmt=json&limit=1%0d%0aX:%201%26src%3Dcon',
      () => '/exec?query=a&fmt=json&limit=1%0d%0aX:%201%26src%3Dcon',
    ],
    ['fmt with more in it', () => '/exec?query=a&fmt=json%26x', null],
    ['a whole URL as target', () => `http://${evil()}/exec?query=a&fmt=json`, () => '/exec?query=a&fmt=json'],
    ['a path of another host', () => `//${evil()}/exec?query=a&fmt=json`, null],
    ['a user in the path', () => `/exec@${evil()}?query=a&fmt=json`, null],
    ['a way out of the path', () => '/exec/../settings?query=a&fmt=json', null],
    ['a backslash', () => `\\\\${evil()}\\exec?query=a&fmt=json`, null],
    ['a raw line break', () => '/exec?query=a\r\nX: 1&fmt=json', null],
    ['a raw zero', () => '/exec?query=a\0&fmt=json', null],
    ['a raw tab', () => '/exec?query=a\tb&fmt=json', null],
  ];
  for (const [what, target, sent] of targets) {
    it(`${what}: ${sent === null ? 'nothing is sent' : 'it goes to the database, as it is'}`, async () => {
      const answer = await rawGet(framehold.url, target());
      assert.equal(answer.status === 200, sent !== null, answer.statusLine);
      assert.deepEqual(
        upstream.seen.map((request) => /^GET (\S+) HTTP\/1\.1\r\n/.exec(request.head)?.[1]),
        sent === null ? [] : [sent()],
      );
      for (const request of upstream.seen) assertOwnHeaders(request.head);
    });
  }

  it('what follows a # goes nowhere else either', async () => {
    await rawGet(framehold.url, `/exec?query=a#@${evil()}/&fmt=json`);
    for (const request of upstream.seen) assertOwnHeaders(request.head);
  });

  it('other methods and forms of the request line open no way', async () => {
    for (const line of [
      `CONNECT ${evil()} HTTP/1.1\r\nhost: ${evil()}`,
      `OPTIONS * HTTP/1.1\r\nhost: ${evil()}`,
      `GET http://${evil()} HTTP/1.1\r\nhost: ${evil()}`,
      `GET /ping HTTP/1.1\r\nhost: ${evil()}\r\nhost: x`,
      `GET / HTTP/1.1\r\nhost: ${evil()}\r\nconnection: upgrade\r\nupgrade: websocket`,
      `TRACE /exec?query=a&fmt=json HTTP/1.1\r\nhost: ${evil()}`,
    ])
      await rawHttp(framehold.url, `${line}\r\n\r\n`, { timeoutMs: 300 });
    assert.equal(upstream.seen.length, 0);
  });

  const texts: readonly (readonly [string, string])[] = [
    ['another parameter', "select '&fmt=csv&query=x'"],
    ['line breaks', "select '\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\n'"],
    ['a fragment', "select '#'"],
    ['a user, a host, a URL', "select '@127.0.0.1 //127.0.0.1 http://127.0.0.1/'"],
    ['percent signs', "select '%0d%0a %26 %00 %zz'"],
    ['text outside ASCII', "select 'grüße \u{1F600} \u2028'"],
  ];
  for (const [what, text] of texts) {
    it(`${what} in the text of tsdb(): one value of one request`, async () => {
      await postSql(framehold.url, `select * from tsdb('${text.replaceAll("'", "''")}')`);
      assert.equal(upstream.seen.length, 1);
      const { head: sent = '' } = upstream.seen[0] ?? {};
      assertOwnHeaders(sent);
      const target = /^GET (\S+) HTTP\/1\.1\r\n/.exec(sent)?.[1] ?? '';
      const [path, query] = target.split('?');
      assert.equal(path, '/exec');
      assert.deepEqual(
        [...new URLSearchParams(query)],
        [
          ['query', `select * from (${text}\n) limit 0`],
          ['fmt', 'json'],
        ],
      );
    });
  }

  for (const [what, text] of [
    ['a zero', 'select 1 \0'],
    ['half a character', 'select 1 \ud800'],
    ['a parenthesis that closes early', 'select 1) union (select 2'],
  ] as const) {
    it(`${what} in the text of tsdb(): nothing is sent`, async () => {
      const answer = await postSql(framehold.url, `select * from tsdb('${text}')`);
      assert.ok(answer.status >= 400 && answer.status < 500, answer.text);
      assert.equal(upstream.seen.length, 0);
    });
  }
});

describe('SQL over held frames reaches no network', () => {
  const url = () => `http://127.0.0.1:${forbiddenPort}`;
  const statements: readonly (() => string)[] = [
    () => `select * from '${url()}/x.parquet'`,
    () => `select * from "${url()}/x.csv"`,
    () => `select * from read_csv('${url()}/x.csv')`,
    () => `select * from read_parquet('${url()}/x.parquet')`,
    () => `select * from read_parquet(['s3://bucket/x', '${url()}/x.parquet'])`,
    () => `select * from read_json('${url()}/x.json')`,
    () => `select * from read_text('${url()}/')`,
    () => `select * from glob('${url()}/*')`,
    () => `select * from sniff_csv('${url()}/x.csv')`,
    () => `attach '${url()}/x.duckdb' as x`,
    () => `attach 'host=127.0.0.1 port=${forbiddenPort}' as x (type postgres)`,
    () => `copy (select 1) to '${url()}/x.csv'`,
    () => `install httpfs from '${url()}'`,
    () => `force install '${url()}/x.duckdb_extension'`,
    () => `load '${url()}/x.duckdb_extension'`,
    () => `set http_proxy = '${url()}'`,
    () => `set custom_extension_repository = '${url()}'`,
    () => `create secret s (type http, http_proxy '${url()}')`,
    () => `create table t as from '${url()}/x.parquet'`,
    () => `explain analyze from '${url()}/x.parquet'`,
    // These want an extension, which the engine would fetch by itself if it were let.
    () => "select * from postgres_scan('host=127.0.0.1', 'public', 't')",
    () => "select * from sqlite_scan('x.db', 't')",
    () => "select st_read('http://127.0.0.1/')",
  ];
  for (const statement of statements) {
    it(`refused, and nothing is connected to: ${statement().replace(/:0\b/, '')}`, async () => {
      const answer = await postSql(framehold.url, statement());
      assert.ok(answer.status >= 400 && answer.status < 500, answer.text);
      assert.equal(upstream.seen.length, 0);
    });
  }
});

it('through all of this the server answers', async () => {
  assert.equal((await getText(`${framehold.url}/ping`)).status, 200);
});
