import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeLz4Frame } from '../../../src/arrow/compression/lz4-frame.ts';
import { xxhash32 } from '../../../src/arrow/compression/xxhash32.ts';
import { MalformedArrow } from '../../../src/arrow/malformed-arrow.ts';
import { runPython } from '../../support/python.ts';

/** Frames made by the LZ4 library inside pyarrow, of texts that repeat in different ways. */
const script = `
import base64, json, sys
import pyarrow as pa
import random
random.seed(5)
samples = [b'', b'a', b'abc' * 5000, bytes(100000), bytes(random.randrange(256) for _ in range(70000)),
           b''.join(random.choice([b'red', b'green', b'blue-ish', bytes(random.randrange(40))]) for _ in range(60000))]
codec = pa.Codec('lz4')
print(json.dumps([[base64.b64encode(s).decode(), base64.b64encode(codec.compress(s, asbytes=True)).decode()] for s in samples]))
`;
const samples = ((await runPython(['-c', script], null)) as [string, string][]).map(
  ([plain, packed]) => [Buffer.from(plain, 'base64'), Buffer.from(packed, 'base64')] as const,
);

function frame(flags: number, blocks: Uint8Array[], tail: Uint8Array = Buffer.alloc(0)): Uint8Array {
  const descriptor = Buffer.of(flags, 0x40);
  const magic = Buffer.of(0x04, 0x22, 0x4d, 0x18);
  const check = Buffer.of((xxhash32(descriptor) >>> 8) & 255);
  return Buffer.concat([magic, descriptor, check, ...blocks, Buffer.alloc(4), tail]);
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
}

describe('an LZ4 frame', () => {
  it('gives back what was packed', () => {
    for (const [plain, packed] of samples) {
      const output = new Uint8Array(plain.length);
      decodeLz4Frame(packed, output);
      assert.deepEqual(Buffer.from(output), plain);
    }
  });

  it('is refused if it does not fill the output exactly, or is cut', () => {
    const [plain, packed] = samples.at(-1) ?? assert.fail();
    for (const length of [0, 1, plain.length - 1, plain.length + 1])
      assert.throws(() => decodeLz4Frame(packed, new Uint8Array(length)), MalformedArrow);
    for (let length = 0; length < packed.length; length += 97)
      assert.throws(
        () => decodeLz4Frame(packed.subarray(0, length), new Uint8Array(plain.length)),
        MalformedArrow,
      );
  });

  it('has true checksums', () => {
    assert.equal(xxhash32(Buffer.from('')), 0x02cc5d05);
    assert.equal(xxhash32(Buffer.from('abc')), 0x32d153ff);
    assert.equal(xxhash32(Buffer.from('Nobody inspects the spammish repetition')), 0xe2293b2f);
    const stored = Buffer.from('hello');
    const block = Buffer.concat([word(0x80000000 + stored.length), stored, word(xxhash32(stored))]);
    const output = new Uint8Array(5);
    decodeLz4Frame(frame(0x74, [block], word(xxhash32(stored))), output);
    assert.deepEqual(Buffer.from(output), stored);
    const wrong = Buffer.concat([word(0x80000000 + stored.length), stored, word(1)]);
    assert.throws(
      () => decodeLz4Frame(frame(0x74, [wrong], word(xxhash32(stored))), output),
      /checksum of a block/,
    );
    assert.throws(() => decodeLz4Frame(frame(0x74, [block], word(1)), output), /checksum of the content/);
    const [, packed] = samples[2] ?? assert.fail();
    const header = Buffer.from(packed);
    header[header.length > 14 && (header[4] ?? 0) & 8 ? 14 : 6] = 0;
    assert.throws(() => decodeLz4Frame(header, new Uint8Array(15_000)), /checksum of the frame header/);
  });

  it('never reaches before its beginning', () => {
    // One literal, then a match four bytes back.
    const block = Buffer.of(0x10, 0x61, 0x04, 0x00, 0x00);
    assert.throws(
      () => decodeLz4Frame(frame(0x60, [Buffer.concat([word(block.length), block])]), new Uint8Array(50)),
      /before the beginning/,
    );
  });
});
