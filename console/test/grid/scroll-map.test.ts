import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ScrollMap } from '../../src/grid/scroll-map.ts';

const rowPx = 26;

test('up to the limit of browsers, the scroll bar is the place in the rows', () => {
  const map = new ScrollMap(10_000 * rowPx, 600);
  assert.equal(map.isCompressed, false);
  assert.equal(map.spacerPx, 260_000);
  assert.equal(map.topAt(1234), 1234);
  assert.equal(map.scrollTopOf(1234), 1234);
  assert.equal(map.topAfter(100, 100, 700), 700);
});

test('every row of a hundred million can be scrolled to, and the bar is where the row is', () => {
  const rows = 100_000_000;
  const map = new ScrollMap(rows * rowPx, 600);
  assert.ok(map.spacerPx < 17_000_000, 'Firefox cuts higher elements');
  fc.assert(
    fc.property(fc.integer({ min: 0, max: rows - 30 }), (row) => {
      const top = row * rowPx;
      assert.ok(Math.abs(map.topAt(map.scrollTopOf(top)) - top) < 0.01);
    }),
  );
  assert.equal(map.topAt(0), 0);
  assert.equal(map.topAt(map.spacerPx - 600), rows * rowPx - 600);
});

test('small movements of a compressed bar are pixels of rows; large ones jump', () => {
  const map = new ScrollMap(100_000_000 * rowPx, 600);
  const top = 50_000_000 * rowPx;
  const at = map.scrollTopOf(top);
  assert.equal(map.topAfter(top, at, at + 40), top + 40);
  assert.equal(map.topAfter(top, at, at - 599), top - 599);
  assert.ok(map.topAfter(top, at, at + 10_000) > top + 1_000_000);
  assert.equal(map.topAfter(top, at, 0), 0, 'the end of the bar is the end of the rows');
  assert.equal(map.topAfter(top, at, map.spacerPx - 600), map.topMax);
});

test('few rows leave nothing to scroll', () => {
  const map = new ScrollMap(5 * rowPx, 600);
  assert.equal(map.topMax, 0);
  assert.equal(map.topAt(50), 0);
  assert.equal(map.scrollTopOf(50), 0);
});
