import assert from 'node:assert/strict';
import { test } from 'node:test';
import { safeText } from '../src/output/safe-text.ts';
import { tableOfRows, terminalTable } from '../src/output/terminal-table.ts';
import { cutToWidth, textWidth } from '../src/output/text-width.ts';

test('control characters are shown, not obeyed', () => {
  assert.equal(safeText('a\u001b[31mred\u0007'), 'a\\x1b[31mred\\x07');
  assert.equal(safeText('two\nlines\t\r'), 'two\\nlines\\t\\r');
  assert.equal(safeText('\u009b2J\u202egpj.exe\u2066'), '\\x9b2J\\u202egpj.exe\\u2066');
  assert.equal(safeText('a\nb\u001b', '\n'), 'a\nb\\x1b');
  assert.equal(safeText('naïve 日本 👩‍🚀'), 'naïve 日本 👩‍🚀');
});

test('widths are those of a terminal', () => {
  assert.equal(textWidth('abc'), 3);
  assert.equal(textWidth('日本'), 4);
  assert.equal(textWidth('e\u0301'), 1);
  assert.equal(textWidth('👩‍🚀'), 2);
  assert.equal(textWidth('한국'), 4);
  assert.equal(cutToWidth('日本語', 5), '日本…');
  assert.equal(cutToWidth('abcdef', 6), 'abcdef');
  assert.equal(cutToWidth('abcdefg', 6), 'abcde…');
});

test('columns are aligned, also with wide characters and nulls', () => {
  const text = tableOfRows(
    [{ title: 'name' }, { title: 'n', isRight: true }],
    [
      ['日本', '1'],
      ['x', '1000'],
      [null, ''],
    ],
    80,
  );
  assert.equal(text, 'name     n\n────  ────\n日本     1\nx     1000\n∅\n');
});

test('a table fits into the terminal, and says how many columns do not', () => {
  const columns = Array.from({ length: 50 }, (_, index) => ({ title: `column_${index}` }));
  const cell = (row: number, column: number) => `a long text in row ${row} and column ${column}`;
  const { text, hiddenColumns } = terminalTable({ columns, rowCount: 3, cell }, 40);
  for (const line of text.trimEnd().split('\n')) assert.ok(textWidth(line) <= 40, line);
  assert.ok(hiddenColumns > 40 && hiddenColumns < 50, `${hiddenColumns}`);
});

test('cells that are not shown are not asked for, and long ones are cut', () => {
  const columns = Array.from({ length: 10_000 }, (_, index) => ({ title: `c${index}` }));
  let asked = 0;
  const cell = () => {
    asked++;
    return 'x'.repeat(1_000_000);
  };
  const { text } = terminalTable({ columns, rowCount: 2, cell }, 80);
  assert.ok(asked < 100, `${asked}`);
  assert.ok(text.length < 1_000);
});

test('without a terminal nothing is left out', () => {
  const long = 'y'.repeat(500);
  assert.ok(tableOfRows([{ title: 'a' }], [[long]], Number.POSITIVE_INFINITY).includes(long));
});
