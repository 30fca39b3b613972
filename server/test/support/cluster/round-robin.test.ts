import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import {
  connect,
  createServer as createHttp2Server,
  type Http2Server,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { GrpcRoundRobin } from './grpc-round-robin.ts';
import { HttpRoundRobin } from './http-round-robin.ts';

async function addressOf(t: TestContext, server: Server | Http2Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function httpNode(t: TestContext, name: string): Promise<string> {
  const server = createServer((asked, answer) => {
    if (asked.url === '/cut') {
      answer.writeHead(200, { 'content-length': '1000' }).write('begun', () => answer.destroy());
      return;
    }
    answer.setHeader('node', name);
    answer.setHeader('credential', asked.headers.authorization ?? 'none');
    asked.pipe(answer);
  });
  t.after(() => server.closeAllConnections());
  return await addressOf(t, server);
}

test('each HTTP request goes to the next node, with its body and with the credential that it lacks', async (t) => {
  const targets = [await httpNode(t, 'a'), await httpNode(t, 'b'), await httpNode(t, 'c')];
  const proxy = await HttpRoundRobin.start({ targets: () => targets, credential: () => 'Bearer of-all' });
  t.after(() => proxy.stop());
  const seen: string[] = [];
  const body = 'x'.repeat(3_000_000);
  for (const headers of [{}, { authorization: 'Bearer own' }, {}, {}]) {
    const answer = await fetch(`${proxy.url}/some`, { method: 'PUT', body, headers });
    assert.equal(await answer.text(), body);
    seen.push(`${answer.headers.get('node')} ${answer.headers.get('credential')}`);
  }
  assert.deepEqual(seen, ['a Bearer of-all', 'b Bearer own', 'c Bearer of-all', 'a Bearer of-all']);
});

test('an HTTP answer that a node did not end does not end for the caller, and an unreachable node is 502', async (t) => {
  let target = await httpNode(t, 'a');
  const proxy = await HttpRoundRobin.start({ targets: () => [target] });
  t.after(() => proxy.stop());
  const answer = await fetch(`${proxy.url}/cut`);
  await assert.rejects(answer.text());
  target = 'http://127.0.0.1:9';
  assert.equal((await fetch(proxy.url)).status, 502);
});

async function grpcNode(t: TestContext, name: string): Promise<string> {
  const server = createHttp2Server({ maxSessionMemory: 100 });
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    stream.on('error', () => {});
    if (headers[':path'] === '/refused') {
      stream.respond({ ':status': 200, 'grpc-status': '5' }, { endStream: true });
      return;
    }
    if (headers[':path'] === '/cut') {
      stream.respond({ ':status': 200, node: name }, { waitForTrailers: true });
      stream.write('begun', () => stream.session?.destroy());
      return;
    }
    stream.respond(
      { ':status': 200, node: name, credential: headers.authorization ?? 'none' },
      { waitForTrailers: true },
    );
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.pipe(stream);
  });
  return (await addressOf(t, server)).replace('http:', 'grpc:');
}

/** One call on a connection that is shared by all of them. */
function caller(t: TestContext, url: string) {
  const session = connect(url.replace('grpc:', 'http:'), { maxSessionMemory: 100 });
  session.on('error', () => {});
  t.after(() => session.destroy());
  return async (path: string, body: string) => {
    const stream = session.request({ ':method': 'POST', ':path': path });
    stream.end(body);
    const chunks: Buffer[] = [];
    let headers: Record<string, unknown> = {};
    let trailers: Record<string, unknown> = {};
    let failed = false;
    stream.on('response', (answered) => {
      headers = answered;
    });
    stream.on('trailers', (answered) => {
      trailers = answered;
    });
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('error', () => {
      failed = true;
    });
    await new Promise((resolve) => stream.on('close', resolve));
    return {
      node: headers.node,
      credential: headers.credential,
      status: trailers['grpc-status'] ?? headers['grpc-status'],
      text: Buffer.concat(chunks).toString(),
      failed,
    };
  };
}

test('each call on a gRPC connection goes to the next node, with its trailers', async (t) => {
  const targets = [await grpcNode(t, 'a'), await grpcNode(t, 'b')];
  const proxy = await GrpcRoundRobin.start({ targets: () => targets, credential: () => 'Bearer of-all' });
  t.after(() => proxy.stop());
  const call = caller(t, proxy.url);
  const body = 'y'.repeat(20_000_000);
  const answers = [await call('/x', body), await call('/x', 'short'), await call('/x', '')];
  assert.deepEqual(
    answers.map(({ node, status, credential }) => ({ node, status, credential })),
    ['a', 'b', 'a'].map((node) => ({ node, status: '0', credential: 'Bearer of-all' })),
  );
  assert.ok(answers[0]?.text === body, 'all bytes in order');
  const refused = await call('/refused', '');
  assert.deepEqual({ status: refused.status, failed: refused.failed }, { status: '5', failed: false });
});

test('a gRPC call that a node did not end fails, and an unreachable node is UNAVAILABLE', async (t) => {
  let target = await grpcNode(t, 'a');
  const proxy = await GrpcRoundRobin.start({ targets: () => [target] });
  t.after(() => proxy.stop());
  const call = caller(t, proxy.url);
  const cut = await call('/cut', '');
  assert.equal(cut.status, undefined);
  assert.ok(cut.failed);
  target = 'grpc://127.0.0.1:9';
  assert.equal((await call('/x', '')).status, '14');
});
