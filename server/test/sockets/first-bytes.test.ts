import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { isPlainHttp, watchFirstBytes } from '../../src/sockets/first-bytes.ts';

const servers: Server[] = [];
after(() => {
  for (const server of servers) server.close();
});

/** Sends back what it gets, unless it begins with `GET`. */
async function echo(waitMs: number): Promise<{ open: () => Promise<Socket>; endSilent: () => void }> {
  const server = createServer((socket) => socket.pipe(socket));
  servers.push(server);
  const endSilent = watchFirstBytes(server, {
    waitMs,
    refuse: (first) => (isPlainHttp(first) ? 'not here' : null),
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const open = async () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };
  return { open, endSilent };
}

test('a connection in the right protocol loses nothing of what it sent', async () => {
  const { open } = await echo(10_000);
  const socket = await open();
  socket.write('first');
  assert.equal(String((await once(socket, 'data'))[0]), 'first');
  socket.write('second');
  assert.equal(String((await once(socket, 'data'))[0]), 'second');
  socket.destroy();
});

test('one in another protocol gets the answer and the end, also while it goes on sending', async () => {
  const { open } = await echo(10_000);
  const socket = await open();
  socket.write('GET / HTTP/1.1\r\n');
  socket.write('x'.repeat(100_000));
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  assert.equal(answer, 'not here');
});

test('one that sends nothing is ended after the time, or when the server stops', async () => {
  const hasty = await echo(20);
  const [hadError] = await once((await hasty.open()).resume(), 'close');
  assert.equal(hadError, false);
  const patient = await echo(60_000);
  const socket = (await patient.open()).resume();
  // The server may not have seen it yet.
  const closed = once(socket, 'close');
  const began = performance.now();
  const timer = setInterval(patient.endSilent, 10);
  await closed;
  clearInterval(timer);
  assert.ok(performance.now() - began < 30_000, 'before its time');
});

test('HTTP/1 is known by its method; TLS, HTTP/2 and others are not taken for it', () => {
  for (const text of ['GET / HTTP/1.1\r\n', 'POST', 'OPTIONS * ', 'BASELINE-CONTROL /'])
    assert.ok(isPlainHttp(Buffer.from(text)), text);
  for (const text of ['PRI * HTTP/2.0', '\x16\x03\x01', '', 'G', 'get / ', 'GET\x00', '12', 'X'.repeat(50)])
    assert.equal(isPlainHttp(Buffer.from(text, 'latin1')), text.startsWith('X'), text);
});
