import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MalformedArrow } from '../../../src/arrow/malformed-arrow.ts';
import { plainValues } from '../plain-values.ts';
import { pyarrowStreams } from '../pyarrow-streams.ts';
import { checkBytes, decodeStream } from '../stream-bytes.ts';

const streams = await pyarrowStreams();
const mutationsTotal = 4000;
const limits = { bodyBytesMax: 16 * 1024 * 1024, unpackedBytesMax: 64 * 1024 * 1024 };
const slowestMs = 2000;
/** What the check may hold at its worst: header, body and unpacked bytes, twice for what is not yet collected. */
const memoryGrowthMax = 400 * 1024 * 1024;

/** Small and fast numbers from a seed, so that a failure can be repeated. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const strange = [
  0n,
  1n,
  -1n,
  7n,
  127n,
  255n,
  1n << 15n,
  (1n << 31n) - 1n,
  1n << 31n,
  1n << 32n,
  1n << 53n,
  (1n << 63n) - 1n,
  -(1n << 63n),
];

function mutate(original: Uint8Array, random: (below: number) => number): Uint8Array {
  const bytes = Buffer.from(original);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const changes = 1 + random(3);
  for (let change = 0; change < changes; change++) {
    const place = random(bytes.length - 8);
    const number = strange[random(strange.length)] ?? 0n;
    switch (random(7)) {
      case 0:
        bytes[place] = random(256);
        break;
      case 1:
        bytes[place] = (bytes[place] ?? 0) ^ (1 << random(8));
        break;
      case 2:
        view.setInt32(place - (place % 4), Number(BigInt.asIntN(32, number)), true);
        break;
      case 3:
        view.setBigInt64(place - (place % 8), number, true);
        break;
      case 4:
        view.setInt16(place - (place % 2), Number(BigInt.asIntN(16, number)), true);
        break;
      case 5:
        bytes.copyWithin(place, random(bytes.length), random(bytes.length));
        break;
      default:
        return Buffer.concat([bytes.subarray(0, place), bytes.subarray(place + random(64))]);
    }
  }
  return bytes;
}

it(`refuses or reads ${mutationsTotal} corrupted streams`, async (test) => {
  const originals = [...streams.values()].filter(({ bytes }) => bytes.length < 40_000);
  const memoryBefore = process.memoryUsage().arrayBuffers;
  let accepted = 0;
  for (let seed = 1; seed <= mutationsTotal; seed++) {
    const random = randomFrom(seed * 7919);
    const original = originals[random(originals.length)] ?? assert.fail();
    const bytes = mutate(original.bytes, random);
    const label = `${original.name}, seed ${seed}`;
    const start = performance.now();
    let rows: number | null = null;
    try {
      rows = checkBytes(bytes, limits).rows;
    } catch (thrown) {
      if (!(thrown instanceof MalformedArrow)) throw new Error(label, { cause: thrown });
    }
    const elapsedMs = performance.now() - start;
    assert.ok(elapsedMs < slowestMs, `${label} took ${elapsedMs} ms`);
    assert.ok(process.memoryUsage().arrayBuffers - memoryBefore < memoryGrowthMax, `${label} took memory`);
    // What the check lets pass can be read without looking again. Arrays without buffers may claim any length.
    if (rows !== null && rows < 10_000) {
      accepted++;
      try {
        const { batches } = await decodeStream(bytes);
        for (const { columns } of batches) for (const column of columns) plainValues(column);
      } catch (thrown) {
        throw new Error(`${label} was accepted and cannot be read`, { cause: thrown });
      }
    }
  }
  test.diagnostic(`${accepted} accepted`);
  assert.ok(accepted > mutationsTotal / 20 && accepted < (mutationsTotal * 3) / 4, `${accepted} accepted`);
});
