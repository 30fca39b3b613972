import type { Field } from '../field.ts';
import { MalformedArrow } from '../malformed-arrow.ts';
import type { ArrayData } from './array-data.ts';
import { int16s, int32s, positions } from './elements.ts';
import { joinRanges, type Range } from './ranges.ts';

/** The row after the last one of each run of a run-end encoded array. */
export function runEndsOf(array: ArrayData): Int16Array | Int32Array | Float64Array {
  const runs = array.children[0] as ArrayData;
  const bytes = runs.buffers[0] as Uint8Array;
  const bits = runs.field.type.kind === 'int' ? runs.field.type.bits : 32;
  if (bits === 16) return int16s(bytes, 0, runs.length);
  return bits === 32 ? int32s(bytes, 0, runs.length) : positions(bytes, true, 0, runs.length);
}

/** Run ends and values of the joined rows: ends count from the beginning of the new array. */
export function joinRuns(field: Field, ranges: readonly Range[]): ArrayData[] {
  const [runsField, valuesField] = field.children as readonly [Field, Field];
  const ends: number[] = [];
  const values: Range[] = [];
  let base = 0;
  for (const { array, start, length } of ranges) {
    if (length === 0) continue;
    const before = runEndsOf(array);
    const first = runAt(before, start);
    let run = first;
    for (let row = start; row < start + length; run++) {
      row = Math.min(before[run] as number, start + length);
      ends.push(base + row - start);
    }
    values.push({ array: array.children[1] as ArrayData, start: first, length: run - first });
    base += length;
  }
  const buffers = [endBytes(runsField, ends)];
  const runs = { field: runsField, length: ends.length, nullCount: 0, validity: null, buffers, children: [] };
  return [{ ...runs, dictionary: null }, joinRanges(valuesField, values)];
}

/** Which run holds a row, given the row after the last one of each run. */
export function runAt(ends: ArrayLike<number>, row: number): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ends[middle] as number) > row) high = middle;
    else low = middle + 1;
  }
  return low;
}

function endBytes(field: Field, ends: readonly number[]): Uint8Array {
  const bits = field.type.kind === 'int' ? field.type.bits : 32;
  const last = ends.at(-1) ?? 0;
  if (last >= 2 ** (bits - 1)) throw new MalformedArrow(`${last} rows do not fit run ends of ${bits} bits`);
  const array =
    bits === 64
      ? BigInt64Array.from(ends, BigInt)
      : bits === 32
        ? Int32Array.from(ends)
        : Int16Array.from(ends);
  return new Uint8Array(array.buffer);
}
