import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { type ErrorKind, errorKinds } from '../../server/src/model/errors.ts';
import { assertProblem, exec, getText, putFrame } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { assertTook } from '../../server/test/support/machine-pace.ts';
import { arrowBytes } from '../../server/test/support/python.ts';
import { rawGet, rawHttp } from '../../server/test/support/raw-http.ts';
import { assertStrictJson } from '../../server/test/support/strict-json.ts';

let framehold: Framehold;
before(async () => {
  framehold = await Framehold.start();
  const { frame } = await arrowBytes({ frame: `pa.table({'n': [1]})` });
  await putFrame(framehold.url, 'frame', frame);
});
after(async () => await framehold.remove());

const get = (target: string, init = {}) => getText(framehold.url + target, init);

test('one body for every HTTP error: type, title, status, detail, code, requestId, error', async () => {
  const answers = await Promise.all([
    get('/v1/frames/nobody'),
    get('/v1/frames/not%20a%20name'),
    get('/nothing/here'),
    get('/v1/frames', { method: 'PATCH' }),
    get('/v1/frames?cursor=wrong'),
    get('/v1/frames/frame/rows?fmt=xml'),
    get('/v1/frames/frame/rows', { headers: { accept: 'image/png' } }),
    get('/v1/frames/frame/rows?columns=none'),
    get('/v1/frames/frame', { method: 'PUT', body: 'x', headers: { 'content-type': 'text/plain' } }),
  ]);
  const wanted: [number, ErrorKind][] = [
    [404, 'frame_not_found'],
    [400, 'bad_handle'],
    [404, 'route_not_found'],
    [405, 'method_not_allowed'],
    [400, 'bad_cursor'],
    [400, 'bad_request'],
    [406, 'not_acceptable'],
    [400, 'column_not_found'],
    [415, 'unsupported_media_type'],
  ];
  for (const [index, answer] of answers.entries()) {
    const [status, code] = wanted[index] ?? [0, 'internal'];
    const problem = assertProblem(answer, status, code);
    assert.equal(problem.title, errorKinds[code].title);
    assert.equal(answer.type?.split(';')[0], 'application/problem+json');
    assert.equal(problem.query, undefined);
  }
  await assertStrictJson(answers.map(({ text }) => text));
});

test('on /exec the content type is application/json, and query is there', async () => {
  const answer = await exec(framehold.url, { handle: 'nobody', fmt: 'json' });
  const problem = assertProblem(answer, 404, 'frame_not_found');
  assert.equal(answer.type?.split(';')[0], 'application/json');
  assert.equal(problem.query, 'handle:nobody');
});

test('hint says what to do, if there is something', async () => {
  assert.match(assertProblem(await get('/v1/frames/not%20a%20name'), 400).hint ?? '', /name/i);
});

test('a request id is in the answer and in the log line of the request', async () => {
  const answer = await get('/v1/frames/nobody');
  const { requestId } = assertProblem(answer, 404);
  await framehold.until('log line with the request id', () =>
    framehold.lines.some((line) => line.includes(requestId)) ? true : null,
  );
});

test('a URL above http.url_bytes_max is 414, headers above http.header_bytes_max 431', async () => {
  const long = await rawGet(framehold.url, `/v1/frames?prefix=${'a'.repeat(70_000)}`);
  assert.equal(long.status, 414);
  assert.equal(JSON.parse(long.body.toString()).code, 'url_too_long');
  const wide = await rawGet(framehold.url, '/ping', { 'x-wide': 'a'.repeat(140_000) });
  assert.equal(wide.status, 431);
});

test('what is not HTTP is 400 and closed', async () => {
  const answer = await rawHttp(framehold.url, 'NOT HTTP AT ALL\r\n\r\n');
  assert.equal(answer.status, 400);
});

test('a name longer than Fastify takes by itself is still a proper error', async () => {
  const answer = await get(`/v1/frames/${'x'.repeat(129)}`);
  assertProblem(answer, 400, 'bad_handle');
});

test('errors carry no path, stack or cause of the server', async () => {
  for (const answer of [await get('/v1/frames/nobody'), await get('/v1/frames?cursor=%00')]) {
    assert.doesNotMatch(answer.text, /node_modules|\.ts:|\bat \w+ \(|\/tmp\//);
  }
});

test('a caller who sends all of its body before it reads gets the refusal, not a reset connection', async () => {
  const { hostname, port } = new URL(framehold.url);
  const socket = connect(Number(port), hostname);
  // Not read before all is sent; much more than the buffers of both systems hold.
  socket.pause();
  const body = Buffer.alloc(32 * 1024 * 1024, 0x78);
  const sent = new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    socket.write(
      `PUT /v1/frames/not%20a%20name! HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv\r\nContent-Length: ${body.byteLength}\r\n\r\n`,
    );
    socket.write(body, () => resolve());
  });
  await sent;
  const began = performance.now();
  const answer = (await text(socket)).split('\r\n');
  assert.equal(answer[0], 'HTTP/1.1 400 Bad Request');
  assert.ok(answer.some((line) => line.toLowerCase() === 'connection: close'));
  assertTook(performance.now() - began, 2_000, 'the end of the connection');
});
