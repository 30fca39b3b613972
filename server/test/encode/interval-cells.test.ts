import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { jsonStyle } from '../../src/encode/cells/cell-style.ts';
import { arrayOf, fieldOf } from '../arrow/hand-made.ts';
import { cellTexts } from './cell-texts.ts';

/** pyarrow cannot build these two types, so their buffers are written by hand. */
describe('interval cells', () => {
  it('year-month: months, never carried into years', () => {
    const field = fieldOf({ kind: 'interval', unit: 'year-month' });
    const data = arrayOf(field, 5, [Int32Array.of(14, 0, -3, 2_147_483_647, -2_147_483_648)]);
    assert.deepEqual(cellTexts(data, 0, 5, jsonStyle('exec', false)), [
      '"P14M"',
      '"PT0S"',
      '"-P3M"',
      '"P2147483647M"',
      '"-P2147483648M"',
    ]);
  });

  it('day-time: days and milliseconds stay apart, each with its sign if they differ', () => {
    const field = fieldOf({ kind: 'interval', unit: 'day-time' });
    const data = arrayOf(field, 5, [Int32Array.of(3, 250, 0, 86_400_001, -1, -1, 1, -1, 0, 0)]);
    assert.deepEqual(cellTexts(data, 0, 5, jsonStyle('exec', false)), [
      '"P3DT0.25S"',
      '"PT86400.001S"',
      '"-P1DT0.001S"',
      '"P1DT-0.001S"',
      '"PT0S"',
    ]);
  });

  it('a range begins at its first row', () => {
    const field = fieldOf({ kind: 'interval', unit: 'day-time' });
    const data = arrayOf(field, 3, [Int32Array.of(1, 0, 2, 0, 3, 0)]);
    assert.deepEqual(cellTexts(data, 1, 3, jsonStyle('exec', false)), ['"P2D"', '"P3D"']);
  });
});
