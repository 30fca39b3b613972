import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { residentMegabytes } from '../../../bench/load/process-state.ts';
import { collectingGarbage } from '../fuzz/wire/ping-watch.ts';
import { builtCommand, Framehold } from '../support/framehold-process.ts';
import { newToken } from '../support/framehold-tokens.ts';
import { timePasses } from '../support/passing-time.ts';
import { TestAuthority } from '../support/test-authority.ts';
import { frame, packet, startup } from './raw-client.ts';

/** As many as the limits speak of: memory is taken in pages and arenas, which fewer would show. */
const thousand = 1_000;
/** Those take milliseconds of both sides each. */
const handshakes = 300;
/** The first of them need what a server has once. Memory that was used before is used again, so none is closed before the last is open. */
const thousands = 4;
/** How many connect at once: more would wait in the backlog. */
const atOnce = 50;
/** The collector gives pages back a moment later. */
const collectedMs = 700;

const authority = new TestAuthority();
const files = authority.sign('/CN=127.0.0.1', 'IP:127.0.0.1,DNS:localhost');

async function startServer(): Promise<Framehold> {
  return await Framehold.start({
    // As it is installed: from source each thread has a compiler.
    command: builtCommand,
    flags: ['--postgres-bind-address', '127.0.0.1:0', '--postgres-allow-plaintext'].concat(
      ['--tls-cert-file', files.cert, '--tls-key-file', files.key],
      ['--postgres-connections-max', '5000', '--postgres-unauthenticated-max', '5000'],
      ['--postgres-tenant-connections-max', '5000', '--postgres-login-timeout-ms', '600000'],
    ),
    imports: [collectingGarbage],
    env: { FRAMEHOLD_LOG_LEVEL: 'warn' },
  });
}

/** What a server holds, in kB. */
async function held(framehold: Framehold): Promise<number> {
  framehold.signal('SIGUSR2');
  await timePasses(collectedMs, 'until the collector has given pages back');
  return residentMegabytes(framehold.pid) * 1_000;
}

/** Of each connection, in kB: the median of some thousands that are opened one after the other, on a server that nobody has used before. */
async function cost(
  open: (port: number, token: string) => Promise<Socket>,
  count = thousand,
): Promise<number> {
  const framehold = await startServer();
  const sockets: Socket[] = [];
  try {
    const port = Number(framehold.postgresUrl.port);
    const token = newToken(framehold.dataDirectory, 'ada', 'read');
    const costs: number[] = [];
    let before = await held(framehold);
    for (let round = 0; round < thousands; round++) {
      for (let opened = 0; opened < count; opened += atOnce)
        sockets.push(...(await Promise.all(Array.from({ length: atOnce }, () => open(port, token)))));
      const now = await held(framehold);
      if (round > 0) costs.push((now - before) / count);
      before = now;
    }
    return costs.sort((one, other) => one - other)[Math.floor(costs.length / 2)] ?? Number.NaN;
  } finally {
    for (const socket of sockets) socket.destroy();
    await framehold.remove();
  }
}

/** Connected, and so many bytes of an answer have come. */
async function opened(port: number, sent: readonly Uint8Array[], answerBytes: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  for (const each of sent) socket.write(each);
  await answered(socket, answerBytes);
  return socket;
}

async function answered(socket: Socket, bytes: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    let left = bytes;
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the server has closed the connection')));
    if (bytes === 0) socket.once('connect', () => resolve());
    socket.on('data', (chunk: Buffer) => {
      left -= chunk.length;
      if (left <= 0) resolve();
    });
  });
}

const passwordRequestBytes = 9;
const sslRequest = packet(80_877_103);
/** The least that a log-in is answered with: all its settings, the key and ReadyForQuery. */
const logInBytes = 300;

test('a connection that has not logged in costs at most 16 kB', async (t) => {
  const silent = await cost((port) => opened(port, [], 0));
  const asked = await cost((port) => opened(port, [startup()], passwordRequestBytes));
  t.diagnostic(`before the first byte ${silent.toFixed(1)} kB, asked for a password ${asked.toFixed(1)} kB`);
  assert.ok(silent <= 16, `${silent} kB before the first byte`);
  assert.ok(asked <= 16, `${asked} kB when it was asked for a password`);
});

test('TLS costs most of an encrypted one', async (t) => {
  const begun = await cost((port) => opened(port, [sslRequest], 1), handshakes);
  const secured = await cost(async (port) => {
    const socket = await opened(port, [sslRequest], 1);
    socket.removeAllListeners();
    const secure = connectTls({ socket, ca: readFileSync(authority.cert), ALPNProtocols: ['postgresql'] });
    secure.write(startup());
    await answered(secure, passwordRequestBytes);
    return secure;
  }, handshakes);
  t.diagnostic(`TLS begun ${begun.toFixed(1)} kB, asked for a password inside ${secured.toFixed(1)} kB`);
  assert.ok(begun <= 80, `${begun} kB when TLS has begun`);
  assert.ok(secured <= 120, `${secured} kB inside TLS`);
});

test('a thousand idle sessions cost at most 60 MB', async (t) => {
  const idle = await cost((port, token) =>
    opened(port, [startup(undefined, { user: 'ada' }), frame('p', token)], logInBytes),
  );
  t.diagnostic(`logged in ${idle.toFixed(1)} kB`);
  assert.ok(idle <= 60, `${idle} kB`);
});
