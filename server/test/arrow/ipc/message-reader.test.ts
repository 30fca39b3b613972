import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { endOfStream, frameHeader } from '../../../src/arrow/ipc/framing.ts';
import { messageBodyBytes, messageKind } from '../../../src/arrow/ipc/message.ts';
import { type ByteSource, MessageReader } from '../../../src/arrow/ipc/message-reader.ts';
import { MalformedArrow } from '../../../src/arrow/malformed-arrow.ts';
import { batchPiece, fieldOf, int64, numbersOf, schemaPiece } from '../hand-made.ts';
import { asyncSource, type Piece, streamOf } from '../stream-bytes.ts';

function batchOf(length: number): Piece {
  return batchPiece(length, [numbersOf(...Array.from({ length }, (_, index) => index))]);
}

const pieces = [
  schemaPiece([fieldOf(int64)]),
  batchOf(1),
  batchOf(5000),
  batchOf(0),
  batchOf(3),
  batchOf(700),
];
const bytes = streamOf(pieces);

describe('a message reader', () => {
  it('gives every message, whatever its window and however short the reads are', async () => {
    for (const windowBytes of [1, 64, 1000, 65_536])
      for (const readBytesMax of [1, 100, Number.POSITIVE_INFINITY]) {
        const source: ByteSource = {
          read: (target, position) => asyncSource(bytes).read(target.subarray(0, readBytesMax), position),
        };
        const reader = new MessageReader(source, { windowBytes });
        const bodies: Promise<void>[] = [];
        const targets: Uint8Array[] = [];
        let position = 0;
        for (const piece of pieces) {
          const message = (await reader.next()) ?? assert.fail();
          assert.deepEqual(Buffer.from(message.header), Buffer.from(frameHeader(piece.header).subarray(8)));
          assert.equal(message.position, position);
          assert.equal(message.bodyBytes, piece.body.length);
          position = message.bodyPosition + message.bodyBytes;
          // Bodies are read after the reader went on, some bytes too long.
          const target = new Uint8Array(message.bodyBytes + 3).fill(7);
          targets.push(target);
          bodies.push(new Promise((resolve) => setImmediate(resolve)).then(() => message.readBody(target)));
        }
        assert.equal(await reader.next(), null);
        await Promise.all(bodies);
        for (const [index, piece] of pieces.entries())
          assert.deepEqual(
            Buffer.from(targets[index] ?? []),
            Buffer.concat([piece.body, Buffer.of(7, 7, 7)]),
          );
      }
  });

  it('reads small messages many at a time, and large bodies once', async () => {
    const many = streamOf([pieces[0] ?? assert.fail(), ...Array.from({ length: 500 }, () => batchOf(1))]);
    let reads = 0;
    let readBytes = 0;
    const counted: ByteSource = {
      read: async (target, position) => {
        reads++;
        const count = await asyncSource(many).read(target, position);
        readBytes += count;
        return count;
      },
    };
    const reader = new MessageReader(counted);
    for (let message = await reader.next(); message !== null; message = await reader.next())
      await message.readBody(new Uint8Array(message.bodyBytes));
    assert.ok(reads <= 3, `${reads} reads`);
    assert.ok(readBytes < many.length * 1.5, `${readBytes} of ${many.length}`);
  });

  it('begins at the given position', async () => {
    const shifted = Buffer.concat([Buffer.alloc(13), bytes]);
    const reader = new MessageReader(asyncSource(shifted), { position: 13 });
    assert.equal((await reader.next())?.position, 13);
  });

  it('refuses what is cut', async () => {
    for (const length of [0, 4, 8, 20, 300, bytes.length - 8, bytes.length - 1]) {
      const reader = new MessageReader(asyncSource(bytes.subarray(0, length)));
      await assert.rejects(async () => {
        for (let message = await reader.next(); message !== null; message = await reader.next())
          await message.readBody(new Uint8Array(message.bodyBytes));
      }, MalformedArrow);
    }
  });
});

describe('framing', () => {
  it('pads headers to eight bytes behind marker and length', () => {
    assert.deepEqual(
      [...frameHeader(Uint8Array.of(1, 2, 3))],
      [255, 255, 255, 255, 8, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0],
    );
    assert.equal(frameHeader(new Uint8Array(16)).length, 24);
    assert.deepEqual([...endOfStream], [255, 255, 255, 255, 0, 0, 0, 0]);
  });

  it('gives kind and body size without reading further', () => {
    const [schema, batch] = pieces as [Piece, Piece];
    assert.equal(messageKind(schema.header), 'schema');
    assert.equal(messageKind(batch.header), 'record-batch');
    assert.equal(messageBodyBytes(batch.header), batch.body.length);
  });
});
