import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { flightService, RawCall } from '../../server/test/flight/raw-call.ts';
import { unexpectedLines } from '../../server/test/fuzz/wire/wire-watch.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { rawGet } from '../../server/test/support/raw-http.ts';
import { portOf } from './exhaustion/under-attack.ts';

/** What odd bytes once did, a test each. */

let framehold: Framehold;
before(async () => {
  framehold = await Framehold.start({ env: { FRAMEHOLD_LOG_LEVEL: 'warn' } });
});
after(async () => await framehold.remove());

test('a part of a path that is too long is answered 414, with a request id, and not 500', async () => {
  for (const path of ['/v1/frames/X', '/v1/frames/X/rows', '/v1/queries/X']) {
    const answer = await rawGet(framehold.url, path.replace('X', 'x'.repeat(600)));
    assert.equal(answer.status, 414);
    assert.match(answer.headers['x-request-id'] ?? '', /./);
    assert.equal(JSON.parse(answer.body.toString()).code, 'url_too_long');
  }
});

test('a method that nobody offers is answered 405, whatever it is', async () => {
  for (const method of ['TRACE', 'QUERY', 'PROPFIND', 'PATCH', 'SEARCH']) {
    const answer = await rawGet(framehold.url, '/v1/frames', {}, { method });
    assert.equal(answer.status, 405, method);
    assert.equal(answer.headers.allow, 'GET, HEAD, POST');
  }
});

test('a header that cannot be read, and may be a credential, is not printed', async () => {
  const call = new RawCall(`127.0.0.1:${portOf(framehold.grpcUrl)}`, flightService('ListActions'), {
    authorization: 'Basic secret\xff',
  });
  call.stream.end(Buffer.alloc(5));
  assert.equal((await call.status())['grpc-status'], '0');
  assert.deepEqual(
    framehold.lines.filter((line) => line.includes('secret')),
    [],
  );
});

test('a caller who sends a body and goes away is no fault of the server, and its put is free at once', async () => {
  const greeting = new Set(framehold.lines);
  const body = 'a,b\n1,2\n';
  for (let round = 0; round < 60; round++) {
    const coding = round % 2 === 0 ? '' : 'content-encoding: gzip\r\n';
    const head = `host: a\r\ncontent-type: text/csv\r\n${coding}`;
    const socket = connect(portOf(framehold.url), '127.0.0.1');
    socket.on('error', () => {});
    const request = `PUT /v1/frames/left HTTP/1.1\r\n${head}content-length: ${body.length}\r\n\r\n${body}`;
    await new Promise<void>((resolve) => socket.write(request, () => resolve()));
    socket.resetAndDestroy();
  }
  await framehold.until('end of the puts', async () => {
    const { body: metrics } = await rawGet(framehold.url, '/metrics');
    const open = metrics.toString().match(/^framehold_puts_open\{[^}]*\} \d+$/gm) ?? [];
    return open.every((line) => line.endsWith(' 0')) ? true : null;
  });
  assert.deepEqual(unexpectedLines(framehold, greeting), []);
});
