import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WrittenViews } from '../../../../src/engine/duckdb/tables/written-views.ts';
import type { EngineTable } from '../../../../src/ports/engine.ts';

const table: EngineTable = { name: 't', files: ['a', 'b'], schemaMessage: new Uint8Array([1]) };

function counted(length = 1) {
  const views = new WrittenViews();
  let count = 0;
  const write = async () => `${++count}`.padEnd(length);
  return { textOf: (of: EngineTable) => views.textOf(of, write), count: () => count };
}

test('the text of a view is written once for the same name, files and schema', async () => {
  const { textOf, count } = counted();
  assert.equal(await textOf(table), await textOf({ ...table }));
  assert.equal(count(), 1);
  for (const other of [
    { ...table, name: 'T' },
    { ...table, files: ['a'] },
    { ...table, files: ['a,b'] },
    { ...table, files: ['b', 'a'] },
    { ...table, schemaMessage: new Uint8Array([2]) },
  ])
    assert.notEqual(await textOf(other), await textOf(table));
});

test('few texts are kept, those used last, and no long ones', async () => {
  const { textOf, count } = counted();
  for (let index = 0; index < 10_000; index++) {
    await textOf({ ...table, name: `t${index}` });
    await textOf(table);
  }
  assert.equal(count(), 10_001);
  await textOf({ ...table, name: 't0' });
  assert.equal(count(), 10_002);
  const long = counted(1_000_000);
  await long.textOf(table);
  await long.textOf(table);
  assert.equal(long.count(), 2);
});
