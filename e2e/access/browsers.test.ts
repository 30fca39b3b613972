import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import { FakeUpstream } from '../../server/test/support/fake-upstream.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';

const answer =
  'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}';
let framehold: Framehold;
let database: FakeUpstream;

before(async () => {
  database = await FakeUpstream.start(({ socket }) => socket.end(answer));
  framehold = await Framehold.start({
    env: {
      FRAMEHOLD_HTTP_CORS_ORIGINS: 'https://app.example.com,http://localhost:3000',
      FRAMEHOLD_PUBLIC_URL: 'https://data.example.com',
      FRAMEHOLD_TSDB_HTTP_URL: database.url,
    },
  });
  const put = await ask('PUT', '/v1/frames/t', { 'content-type': 'text/csv' }, 'n\n1\n');
  assert.equal(put.status, 201);
});
after(async () => {
  await framehold.remove();
  await database.stop();
});

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: string;
}

/** Not fetch, which may not set these headers. */
function ask(method: string, path: string, headers: Record<string, string> = {}, body = ''): Promise<Answer> {
  const { port } = new URL(framehold.url);
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      );
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

const paths = [
  '/exec?handle=t&fmt=json',
  '/exec?query=select%201&fmt=json',
  '/exp?handle=t',
  '/v1/frames',
  '/v1/frames/t/rows',
  '/v1/sql?query=select%201',
  '/metrics',
  '/healthz',
  '/v1/openapi.json',
  '/nothing',
];
for (const path of paths) {
  test(`${path} is not for pages of other sites`, async () => {
    assert.equal((await ask('GET', path, { 'sec-fetch-site': 'cross-site' })).status, 403);
    assert.equal((await ask('GET', path, { origin: 'https://evil.example' })).status, 403);
    assert.equal((await ask('GET', path, { origin: 'null' })).status, 403);
    assert.equal((await ask('GET', path, { host: 'evil.example' })).status, 403);
    assert.notEqual((await ask('GET', path)).status, 403);
    for (const site of ['same-origin', 'none'])
      assert.notEqual((await ask('GET', path, { 'sec-fetch-site': site })).status, 403, site);
  });
}

test('nothing reaches the database for a page of another site', async () => {
  const before = database.seen.length;
  await ask('GET', '/exec?query=drop%20table%20x&fmt=json', { 'sec-fetch-site': 'cross-site' });
  await ask('GET', '/exec?query=drop%20table%20x&fmt=json', { host: 'rebound.evil.example' });
  assert.equal(database.seen.length, before);
});

test('/ping answers everybody', async () => {
  const strange = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example', host: 'evil.example' };
  const answer = await ask('GET', '/ping', strange);
  assert.deepEqual([answer.status, answer.body], [200, 'ok']);
  assert.equal(answer.headers['access-control-allow-origin'], undefined);
});

test('a page that was allowed may ask, and read the answer', async () => {
  const asked = { origin: 'https://app.example.com', 'sec-fetch-site': 'cross-site' };
  const answer = await ask('GET', '/exec?handle=t&fmt=json', asked);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers['access-control-allow-origin'], 'https://app.example.com');
  assert.equal(answer.headers['access-control-allow-credentials'], undefined);
  assert.match(String(answer.headers.vary), /origin/);
  const failed = await ask('GET', '/exec?handle=none&fmt=json', asked);
  assert.equal(failed.headers['access-control-allow-origin'], 'https://app.example.com');
});

test('a preflight is answered for allowed origins only', async () => {
  const wanted = {
    'access-control-request-method': 'PUT',
    'access-control-request-headers': 'authorization,content-type',
  };
  const answer = await ask('OPTIONS', '/v1/frames/t', { origin: 'http://localhost:3000', ...wanted });
  assert.equal(answer.status, 204);
  assert.match(String(answer.headers['access-control-allow-methods']), /PUT/);
  assert.match(String(answer.headers['access-control-allow-headers']), /authorization/);
  assert.equal(
    (await ask('OPTIONS', '/v1/frames/t', { origin: 'http://localhost:3001', ...wanted })).status,
    403,
  );
  assert.equal((await ask('OPTIONS', '/v1/frames/t')).status, 405);
});

test('a page of the server itself may ask', async () => {
  const own = { origin: 'https://data.example.com', host: 'data.example.com' };
  assert.equal((await ask('GET', '/v1/frames', own)).status, 200);
  const { host } = new URL(framehold.url);
  assert.equal((await ask('GET', '/v1/frames', { origin: `http://${host}`, host })).status, 200);
  assert.equal((await ask('GET', '/v1/frames', { origin: `http://${host}.evil.example`, host })).status, 403);
});

test('every answer says that it is no page', async () => {
  const answers = await Promise.all(
    [
      '/ping',
      '/exec?handle=t&fmt=json',
      '/exec?query=select%201&fmt=json',
      '/nothing',
      '/v1/frames/t/rows?fmt=csv',
    ].map((path) => ask('GET', path)),
  );
  for (const { headers } of answers) {
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['referrer-policy'], 'no-referrer');
    assert.equal(headers['x-frame-options'], 'DENY');
    assert.match(String(headers['content-security-policy']), /default-src 'none'/);
    assert.match(String(headers['content-security-policy']), /sandbox/);
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin');
  }
});
