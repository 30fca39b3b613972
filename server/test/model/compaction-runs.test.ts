import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compactionLimits } from '../../src/frames/background/compaction.ts';
import { chooseRun, type LogPart } from '../../src/model/compaction-runs.ts';

const limits = { partBytesMax: 100, runBytesMax: 400, runPartsMin: 4, runPartsMax: 10, growthMin: 4 };

function log(...sizes: number[]): LogPart[] {
  return sizes.map((bytes) => ({ bytes, apart: false, endsVersion: false }));
}

function endingAt(parts: LogPart[], ...indices: number[]): LogPart[] {
  return parts.map((part, index) => (indices.includes(index) ? { ...part, endsVersion: true } : part));
}

test('the oldest run is taken, as long as it can be', () => {
  assert.deepEqual(chooseRun(log(1, 1, 1), limits), null);
  assert.deepEqual(chooseRun(log(1, 1, 1, 1), limits), [0, 4]);
  assert.deepEqual(chooseRun(log(...Array.from({ length: 25 }, () => 1)), limits), [0, 10]);
  assert.deepEqual(chooseRun(log(90, 90, 90, 90, 90), limits), [0, 4]);
});

test('a part that is large already, or must stay, is no part of a run', () => {
  assert.deepEqual(chooseRun(log(100, 1, 1, 1, 1, 200), limits), [1, 5]);
  const parts = log(1, 1, 1, 1, 1, 1, 1);
  parts[2] = { bytes: 1, apart: true, endsVersion: false };
  assert.deepEqual(chooseRun(parts, limits), [3, 7]);
});

test('a run is several times its largest part', () => {
  assert.deepEqual(chooseRun(log(10, 1, 1, 1), limits), null);
  assert.deepEqual(chooseRun(log(10, 1, 1, 1, 1), limits), [1, 5]);
  assert.deepEqual(chooseRun(log(10, 10, 10, 10, 1), limits), [0, 5]);
});

test('no version ends inside a run', () => {
  assert.deepEqual(chooseRun(endingAt(log(1, 1, 1, 1, 1, 1), 2), limits), null);
  assert.deepEqual(chooseRun(endingAt(log(1, 1, 1, 1, 1, 1), 3), limits), [0, 4]);
  assert.deepEqual(chooseRun(endingAt(log(1, 1, 1, 1, 1, 1), 1), limits), [2, 6]);
});

for (const [title, sizeOf] of [
  ['equal', () => 3_000],
  ['alternating', (index: number) => (index % 2 === 0 ? 3_000 : 300_000)],
  ['falling', (index: number) => Math.ceil(4e6 / (1 + (index % 1_000)))],
] as const) {
  test(`${title} appends leave few parts, and each byte is written a logarithmic number of times`, () => {
    let parts: LogPart[] = [];
    let put = 0;
    let written = 0;
    let most = 0;
    for (let index = 0; index < 5_000; index++) {
      const bytes = sizeOf(index);
      put += bytes;
      parts.push({ bytes, apart: false, endsVersion: false });
      for (
        let run = chooseRun(parts, compactionLimits);
        run !== null;
        run = chooseRun(parts, compactionLimits)
      ) {
        const [first, end] = run;
        const sum = parts.slice(first, end).reduce((total, part) => total + part.bytes, 0);
        written += sum;
        parts = parts.toSpliced(first, end - first, { bytes: sum, apart: false, endsVersion: false });
      }
      most = Math.max(most, parts.filter((part) => part.bytes < compactionLimits.partBytesMax).length);
    }
    assert.ok(most < 60, `${most} small parts`);
    assert.ok(written / put < 8, `each byte was written ${written / put} times`);
  });
}
