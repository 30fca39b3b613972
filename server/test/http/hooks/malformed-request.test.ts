import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isExecPath } from '../../../src/http/response/exec-problem.ts';
import { type RawAnswer, rawGet, rawHttp } from '../../support/raw-http.ts';
import { type BareListener, startBareListener } from '../bare-listener.ts';

let listener: BareListener;
before(async () => {
  listener = await startBareListener();
});
after(() => listener.close());

function assertProblem(answer: RawAnswer, status: number, code: string): { detail: string; hint?: string } {
  assert.equal(answer.status, status, answer.body.toString());
  assert.equal(answer.headers['content-type'], 'application/problem+json');
  assert.ok(answer.headers['x-request-id']);
  const problem = JSON.parse(answer.body.toString());
  assert.equal(problem.code, code);
  return problem;
}

const send = (request: string) => rawHttp(listener.url, request);

test('HTTP/1.1 without a Host header, or with two, is 400 with a body; HTTP/1.0 needs none', async () => {
  assertProblem(await send('GET /v1/frames HTTP/1.1\r\n\r\n'), 400, 'bad_request');
  const two = assertProblem(
    await send('GET /ping HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n'),
    400,
    'bad_request',
  );
  assert.match(two.detail, /2 Host headers/);
  assert.equal((await send('GET /ping HTTP/1.0\r\n\r\n')).status, 200);
});

test('an Expect that nobody knows is 417 with a body', async () => {
  const answer = await rawGet(listener.url, '/v1/frames', { expect: 'a-miracle' });
  assertProblem(answer, 417, 'expectation_failed');
  assert.equal((await rawGet(listener.url, '/ping', { expect: '100-CONTINUE' })).status, 200);
});

test('an unknown method is 400 and CONNECT 405, both with a body', async () => {
  const unknown = assertProblem(
    await rawGet(listener.url, '/ping', {}, { method: 'BREW' }),
    400,
    'bad_request',
  );
  assert.match(unknown.hint ?? '', /GET, HEAD, PUT, POST, PATCH, DELETE/);
  const connect = await send('CONNECT other.example:443 HTTP/1.1\r\nhost: other.example\r\n\r\n');
  assertProblem(connect, 405, 'method_not_allowed');
  assert.match(connect.headers.allow ?? '', /GET/);
});

test('the error for HTTP/2 names the port that speaks it', async () => {
  const { hint } = assertProblem(await send('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), 400, 'bad_request');
  assert.match(hint ?? '', /Arrow Flight/);
});

const spellings = [
  '/exec',
  '/exec/',
  '//exec',
  '/EXEC',
  '/%65xec',
  '/exec//',
  '/./exec',
  '/exec%2f',
  '/exec;a',
  '/Exec/',
];
for (const path of spellings) {
  test(`an error at ${path} has the form of /exec`, async () => {
    const answer = await rawGet(listener.url, `${path}?query=select%201`);
    assert.ok(answer.status >= 400, String(answer.status));
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
    const { query, error, code } = JSON.parse(answer.body.toString());
    assert.deepEqual([query, typeof error, typeof code], ['select 1', 'string', 'string']);
  });
}

test('other paths do not have it', () => {
  for (const path of ['/exp', '/v1/exec', '/exec/a', '/', '', '*', '/execute', `/${'/'.repeat(70_000)}exec`])
    assert.equal(isExecPath(path), false, path.slice(0, 40));
  assert.equal(isExecPath('http://127.0.0.1:9000/exec?handle=a'), true);
});

test('a path that hides behind percent signs is not there; what a route leaves open may be encoded', async () => {
  for (const path of [
    '/%6detrics',
    '/metric%73',
    '/%70ing',
    '/v1%2fframes',
    '/v1/%66rames',
    '/v1/%66rames/f',
    'http://127.0.0.1/%6detrics',
  ])
    assertProblem(await rawGet(listener.url, path), 404, 'route_not_found');
  assert.equal((await rawGet(listener.url, '/ping?%70ing=%6d#%6d')).status, 200);
  assert.equal((await rawGet(listener.url, 'http://127.0.0.1/ping?a')).status, 200);
  // It gets as far as the frames, which this listener has not.
  assertProblem(await rawGet(listener.url, '/v1/frames/%66'), 500, 'internal');
});
