import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { BufferPool } from '../../src/base/buffer-pool.ts';
import { WireFault, type WireMessage, WireReader, writeMessage } from '../../src/engine/wire.ts';

const limits = { headBytesMax: 1_000, bodyBytesMax: 10_000 };

function written(...messages: [number, number, (Uint8Array | undefined)?, Uint8Array[]?][]): Buffer {
  const stream = new PassThrough({ highWaterMark: 1e6 });
  for (const message of messages) writeMessage(stream, ...message);
  return stream.read();
}

test('messages arrive whole however the socket cuts them', () => {
  const head = new Uint8Array(5).fill(1);
  const body = new Uint8Array(100).fill(2);
  const bytes = written(
    [1, 7],
    [2, 8, head],
    [3, 9, head, [body]],
    [4, 4_294_967_295, undefined, [body.subarray(0, 30), body.subarray(30)]],
  );
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

test('a large body is read to where it belongs, and what is behind it is not lost', () => {
  const pool = new BufferPool(0);
  const bounds = { headBytesMax: 1_000, bodyBytesMax: 1_000_000 };
  const head = new Uint8Array(5).fill(1);
  const body = Buffer.alloc(300_000, 'some bytes of a body');
  const bytes = written([1, 7, head, [body]], [2, 8, head, [body.subarray(0, 1_000)]], [3, 9]);
  for (const step of [7, 1_000, 70_000, 250_000, 1_000_000]) {
    const messages: WireMessage[] = [];
    const reader = new WireReader(bounds, (message) => messages.push(message), pool);
    let direct = 0;
    for (let at = 0; at < bytes.length; ) {
      const room = reader.room();
      const target = room ?? Buffer.alloc(step);
      const count = bytes.copy(target, 0, at, Math.min(at + step, bytes.length));
      if (room !== null) direct += count;
      reader.push(target.subarray(0, count));
      at += count;
    }
    assert.deepEqual(
      messages.map(({ type, statement }) => [type, statement]),
      [
        [1, 7],
        [2, 8],
        [3, 9],
      ],
    );
    assert.ok(messages[0]?.body.equals(body));
    assert.ok(messages[1]?.body.equals(body.subarray(0, 1_000)));
    assert.equal(direct > 0, step < 250_000);
  }
});
