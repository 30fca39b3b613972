import assert from 'node:assert/strict';
import test from 'node:test';
import type { ChartChoice } from '../src/chart/chart-choice.ts';
import { numberOf, secondsOf } from '../src/chart/chart-points.ts';
import { niceTimeWidth, niceWidth, timeWidthText } from '../src/chart/nice-steps.ts';
import { pointsOfRows, type TextRows } from '../src/chart/points-of-rows.ts';
import { darkColors, lightColors } from '../src/chart/series-colors.ts';

function rowsOf(
  columns: readonly [string, string][],
  rows: readonly (readonly (string | null)[])[],
): TextRows {
  return {
    columns: columns.map(([name, type]) => ({ name, type })),
    rowCount: rows.length,
    text: (row, column) => rows[row]?.[column] ?? null,
  };
}

const choice: ChartChoice = { kind: 'line', x: 'x', y: ['y'], by: null, aggregate: 'sum' };

test('texts of times and numbers become places', () => {
  assert.equal(secondsOf('1970-01-01T00:00:01.500000'), 1.5);
  assert.equal(secondsOf('1970-01-01T00:00:01.000000001Z'), 1.000000001);
  assert.equal(secondsOf('2024-02-29'), Date.UTC(2024, 1, 29) / 1000);
  assert.equal(secondsOf('+010000-01-01T00:00:00.000000Z'), Date.UTC(10000, 0, 1) / 1000);
  assert.equal(secondsOf('no time'), null);
  assert.equal(numberOf('NaN'), null);
  assert.equal(numberOf('-Infinity'), null);
  assert.equal(numberOf('-0.0'), -0);
});

test('rows are drawn in the order of x, and say their exact values', () => {
  const rows = rowsOf(
    [
      ['x', 'LONG'],
      ['y', 'LONG'],
    ],
    [
      ['3', '9007199254740993'],
      ['1', null],
      ['NaN', '5'],
      ['2', '7'],
    ],
  );
  const points = pointsOfRows(rows, choice);
  assert.deepEqual(points.x, [1, 2, 3]);
  assert.deepEqual(points.series[0]?.values, [null, 7, 9007199254740992]);
  assert.deepEqual(points.series[0]?.texts, [null, '7', '9007199254740993']);
  assert.deepEqual(points.notes, ['1 rows without a place on the axis are left out']);
});

test('rows of the same category are put together; a single one keeps its text', () => {
  const rows = rowsOf(
    [
      ['x', 'STRING'],
      ['y', 'LONG'],
    ],
    [
      ['a', '1'],
      ['b', '9007199254740993'],
      ['a', '2'],
      [null, '4'],
      ['', '5'],
    ],
  );
  const points = pointsOfRows(rows, { ...choice, kind: 'bar' });
  assert.deepEqual(points.xTexts, ['a', 'b', 'null', '']);
  assert.deepEqual(points.series[0]?.texts, ['3', '9007199254740993', '4', '5']);
  const averages = pointsOfRows(rows, { ...choice, kind: 'bar', aggregate: 'avg' });
  assert.deepEqual(averages.series[0]?.values.slice(0, 1), [1.5]);
});

test('a column splits the rows into series', () => {
  const rows = rowsOf(
    [
      ['x', 'TIMESTAMP'],
      ['y', 'DOUBLE'],
      ['s', 'SYMBOL'],
    ],
    [
      ['1970-01-01T00:00:02', '1', 'b'],
      ['1970-01-01T00:00:01', '2', 'a'],
      ['1970-01-01T00:00:01', '3', 'b'],
    ],
  );
  const points = pointsOfRows(rows, { ...choice, by: 's' });
  assert.deepEqual(points.x, [1, 2]);
  assert.deepEqual(
    points.series.map(({ name, values }) => [name, ...values]),
    [
      ['a', 2, null],
      ['b', 3, 1],
    ],
  );
});

test('a histogram has every row in one bin', () => {
  const rows = rowsOf(
    [['x', 'DOUBLE']],
    Array.from({ length: 1000 }, (_, index) => [`${(index * 37) % 101}`]),
  );
  const points = pointsOfRows(rows, { ...choice, kind: 'histogram', y: [] });
  assert.equal(
    points.series[0]?.values.reduce<number>((sum, value) => sum + (value ?? 0), 0),
    1000,
  );
  assert.ok(points.x.length <= 61);
});

test('widths of bins are round, and wide enough', () => {
  for (const [span, bins, expected] of [
    [100, 10, 10],
    [101, 10, 20],
    [0.9, 10, 0.1],
    [7e6, 1000, 10_000],
  ] as const)
    assert.ok(Math.abs(niceWidth(span, bins) - expected) < expected / 1e9, `${span} in ${bins}`);
  assert.equal(niceWidth(0, 10), 1);
  const day = 86_400_000_000_000n;
  for (const [span, expected] of [
    [0n, 'nanosecond'],
    [1_500n, '2 nanoseconds'],
    [3_600_000_000_000n, '5 seconds'],
    [day, '2 minutes'],
    [365n * day, '12 hours'],
    [36_500n * day, '13 weeks'],
  ] as const)
    assert.equal(timeWidthText(niceTimeWidth(span, 1000)), expected, `${span}`);
  for (let span = 1n; span < 10n ** 20n; span *= 3n) {
    const width = niceTimeWidth(span, 1000);
    assert.ok(span / width <= 1000n, `${span}`);
  }
});

test('colours of series stand out from their background', () => {
  const brightness = (color: string) => {
    const parts = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255);
    const [red, green, blue] = parts.map((part) =>
      part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
  };
  const contrast = (one: string, other: string) => {
    const [low = 0, high = 0] = [brightness(one), brightness(other)].toSorted((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  for (const color of lightColors) assert.ok(contrast(color, '#ffffff') >= 4.5, color);
  for (const color of darkColors) assert.ok(contrast(color, '#151c1b') >= 4.5, color);
});
