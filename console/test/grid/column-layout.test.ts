import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ColumnLayout, groupColumns } from '../../src/grid/column-layout.ts';

const columnsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `c${index}`, type: 'LONG' }));

function layoutOf(
  count: number,
  options: { hidden?: string[]; frozen?: string[]; viewportPx?: number } = {},
) {
  return new ColumnLayout(columnsOf(count), {
    hidden: new Set(options.hidden),
    frozen: options.frozen ?? [],
    widths: new Map(columnsOf(count).map(({ name }) => [name, 100])),
    gutterPx: 50,
    viewportPx: options.viewportPx ?? 1000,
  });
}

test('only the columns in view are placed, out of two thousand', () => {
  const layout = layoutOf(2000);
  assert.equal(layout.totalPx, 200_050);
  assert.deepEqual(layout.visible(0, 350), [0, 1, 2]);
  assert.deepEqual(layout.visible(100_050, 350), [1000, 1001, 1002, 1003]);
  assert.equal(layout.visible(layout.totalPx - 350, 350).at(-1), 1999);
});

test('frozen columns come first and stay in view', () => {
  const layout = layoutOf(100, { frozen: ['c7', 'c3'] });
  assert.deepEqual(
    layout.places.slice(0, 4).map(({ column, isFrozen }) => [column, isFrozen]),
    [
      [7, true],
      [3, true],
      [0, false],
      [1, false],
    ],
  );
  assert.equal(layout.frozenPx, 250);
  assert.deepEqual(layout.visible(5000, 450).slice(0, 2), [0, 1]);
  assert.ok(layout.visible(5000, 450).length <= 6);
});

test('frozen columns leave room for others on a narrow screen', () => {
  const layout = layoutOf(10, { frozen: ['c1', 'c2', 'c3'], viewportPx: 375 });
  assert.deepEqual(
    layout.places.slice(0, 3).map(({ isFrozen }) => isFrozen),
    [true, false, false],
  );
});

test('hidden columns have no place', () => {
  assert.deepEqual(
    layoutOf(4, { hidden: ['c1', 'c3'] }).places.map(({ column, left }) => [column, left]),
    [
      [0, 0],
      [2, 100],
    ],
  );
});

test('revealing a column scrolls as little as possible, past the frozen ones', () => {
  const layout = layoutOf(100, { frozen: ['c9'] });
  assert.equal(layout.reveal(0, 5000, 450), 5000, 'frozen: always in view');
  assert.equal(layout.reveal(1, 5000, 450), 0);
  assert.equal(layout.reveal(50, 0, 450), 50 * 100 + 100 + 50 - 450);
  assert.equal(layout.reveal(2, 50, 450), 50, 'in view already');
});

test('columns are read in groups whose names fit into a URL', () => {
  const { groupOf, groups } = groupColumns(columnsOf(100));
  assert.deepEqual(
    groups.map((group) => group.length),
    [32, 32, 32, 4],
  );
  assert.equal(groupOf[33], 1);
  const long = groupColumns(
    Array.from({ length: 10 }, (_, index) => ({ name: `${'ü'.repeat(250)}${index}`, type: 'LONG' })),
  );
  assert.ok(long.groups.every((group) => group.length <= 2));
  assert.equal(long.groups.flat().length, 10);
});
