import type { Random } from './seeded-random.ts';

/** Changes good bytes into bytes that an unknown client or a broken disk might send. `other` is another good sample. */
export type Mutate = (bytes: Uint8Array, other: Uint8Array, random: Random) => Uint8Array;

/** What lengths, offsets and counts are overwritten with: the ends of every width, and their neighbours. */
const extremes: readonly bigint[] = [
  0n,
  1n,
  -1n,
  2n,
  7n,
  8n,
  127n,
  128n,
  255n,
  256n,
  (1n << 15n) - 1n,
  1n << 16n,
  1_000_000_000n,
  (1n << 31n) - 1n,
  1n << 31n,
  (1n << 32n) - 1n,
  1n << 32n,
  1n << 40n,
  1n << 53n,
  (1n << 63n) - 1n,
  -(1n << 63n),
];

/** One to four changes anywhere. */
export const mutateBytes: Mutate = (bytes, other, random) => {
  let changed = Buffer.from(bytes);
  for (let change = 1 + random(4); change > 0; change--) changed = changeBytes(changed, other, random);
  return changed;
};

/** As `mutateBytes`, half of the time in the last part of the bytes: where footers are. */
export const mutateBehind: Mutate = (bytes, other, random) => {
  if (random(2) === 0) return mutateBytes(bytes, other, random);
  const tail = Math.min(bytes.length, 16 + random(2_000));
  const start = bytes.length - tail;
  return Buffer.concat([bytes.subarray(0, start), mutateBytes(bytes.subarray(start), other, random)]);
};

/** Texts: as bytes, or with pieces that mean something to a parser put in. */
export const mutateText: Mutate = (bytes, other, random) => {
  if (random(3) === 0) return mutateBytes(bytes, other, random);
  let changed = Buffer.from(bytes);
  for (let change = 1 + random(4); change > 0; change--) {
    const place = random(changed.length + 1);
    const token = tokens[random(tokens.length)] ?? '';
    const piece = Buffer.from(token.repeat(random(8) === 0 ? 1 + random(3_000) : 1));
    const removed = random(2) === 0 ? 0 : random(20);
    changed = Buffer.concat([changed.subarray(0, place), piece, changed.subarray(place + removed)]);
  }
  return changed;
};

const tokens = [
  ...[
    '"',
    '""',
    '\\"',
    '\\u0000',
    '\\ud800',
    ',',
    ';',
    '\n',
    '\r',
    '\r\n',
    '\n\n',
    '\t',
    ' ',
    '\u0000',
    '\ufeff',
  ],
  ...[
    '{',
    '}',
    '[',
    ']',
    '[[',
    '{"a":',
    ':',
    'null',
    'true',
    'false',
    'NaN',
    'Infinity',
    '-',
    '+',
    '.',
    'e',
    'E+',
  ],
  ...[
    '0',
    '00',
    '1',
    '-0',
    '9',
    '1e999',
    '1e-999',
    '0.1',
    '9007199254740993',
    '18446744073709551616',
    '5e-324',
  ],
  ...[
    '2024-01-01',
    '2024-02-30',
    '1970-01-01T00:00:00Z',
    '23:59:60',
    'é',
    '😀',
    '\u2028',
    '__proto__',
    'a',
    '"a":1,',
  ],
];

function changeBytes(bytes: Buffer<ArrayBuffer>, other: Uint8Array, random: Random): Buffer<ArrayBuffer> {
  if (bytes.length < 16) return Buffer.concat([bytes, other.subarray(0, 64)]);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const place = random(bytes.length - 8);
  const number = extremes[random(extremes.length)] ?? 0n;
  switch (random(12)) {
    case 0:
      bytes[place] = random(256);
      return bytes;
    case 1:
    case 2:
      bytes[place] = (bytes[place] ?? 0) ^ (1 << random(8));
      return bytes;
    case 3:
      view.setInt16(place - (place % 2), Number(BigInt.asIntN(16, number)), true);
      return bytes;
    case 4:
      view.setInt32(place - (place % 4), Number(BigInt.asIntN(32, number)), true);
      return bytes;
    case 5:
      view.setBigInt64(place - (place % 8), number, true);
      return bytes;
    case 6: {
      // An offset or length that is nearly right.
      const at = place - (place % 4);
      view.setInt32(at, view.getInt32(at, true) + random(33) - 16, true);
      return bytes;
    }
    case 7:
      bytes.copyWithin(place, random(bytes.length), random(bytes.length));
      return bytes;
    case 8:
      return Buffer.concat([bytes.subarray(0, place), bytes.subarray(place + random(64))]);
    case 9:
      return random(4) === 0 ? Buffer.from(bytes.subarray(0, place)) : bytes;
    case 10: {
      const from = random(other.length);
      const piece = other.subarray(from, from + 1 + random(256));
      return Buffer.concat([bytes.subarray(0, place), piece, bytes.subarray(place + random(piece.length))]);
    }
    default: {
      const again = bytes.subarray(place, place + random(128));
      return Buffer.concat([bytes.subarray(0, place), again, bytes.subarray(place)]);
    }
  }
}
