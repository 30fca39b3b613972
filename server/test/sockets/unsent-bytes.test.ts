import assert from 'node:assert/strict';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { allReceived } from '../../src/sockets/unsent-bytes.ts';
import { eventually } from '../support/patience.ts';

for (const host of ['127.0.0.1', '::1'])
  test(`what a slow reader has not read is waited for, also after the connection was closed here: ${host}`, async () => {
    let accepted: Socket | null = null;
    const server = createServer((socket) => {
      accepted = socket;
    }).listen(0, host);
    await eventually('listening', () => server.listening);
    const { port } = server.address() as AddressInfo;
    const client = connect(port, host);
    await eventually('connected', () => accepted !== null);
    client.pause();
    const sender = accepted as unknown as Socket;
    sender.on('error', () => {});
    // Until the kernels of both sides are full.
    while (sender.write(Buffer.alloc(1 << 20))) await new Promise((resolve) => setImmediate(resolve));
    let isReceived = false;
    const received = allReceived([port], 120_000).then(() => {
      isReceived = true;
    });
    await allReceived([port], 300);
    assert.equal(isReceived, false);
    sender.destroySoon();
    client.resume();
    await received;
    // The bytes of other ports do not count.
    await allReceived([1], 120_000);
    client.destroy();
    server.close();
  });
