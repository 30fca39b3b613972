import assert from 'node:assert/strict';
import { connect } from 'node:http2';
import { after, before, test } from 'node:test';
import { getText } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { rawGet } from '../../server/test/support/raw-http.ts';

let framehold: Framehold;
before(async () => {
  framehold = await Framehold.start();
});
after(async () => await framehold.remove());

test('4.1 GET /ping: status 200, body is the plain text ok', async () => {
  const answer = await getText(`${framehold.url}/ping`);
  assert.equal(answer.status, 200);
  assert.equal(answer.text, 'ok');
});

test('decided: /ping is text/plain; charset=utf-8 and has no newline', async () => {
  const answer = await rawGet(framehold.url, '/ping');
  assert.equal(answer.status, 200);
  assert.equal(answer.headers['content-type'], 'text/plain; charset=utf-8');
  assert.equal(answer.headers['content-length'], '2');
  assert.equal(answer.body.toString('latin1'), 'ok');
});

test('decided: HEAD /ping is as GET without a body', async () => {
  const answer = await rawGet(framehold.url, '/ping', {}, { method: 'HEAD' });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers['content-type'], 'text/plain; charset=utf-8');
  assert.equal(answer.headers['content-length'], '2');
  assert.equal(answer.body.length, 0);
});

for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
  test(`decided: ${method} /ping is 405 with Allow`, async () => {
    const answer = await rawGet(framehold.url, '/ping', { 'content-length': '0' }, { method });
    assert.equal(answer.status, 405);
    assert.deepEqual((answer.headers.allow ?? '').split(', ').sort(), ['GET', 'HEAD']);
    assert.equal(JSON.parse(answer.body.toString()).code, 'method_not_allowed');
  });
}

test('1. one process runs a gRPC listener and an HTTP listener together', async () => {
  const session = connect(framehold.grpcUrl.replace(/^grpc/, 'http'));
  await new Promise((resolve, reject) => {
    session.on('remoteSettings', resolve);
    session.on('error', reject);
  });
  session.close();
  assert.equal((await getText(`${framehold.url}/ping`)).text, 'ok');
});
