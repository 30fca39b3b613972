/** Thousands of HTTP connections of callers without a credential: those who have one are served. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { Framehold } from '../../../server/test/support/framehold-process.ts';
import { newToken } from '../../../server/test/support/framehold-tokens.ts';
import { TestAuthority } from '../../../server/test/support/test-authority.ts';
import { portOf } from './under-attack.ts';

/** What fits into the queue of connections that the server has yet to accept. */
const atOnce = 250;

/** None of these shows a credential. */
const beginnings = ['', 'GET /v1/frames HTTP/1.1\r\nhost: a\r\n', 'GET /ping HTTP/1.1\r\nhost: a\r\n\r\n'];

/** Opens them, says little on each, and keeps them. */
async function hold(url: string, count: number): Promise<readonly Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const opened = Array.from({ length: Math.min(atOnce, count - sockets.length) }, (_, index) => {
      const socket = connect(portOf(url), '127.0.0.1').resume();
      socket.on('error', () => {});
      const said = beginnings[index % beginnings.length] ?? '';
      if (said !== '') socket.write(said);
      return socket;
    });
    await Promise.all(opened.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')])));
    sockets.push(...opened);
  }
  return sockets;
}

const openOf = (sockets: readonly Socket[]) =>
  sockets.filter(({ readyState }) => readyState === 'open').length;

/** The status of a request with a token, and the port it came from; the code of the error if the connection was closed. */
function ask(
  url: string,
  token: string,
  agent: Agent | TlsAgent | false,
): Promise<[number | string, number]> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${token}` };
    const send = url.startsWith('https:') ? tlsRequest : request;
    const asked = send(`${url}/v1/frames`, { headers, agent });
    asked.on('response', (response) => {
      const port = response.socket.localPort ?? 0;
      response.resume().on('end', () => resolve([response.statusCode ?? 0, port]));
    });
    asked.on('error', (error: NodeJS.ErrnoException) => resolve([String(error.code), 0]));
    asked.end();
  });
}

test('5,000 connections without a credential keep nobody out of HTTP who has one, and most are closed', async (t) => {
  const framehold = await Framehold.start();
  t.after(() => framehold.remove());
  const token = newToken(framehold.dataDirectory, 'a', 'read');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const [status, port] = await ask(framehold.url, token, agent);
  assert.equal(status, 200);
  const held = await hold(framehold.url, 5_000);
  t.after(() => {
    for (const socket of held) socket.destroy();
    agent.destroy();
  });
  assert.equal((await ask(framehold.url, token, false))[0], 200, 'a new connection');
  assert.deepEqual(await ask(framehold.url, token, agent), [200, port], 'the connection that was there');
  await framehold.until('1,024 that are left', () => (openOf(held) <= 1_024 ? true : null));
});

test('over TLS a connection counts as authenticated after its first request with a token', async (t) => {
  const authority = new TestAuthority();
  const { cert, key } = authority.signServer();
  const framehold = await Framehold.start({
    ownConfigFile: '[http]\nconnections_max = 20\nunauthenticated_max = 5\n',
    env: { FRAMEHOLD_TLS_CERT_FILE: cert, FRAMEHOLD_TLS_KEY_FILE: key },
  });
  t.after(() => framehold.remove());
  const token = newToken(framehold.dataDirectory, 'a', 'read');
  const ca = readFileSync(authority.cert);
  const agent = new TlsAgent({ keepAlive: true, maxSockets: 1, ca });
  const [status, port] = await ask(framehold.url, token, agent);
  assert.equal(status, 200);
  const held = await hold(framehold.url, 100);
  const another = new TlsAgent({ ca });
  t.after(() => {
    for (const socket of held) socket.destroy();
    for (const each of [agent, another]) each.destroy();
  });
  await framehold.until('five that are left', () => (openOf(held) <= 5 ? true : null));
  assert.deepEqual(await ask(framehold.url, token, agent), [200, port]);
  assert.equal((await ask(framehold.url, token, another))[0], 200);
});
