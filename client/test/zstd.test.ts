import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { constants, zstdCompressSync } from 'node:zlib';
import { decodeZstd } from '../src/arrow/zstd/decode-zstd.ts';

const sizes = [0, 1, 2, 7, 100, 1_000, 65_537, 300_000];

/** Together they reach every line of the decoder. */
const contents: Readonly<Record<string, (size: number) => Uint8Array>> = {
  zeros: (size) => new Uint8Array(size),
  random: (size) => randomBytes(size),
  'skewed bytes': (size) => Uint8Array.from(randomBytes(size), (byte) => Math.floor(byte ** 3 / 256 ** 2)),
  'increasing integers': (size) =>
    new Uint8Array(Int32Array.from({ length: size >> 2 }, (_, index) => index * 7).buffer),
  'increasing timestamps': (size) =>
    new Uint8Array(
      BigInt64Array.from({ length: size >> 3 }, (_, index) => 1_700_000_000_000_000n + BigInt(index) * 1_001n)
        .buffer,
    ),
  doubles: (size) =>
    new Uint8Array(
      Float64Array.from({ length: size >> 3 }, (_, index) => Math.round(Math.sin(index) * 100) / 4).buffer,
    ),
  words: (size) => {
    const words = ['frame', 'handle', 'version', 'of ', 'the ', ', ', '2024-02-29', 'BTC-USD', '\n'];
    let text = '';
    for (let index = 0; text.length < size; index++)
      text += words[(index * index * 31 + index) % words.length];
    return new TextEncoder().encode(text.slice(0, size));
  },
  'random, then the same again': (size) => {
    const half = randomBytes(size >> 1);
    return Uint8Array.from([...half, ...half]);
  },
  'few symbols': (size) =>
    Uint8Array.from(randomBytes(size), (byte) => (byte < 128 ? 0 : byte < 192 ? 1 : byte % 5)),
  // Each block after the first has the same byte between copies of earlier ones: literals of one value.
  'copies with one byte between them': (size) => {
    const content = randomBytes(size);
    for (let at = 131_072; at + 40 < size; at += 40) {
      content[at] = 65;
      content.copyWithin(at + 1, (at * 7) % 131_000, ((at * 7) % 131_000) + 39);
    }
    return content;
  },
  // More than 32,511 matches in a block.
  'short words in any order': (size) => {
    const words = randomBytes(3 * 4_096);
    const content = new Uint8Array(size);
    const order = new Uint16Array(Uint8Array.from(randomBytes(size + (size & 1))).buffer);
    for (let at = 0; at + 3 <= size; at += 3) {
      const word = ((order[Math.floor(at / 3)] ?? 0) % 4_096) * 3;
      content.set(words.subarray(word, word + 3), at);
    }
    return content;
  },
  'two symbols': (size) => Uint8Array.from(randomBytes(size), (byte) => (byte < 240 ? 65 : 66)),
};

/** Only the strongest level finds all of their matches; for others it would take long. */
const deep = new Set(['copies with one byte between them', 'short words in any order']);

describe('zstd', () => {
  for (const [name, make] of Object.entries(contents))
    it(`decodes what Node compresses at every level: ${name}`, () => {
      for (const size of sizes)
        for (const level of size > 100_000 && !deep.has(name) ? [-5, 1, 3, 9] : [-5, 1, 3, 9, 19]) {
          const content = make(size);
          const compressed = zstdCompressSync(content, {
            params: {
              [constants.ZSTD_c_compressionLevel]: level,
              [constants.ZSTD_c_checksumFlag]: level & 1,
            },
          });
          const decoded = decodeZstd(compressed, content.length);
          assert.ok(Buffer.compare(decoded, content) === 0, `${size} bytes at level ${level}`);
        }
    });

  it('refuses a content of another length', () => {
    const compressed = zstdCompressSync(new TextEncoder().encode('frame '.repeat(100)));
    assert.throws(() => decodeZstd(compressed, 599), RangeError);
    assert.throws(() => decodeZstd(compressed, 601), RangeError);
  });

  it('ends on damaged bytes, and never with a wrong length', () => {
    const skewed = contents['skewed bytes']?.(4_000) as Uint8Array;
    const content = Uint8Array.from([
      ...skewed,
      ...skewed.subarray(500, 900),
      ...skewed.toReversed(),
      ...skewed,
    ]);
    const compressed = zstdCompressSync(content);
    for (let position = 0; position < compressed.length; position += 3) {
      const damaged = Uint8Array.from(compressed);
      damaged[position] = (damaged[position] as number) ^ (1 << (position % 8));
      try {
        assert.equal(decodeZstd(damaged, content.length).length, content.length);
      } catch (thrown) {
        assert.ok(thrown instanceof RangeError, `byte ${position}: ${thrown}`);
      }
    }
    for (let length = 0; length < compressed.length; length += 17)
      assert.throws(() => decodeZstd(compressed.subarray(0, length), content.length), RangeError);
  });
});
