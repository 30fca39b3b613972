import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tabSeparated } from '../../src/grid/copy-text.ts';
import { moveSelection, rectangleOf, selectCell } from '../../src/grid/selection.ts';

const extent = { rowCount: 100_000_000, placeCount: 6, pageRows: 30 };
const at = (row: number, place: number) => selectCell({ row, place });
const press = (key: string, ctrl = false, shift = false) => ({ key, ctrl, shift });

test('keys move the active cell and stop at the edges', () => {
  assert.deepEqual(moveSelection(at(5, 2), press('ArrowDown'), extent), at(6, 2));
  assert.deepEqual(moveSelection(at(0, 0), press('ArrowLeft'), extent), at(0, 0));
  assert.deepEqual(moveSelection(at(99_999_999, 5), press('ArrowDown'), extent), at(99_999_999, 5));
  assert.deepEqual(moveSelection(at(10, 3), press('PageUp'), extent), at(0, 3));
  assert.deepEqual(moveSelection(at(10, 3), press('End', true), extent), at(99_999_999, 5));
  assert.deepEqual(moveSelection(at(10, 3), press('Home'), extent), at(10, 0));
  assert.deepEqual(moveSelection(at(0, 3), press('ArrowUp'), extent), at(-1, 3), 'to the header');
  assert.equal(moveSelection(at(0, 0), press('x'), extent), null);
});

test('Shift extends from where the selection began', () => {
  const once = moveSelection(at(5, 2), press('ArrowDown', false, true), extent);
  assert.ok(once);
  const twice = moveSelection(once, press('ArrowLeft', false, true), extent);
  assert.ok(twice);
  assert.deepEqual(rectangleOf(twice), { firstRow: 5, lastRow: 6, firstPlace: 1, lastPlace: 2 });
  const up = moveSelection(at(0, 2), press('ArrowUp', false, true), extent);
  assert.equal(up?.head.row, 0, 'not into the header');
});

test('Ctrl+A selects everything', () => {
  const all = moveSelection(at(5, 2), press('a', true), extent);
  assert.ok(all);
  assert.deepEqual(rectangleOf(all), { firstRow: 0, lastRow: 99_999_999, firstPlace: 0, lastPlace: 5 });
});

test('copied cells tell a null from an empty text, and spreadsheets read them back', () => {
  const rows = [
    ['9007199254740993', null, ''],
    ['a\tb', 'say "hi"', 'two\nlines'],
  ];
  assert.equal(tabSeparated(rows), '9007199254740993\t\t""\n"a\tb"\t"say ""hi"""\t"two\nlines"');
});
