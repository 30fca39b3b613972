import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import { BodyBuffers } from '../../../src/arrow/batches/body-buffers.ts';
import type { BatchHeader, Compression } from '../../../src/arrow/ipc/message.ts';
import { MalformedArrow } from '../../../src/arrow/malformed-arrow.ts';

function buffersOf(
  body: Uint8Array,
  places: readonly (readonly [offset: number, length: number])[],
  compression: Compression = 'none',
  unpackedBytesMax = 1_000_000,
): BodyBuffers {
  const header: BatchHeader = {
    metadataVersion: 5,
    length: 0,
    nodeLengths: new Float64Array(0),
    nodeNullCounts: new Float64Array(0),
    bufferOffsets: Float64Array.from(places, ([offset]) => offset),
    bufferLengths: Float64Array.from(places, ([, length]) => length),
    compression,
    variadicCounts: new Float64Array(0),
  };
  return new BodyBuffers(header, body, unpackedBytesMax);
}

function packed(announced: number, content: Uint8Array): Uint8Array {
  const prefix = Buffer.alloc(8);
  prefix.writeBigInt64LE(BigInt(announced));
  return Buffer.concat([prefix, content]);
}

function unpack(body: Uint8Array, compression: Compression = 'zstd', unpackedBytesMax?: number): Buffer {
  return Buffer.from(buffersOf(body, [[0, body.length]], compression, unpackedBytesMax).take());
}

function refuses(run: () => unknown, message: RegExp): void {
  assert.throws(run, (thrown) => thrown instanceof MalformedArrow && message.test(thrown.message));
}

describe('buffers of a body', () => {
  const body = Uint8Array.from({ length: 32 }, (_, index) => index);

  it('are taken in order and all used', () => {
    const buffers = buffersOf(body, [
      [0, 8],
      [8, 3],
      [999, 0],
    ]);
    assert.deepEqual([...buffers.take()], [0, 1, 2, 3, 4, 5, 6, 7]);
    refuses(() => buffers.end(), /has 3 buffers, the schema needs 1/);
    assert.deepEqual([...buffers.take()], [8, 9, 10]);
    assert.equal(buffers.take().length, 0);
    buffers.end();
    refuses(() => buffers.take(), /only 3 buffers/);
  });

  it('lie inside the body, aligned and apart', () => {
    refuses(() => buffersOf(body, [[24, 9]]).take(), /reaches outside the body of 32 bytes/);
    refuses(() => buffersOf(body, [[Number.MAX_SAFE_INTEGER, 1]]).take(), /reaches outside/);
    refuses(() => buffersOf(body, [[4, 8]]).take(), /not aligned to 8/);
    const twice = buffersOf(body, [
      [0, 24],
      [8, 24],
    ]);
    twice.take();
    refuses(() => twice.take(), /overlaps another one/);
  });
});

describe('compressed buffers', () => {
  const plain = Buffer.from('framehold '.repeat(1000));
  const zstd = zstdCompressSync(plain);

  it('unpack to what was packed, or are stored as they are', () => {
    assert.deepEqual(unpack(packed(plain.length, zstd)), plain);
    assert.deepEqual(unpack(packed(-1, plain)), plain);
    assert.equal(unpack(packed(0, zstd)).length, 0);
  });

  it('have exactly the announced length', () => {
    for (const announced of [1, plain.length - 1, plain.length + 1])
      refuses(() => unpack(packed(announced, zstd)), /zstd: buffer 0/);
    refuses(() => unpack(packed(plain.length, zstd.subarray(0, -1))), /cannot be unpacked/);
    refuses(() => unpack(packed(plain.length, Buffer.concat([zstd, zstd]))), /zstd: buffer 0/);
    refuses(() => unpack(packed(plain.length, Buffer.concat([zstd, Buffer.of(1, 2)]))), /zstd: buffer 0/);
    refuses(() => unpack(packed(plain.length, Buffer.from('not zstd at all'))), /cannot be unpacked/);
    refuses(() => unpack(Buffer.alloc(7)), /shorter than its length prefix/);
    refuses(() => unpack(packed(-2, zstd)), /announces -2 bytes/);
  });

  it('together stay within the limit, checked before anything is allocated', () => {
    refuses(() => unpack(packed(plain.length, zstd), 'zstd', plain.length - 1), /a batch may have 9999/);
    refuses(() => unpack(packed(2 ** 50, zstd), 'zstd'), /announces 1125899906842624 bytes/);
    refuses(() => unpack(packed(900_000, Buffer.alloc(20)), 'lz4'), /20 bytes cannot hold/);
    const one = packed(plain.length, zstd);
    const padded = Buffer.concat([one, Buffer.alloc((8 - (one.length % 8)) % 8)]);
    const places = [
      [0, one.length],
      [padded.length, one.length],
    ] as const;
    const buffers = buffersOf(Buffer.concat([padded, one]), places, 'zstd', plain.length * 1.5);
    buffers.take();
    refuses(() => buffers.take(), /a batch may have/);
  });
});
