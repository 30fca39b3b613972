import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columnIndices } from '../../../src/frames/reading/column-indices.ts';
import type { VersionRecord } from '../../../src/model/version.ts';

function frameOf(names: readonly string[]): VersionRecord {
  const columns = names.map((name) => ({ name, type: 'INT' }));
  return { name: 'f', schema: { hash: '', message: new Uint8Array(0), columns } } as unknown as VersionRecord;
}

test('columns are found in the order in which they are named, of two of one name the first', () => {
  assert.deepEqual(columnIndices(frameOf(['a', 'b', 'b', 'c']), ['c', 'b', 'a']), [3, 1, 0]);
});

test('a column that is named twice is refused: a short link would make a read of any size', () => {
  const names = ['k', ...Array<string>(30_000).fill('k')];
  assert.throws(() => columnIndices(frameOf(['k']), names), {
    kind: 'bad_request',
    message: 'The column "k" is named twice.',
  });
});

test('a column that is not there is named, with those that are', () => {
  assert.throws(() => columnIndices(frameOf(['a', 'b']), ['c']), {
    kind: 'column_not_found',
    message: 'f has no column "c".',
    hint: 'Its columns: a, b.',
  });
});
