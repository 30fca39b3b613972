import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signal } from '@preact/signals';
import { ColumnLayout } from '../../src/grid/column-layout.ts';
import { copySelection } from '../../src/grid/copy-selection.ts';
import type { RowSource } from '../../src/grid/row-source.ts';

function tableOf(rowCount: number, rowsInFact = rowCount) {
  const columns = ['a', 'b'].map((name) => ({ name, type: 'LONG' }));
  const source: RowSource = {
    columns: signal(columns),
    rowCount: signal(rowCount),
    isComplete: signal(true),
    window: async (first, count) => ({
      first,
      count: Math.min(count, rowsInFact - first),
      text: (row, column) => (row === 1 && column === 1 ? null : `${row}${column}`),
    }),
  };
  const layout = new ColumnLayout(columns, {
    hidden: new Set(),
    frozen: ['b'],
    widths: new Map(),
    gutterPx: 50,
    viewportPx: 1000,
  });
  return (firstRow: number, lastRow: number, firstPlace: number, lastPlace: number, withHeader = false) =>
    copySelection(
      source,
      layout,
      { firstRow, lastRow, firstPlace, lastPlace },
      withHeader,
      AbortSignal.timeout(10_000),
    );
}

test('cells are copied in the order in which the columns are shown', async () => {
  const copy = tableOf(3);
  assert.deepEqual(await copy(0, 1, 0, 1), { kind: 'text', text: '01\t00\n\t10', cells: 4 });
  assert.deepEqual(await copy(0, 0, 0, 1, true), { kind: 'text', text: 'b\ta\n01\t00', cells: 4 });
  assert.deepEqual(await copy(-1, -1, 1, 1), { kind: 'text', text: 'a', cells: 1 }, 'a name in the header');
});

test('a single null has no text, and a frame without rows has nothing to copy', async () => {
  assert.deepEqual(await tableOf(3)(1, 1, 0, 0), { kind: 'null' });
  assert.deepEqual(await tableOf(0)(0, 0, 0, 1), { kind: 'nothing' });
});

test('part of a selection is never copied as if it were all of it', async () => {
  await assert.rejects(tableOf(5, 3)(0, 4, 0, 1), /Not all of the selected rows/);
  assert.deepEqual(await tableOf(2_000_000)(0, 1_999_999, 0, 0), { kind: 'too_many', cells: 2_000_000 });
});

test('a selection of more rows than one window is copied whole', async () => {
  const copied = await tableOf(25_001)(0, 25_000, 1, 1);
  assert.equal(copied.kind, 'text');
  const lines = copied.kind === 'text' ? copied.text.split('\n') : [];
  assert.deepEqual([lines.length, lines[10_000], lines.at(-1)], [25_001, '100000', '250000']);
});
