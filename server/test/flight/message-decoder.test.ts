import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ChunkedMessage, MessageDecoder, RefusedMessage } from '../../src/flight/grpc/message-decoder.ts';
import { CallMemory, MessageMemory } from '../../src/flight/grpc/message-memory.ts';
import { grpcMessageOf } from '../../src/flight/grpc-message.ts';

function contents(messages: readonly unknown[]): Buffer[] {
  return messages.map((message) => {
    assert.ok(message instanceof ChunkedMessage);
    return Buffer.concat(message.chunks);
  });
}

describe('message decoder', () => {
  it('cuts messages apart however the bytes arrive', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 10 }),
        fc.integer({ min: 1, max: 60 }),
        (messages, step) => {
          const decoder = new MessageDecoder(100, new CallMemory(new MessageMemory(10_000)));
          const wire = Buffer.concat(messages.map(grpcMessageOf));
          const found: unknown[] = [];
          for (let at = 0; at < wire.length; at += step)
            found.push(...decoder.write(wire.subarray(at, at + step)));
          assert.deepEqual(
            contents(found),
            messages.map((message) => Buffer.from(message)),
          );
          assert.equal(decoder.midMessage, false);
        },
      ),
    );
  });

  it('notices that the stream stopped inside a message', () => {
    const decoder = new MessageDecoder(100, new CallMemory(new MessageMemory(10_000)));
    decoder.write(grpcMessageOf(Buffer.from('hello')).subarray(0, 3));
    assert.equal(decoder.midMessage, true);
    decoder.write(grpcMessageOf(Buffer.from('hello')).subarray(3, 8));
    assert.equal(decoder.midMessage, true);
    decoder.write(grpcMessageOf(Buffer.from('hello')).subarray(8));
    assert.equal(decoder.midMessage, false);
  });

  it('refuses an announced size before the bytes come, and looks no further', () => {
    const decoder = new MessageDecoder(100, new CallMemory(new MessageMemory(10_000)));
    const [refused, ...rest] = decoder.write(Buffer.of(0, 0, 0, 0, 101));
    assert.ok(refused instanceof RefusedMessage);
    assert.equal(refused.error.kind, 'body_too_large');
    assert.deepEqual(rest, []);
    assert.deepEqual(decoder.write(grpcMessageOf(Buffer.from('x'))), []);
  });

  it('takes no more than all calls together may hold, and frees what a call held when it ends', () => {
    const memory = new MessageMemory(100);
    const [first, second] = [new CallMemory(memory), new CallMemory(memory)];
    new MessageDecoder(100, first).write(grpcMessageOf(Buffer.alloc(80)));
    const [refused] = new MessageDecoder(100, second).write(grpcMessageOf(Buffer.alloc(30)));
    assert.ok(refused instanceof RefusedMessage);
    assert.equal(refused.error.kind, 'overloaded');
    first.end();
    second.end();
    assert.equal(memory.bytes, 0);
    const [late] = new MessageDecoder(100, first).write(grpcMessageOf(Buffer.alloc(1)));
    assert.ok(late instanceof RefusedMessage, 'a call that has ended gets no more');
    assert.equal(memory.bytes, 0);
  });
});
