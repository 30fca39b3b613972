/** Connections to a TLS port that do not get through the handshake, or say nothing after it: each ends in time, and its place is free for others. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { request } from 'node:https';
import { after, before, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { Framehold } from '../../../server/test/support/framehold-process.ts';
import { assertTook } from '../../../server/test/support/machine-pace.ts';
import { TestAuthority } from '../../../server/test/support/test-authority.ts';
import { allEndedWithin, Held, holdMany, portOf } from './under-attack.ts';

const connectionsMax = 50;
const handshakeMs = 10_000;
/** As for the head of a request; longer than the handshake may take, so that a test can tell which of the two has ended a connection. */
const requestMs = 14_000;
const slackMs = 4_000;

const authority = new TestAuthority();
const ca = readFileSync(authority.cert);
let framehold: Framehold;
before(async () => {
  const { cert, key } = authority.signServer();
  framehold = await Framehold.start({
    ownConfigFile: [
      '[http]',
      `connections_max = ${connectionsMax}`,
      `request_timeout_ms = ${requestMs}`,
      '[server]',
      `max_connections = ${connectionsMax}`,
    ].join('\n'),
    env: { FRAMEHOLD_TLS_CERT_FILE: cert, FRAMEHOLD_TLS_KEY_FILE: key },
  });
});
after(() => framehold.remove());

/** A status of HTTP, or how the connection failed. */
function ping(): Promise<number | string> {
  return new Promise((resolve) => {
    const asked = request(`${framehold.url}/ping`, { ca, agent: false });
    asked.on('response', (response) => resolve(response.resume().statusCode ?? 0));
    asked.on('error', (error: NodeJS.ErrnoException) => resolve(String(error.code)));
    asked.end();
  });
}

/** Whether gRPC answers a ping of HTTP/2. */
function pingGrpc(): Promise<boolean> {
  return new Promise((resolve) => {
    const session = connectHttp2(framehold.grpcUrl.replace('grpc+tls:', 'https:'), { ca });
    const end = (isServed: boolean) => {
      session.destroy();
      resolve(isServed);
    };
    session.on('error', () => end(false));
    session.on('close', () => end(false));
    session.on('connect', () => session.ping((error) => end(error === null)));
  });
}

/** The head of a ClientHello of 512 bytes: TLS reads on and says nothing until it has them all. */
const helloHead = Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00]);

const listeners = [
  { name: 'HTTP', url: () => framehold.url, isServed: async () => (await ping()) === 200 },
  { name: 'gRPC', url: () => framehold.grpcUrl, isServed: pingGrpc },
];

for (const { name, url, isServed } of listeners) {
  test(`${name}: handshakes that stop after a byte, or go on byte by byte, end in time, and others are served`, async () => {
    assert.ok(await isServed());
    const stopped = holdMany(connectionsMax / 2, portOf(url()));
    for (const each of stopped) each.socket.write(helloHead.subarray(0, 1));
    const slow = holdMany(connectionsMax / 2, portOf(url()));
    for (const each of slow) {
      each.socket.write(helloHead);
      each.drip('\0', 1_000);
    }
    await allEndedWithin([...stopped, ...slow], handshakeMs + slackMs);
    await framehold.until('a place that is free', async () => ((await isServed()) ? true : null));
  });

  test(`${name}: what is not TLS is closed at once`, async () => {
    const other = holdMany(10, portOf(url()));
    for (const each of other) each.socket.write('hello there, is anybody at home?\r\n');
    await allEndedWithin(other, slackMs);
    const http = new Held(portOf(url()));
    http.socket.write('GET /ping HTTP/1.1\r\nhost: a\r\n\r\n');
    await http.endedWithin(slackMs);
    assert.match(http.text, /^HTTP\/1\.1 400 /);
  });
}

/** Through the handshake: how long it then stays open, in milliseconds. */
async function stays(url: string, protocol: string, said: string): Promise<number> {
  const socket = connectTls({ host: '127.0.0.1', port: portOf(url), ca, ALPNProtocols: [protocol] });
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  const began = performance.now();
  if (said !== '') socket.write(said);
  await once(socket.resume(), 'close');
  return performance.now() - began;
}

test('after the handshake, silence and half a head have the time of a request, and gRPC that of a greeting', async () => {
  const [silent = 0, half = 0, grpc = 0] = await Promise.all([
    stays(framehold.url, 'http/1.1', ''),
    stays(framehold.url, 'http/1.1', 'GET /ping HTTP/1.1\r\nhost: a\r\nx: '),
    stays(framehold.grpcUrl, 'h2', ''),
  ]);
  for (const ms of [silent, half]) {
    assert.ok(ms > handshakeMs + 1_000, `${ms}: the handshake's time is over with the handshake`);
    assertTook(ms, requestMs * 1.1 + slackMs, 'the end of a connection without a request');
  }
  assertTook(grpc, handshakeMs + slackMs, 'the end of a connection without a greeting');
});
