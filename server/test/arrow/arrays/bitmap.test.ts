import assert from 'node:assert/strict';
import { test } from 'node:test';
import { copyBits, countBits } from '../../../src/arrow/arrays/bitmap.ts';

const bitOf = (bytes: Uint8Array, bit: number): number => ((bytes[bit >> 3] as number) >> (bit & 7)) & 1;

test('bits are copied from anywhere to anywhere, and no other bit changes', () => {
  const source = Uint8Array.from({ length: 40 }, (_, index) => (index * 89 + 7) & 0xff);
  for (const given of [source, null])
    for (let to = 0; to < 18; to++)
      for (let from = 0; from < 18; from++)
        for (const count of [0, 1, 3, 7, 8, 9, 30, 64, 121, 200]) {
          const target = new Uint8Array(30);
          for (let bit = 0; bit < to; bit += 2)
            target[bit >> 3] = (target[bit >> 3] as number) | (1 << (bit & 7));
          copyBits(target, to, given, from, count);
          for (let bit = 0; bit < 240; bit++) {
            const wanted =
              bit < to
                ? 1 - (bit % 2)
                : bit >= to + count
                  ? 0
                  : given === null
                    ? 1
                    : bitOf(given, from + bit - to);
            assert.equal(bitOf(target, bit), wanted, `bit ${bit} of ${count} from ${from} to ${to}`);
          }
        }
});

test('bits are counted up to the length, not to the end of the byte', () => {
  const bytes = new Uint8Array(16).fill(0xff);
  for (const length of [0, 1, 7, 8, 31, 32, 33, 100, 128]) assert.equal(countBits(bytes, length), length);
});
