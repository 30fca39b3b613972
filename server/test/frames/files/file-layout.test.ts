import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { chunkOrder } from '../../../src/frames/files/chunk-order.ts';
import { PieceWriter, PlacedPieces } from '../../../src/frames/files/file-pieces.ts';
import { segmentsOf, untranscodedParts } from '../../../src/frames/files/file-segments.ts';
import type { PartRecord, StoredObject } from '../../../src/model/version.ts';

const mebibyte = 1024 * 1024;

function objectOf(key: string, bytes = mebibyte): StoredObject {
  return { key, bytes, sha256: '' };
}

function transcoded(id: string, rows: number, bytes = mebibyte): PartRecord {
  return { id, rows, forms: [{ kind: 'parquet', objects: [objectOf(id, bytes)], exact: true }] };
}

function untranscoded(id: string, rows: number, bytes = mebibyte): PartRecord {
  return { id, rows, forms: [{ kind: 'arrow', objects: [objectOf(id, bytes)], exact: true }] };
}

/** `id` for a part whose objects are used, [first, rows] for what is written. */
function planned(parts: readonly PartRecord[], unlike: readonly string[] = []): unknown[] {
  const segments = segmentsOf(parts, ({ id }) => !unlike.includes(id));
  return segments.map((segment) =>
    segment.kind === 'stored' ? segment.partId : [segment.first, segment.rows],
  );
}

describe('the segments of a file', () => {
  test('large parts stay, and neighbours that are small or do not fit are written together', () => {
    const large = [transcoded('a', 10), transcoded('b', 20), transcoded('c', 30)];
    assert.deepEqual(planned(large), ['a', 'b', 'c']);
    assert.deepEqual(planned(large, ['b']), ['a', [10, 20], 'c']);
    assert.deepEqual(planned(large, ['a', 'b', 'c']), [[0, 60]]);
    const small = [
      transcoded('a', 1, 100),
      transcoded('b', 2, 100),
      transcoded('c', 30),
      transcoded('d', 4, 100),
    ];
    assert.deepEqual(planned(small), [[0, 3], 'c', 'd'], 'a single small part stays');
    assert.deepEqual(planned([untranscoded('a', 1, 100), transcoded('b', 2, 100)]), [[0, 3]]);
    assert.deepEqual(planned([transcoded('a', 0), transcoded('empty', 0, 10), transcoded('b', 5)]), [
      'a',
      'b',
    ]);
    assert.deepEqual(planned([untranscoded('a', 0)]), [[0, 0]]);
    assert.deepEqual(planned([]), [[0, 0]]);
  });

  test('large parts that wait to be transcoded are transcoded first', () => {
    const refused = { ...untranscoded('refused', 1), transcodeRefusal: 'it cannot be' };
    const parts = [transcoded('a', 1), untranscoded('b', 1), untranscoded('small', 1, 100), refused];
    assert.deepEqual(
      untranscodedParts(parts).map(({ id }) => id),
      ['b'],
    );
  });
});

test('column chunks come column by column', () => {
  const file = (chunks: number[], groups: number) => ({
    dataEnd: 0,
    rows: 0,
    groups,
    besideBytes: 0,
    description: '',
    chunks: Float64Array.from(chunks),
  });
  // Two row groups of two columns, none, and one.
  const files = [file([4, 10, 14, 20, 34, 30, 64, 40], 2), file([], 0), file([4, 50, 54, 60], 1)];
  const order = [...chunkOrder(files)].map(({ file: number, start, bytes }) => [number, start, bytes]);
  assert.deepEqual(order, [
    [0, 4, 10],
    [0, 34, 30],
    [2, 4, 50],
    [0, 14, 20],
    [0, 64, 40],
    [2, 54, 60],
  ]);
});

test('very many column chunks stay in the order of the row groups', () => {
  const chunks = new Float64Array(2 * 300_000);
  for (let chunk = 0; chunk < 300_000; chunk++) chunks.set([4 + 10 * chunk, 10], 2 * chunk);
  const file = { dataEnd: 0, rows: 0, groups: 3, besideBytes: 0, description: '', chunks };
  let next = 4;
  for (const { start, bytes } of chunkOrder([file])) {
    if (start !== next) assert.fail(`${start} in place of ${next}`);
    next += bytes;
  }
  assert.equal(next, 4 + 3_000_000);
});

test('pieces are found by the bytes of the file', () => {
  const writer = new PieceWriter();
  const contents = ['abcdefgh', 'ABCDEFGH', '01234567'];
  const places: readonly (readonly [object: number, start: number, length: number])[] = [
    [0, 0, 2],
    [0, 2, 2],
    [1, 3, 4],
    [0, 5, 3],
    [2, 0, 8],
  ];
  for (const place of places) writer.add(...place);
  writer.add(1, 0, 0);
  const whole = places
    .map(([object, start, length]) => contents[object]?.slice(start, start + length))
    .join('');
  assert.equal(writer.bytes, whole.length);
  const objects = contents.map((key) => ({ ...objectOf(key), isOwn: false }));
  const pieces = new PlacedPieces({ etag: '', bytes: writer.bytes, objects, pieces: writer.finish() });
  assert.equal([...pieces.within({ start: 0, end: whole.length })].length, 4, 'neighbours are one piece');
  for (let start = 0; start <= whole.length; start++)
    for (let end = start; end <= whole.length; end++) {
      const found = [...pieces.within({ start, end })];
      const text = found
        .map(({ object, start: from, length }) => object.key.slice(from, from + length))
        .join('');
      assert.equal(text, whole.slice(start, end), `${start} to ${end}`);
    }
});
