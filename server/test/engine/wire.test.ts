import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { WireFault, type WireMessage, WireReader, writeMessage } from '../../src/engine/wire.ts';

const limits = { headBytesMax: 1_000, bodyBytesMax: 10_000 };

function written(...messages: [number, number, (Uint8Array | undefined)?, Uint8Array?][]): Buffer {
  const stream = new PassThrough({ highWaterMark: 1e6 });
  for (const message of messages) writeMessage(stream, ...message);
  return stream.read();
}

test('messages arrive whole however the socket cuts them', () => {
  const head = new Uint8Array(5).fill(1);
  const body = new Uint8Array(100).fill(2);
  const bytes = written([1, 7], [2, 8, head], [3, 9, head, body], [4, 4_294_967_295, undefined, body]);
  for (const step of [1, 2, 15, 16, 17, 50, 1_000]) {
    const messages: WireMessage[] = [];
    const reader = new WireReader(limits, (message) => messages.push(message));
    for (let at = 0; at < bytes.length; at += step) reader.push(bytes.subarray(at, at + step));
    assert.deepEqual(
      messages.map(({ type, statement, head: h, body: b }) => [type, statement, h.length, b.length]),
      [
        [1, 7, 0, 0],
        [2, 8, 5, 0],
        [3, 9, 5, 100],
        [4, 4_294_967_295, 0, 100],
      ],
    );
    assert.deepEqual(messages[2]?.head, head);
    assert.deepEqual(messages[3]?.body, Buffer.from(body));
  }
});

test('a message that claims to be longer than allowed is a fault before anything is allocated', () => {
  for (const [headBytes, bodyBytes] of [
    [1_001, 0],
    [0, 10_001],
    [4_294_967_295, 4_294_967_295],
  ]) {
    const prefix = new Uint8Array(16);
    new DataView(prefix.buffer).setUint32(8, headBytes ?? 0, true);
    new DataView(prefix.buffer).setUint32(12, bodyBytes ?? 0, true);
    const reader = new WireReader(limits, () => assert.fail('no message'));
    assert.throws(() => reader.push(prefix), WireFault);
  }
});
