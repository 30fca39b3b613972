import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selectItems } from '../../../src/sql/postgres/text/column-names.ts';
import { readNodes } from '../../../src/sql/postgres/text/nodes.ts';

test('a cast of a cast is named by the column, or else by the last type, however many there are', () => {
  for (const count of [0, 1, 2, 10_000]) {
    const casts = '::int4'.repeat(count);
    const items = selectItems(
      readNodes(`select size${casts}::text, 1${casts}::text, t.size${casts}::text from t`),
    );
    assert.deepEqual(
      items.map(({ name }) => name),
      ['size', 'text', 'size'],
    );
  }
});
