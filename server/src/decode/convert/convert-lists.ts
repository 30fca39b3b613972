import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import { offsets, positions } from '../../arrow/arrays/elements.ts';
import { isValid } from '../../arrow/arrays/layout.ts';
import { joinRanges, type Range } from '../../arrow/arrays/ranges.ts';
import { runAt } from '../../arrow/arrays/run-ends.ts';
import type { Field } from '../../arrow/field.ts';
import type { ConvertChild } from './convert-structs.ts';
import { DoesNotFit, TooMuchAtOnce, within } from './does-not-fit.ts';
import { canBeNull, nullArray } from './null-array.ts';

/** Of one piece: rows of a list-view may all have the same items. One list alone may be as long as it is. */
const itemsMax = 8 * 1024 * 1024;

/** Lists of any layout, and maps, as lists of another. */
export function convertLists(array: ArrayData, target: Field, convert: ConvertChild): ArrayData {
  const { type } = target;
  const childField = target.children[0] as Field;
  const size = type.kind === 'fixed-list' ? type.size : null;
  const { ranges, ends } = itemsOf(array, size);
  const items = joinRanges((array.children[0] as ArrayData).field, ranges);
  const converted = within(
    () => convert(items, childField, ranges.length > 1),
    (item) => runAt(ends, item),
    type.kind === 'map' ? null : childField.name,
  );
  const { length, nullCount, validity } = array;
  const rest = { field: target, length, nullCount, validity, children: [converted], dictionary: null };
  if (size !== null) return { ...rest, buffers: [] };
  const large = 'large' in type && type.large;
  if (type.kind !== 'list-view')
    return { ...rest, buffers: [integers(length + 1, large, (row) => startOf(ends, row))] };
  const starts = integers(length, large, (row) => startOf(ends, row));
  const sizes = integers(length, large, (row) => (ends[row] as number) - startOf(ends, row));
  return { ...rest, buffers: [starts, sizes] };
}

interface Items {
  /** One behind another, without those that no row has. */
  readonly ranges: readonly Range[];
  /** Where each row's end. */
  readonly ends: Float64Array;
}

/** With a size, every row has as many, and nulls have some too. */
function itemsOf(array: ArrayData, size: number | null): Items {
  const child = array.children[0] as ArrayData;
  const spanOf = spans(array);
  const ends = new Float64Array(array.length);
  const ranges = new RangeList(child);
  let filler: ArrayData | null = null;
  for (let row = 0; row < array.length; row++) {
    if (isValid(array.validity, row)) {
      const [start, count] = spanOf(row);
      if (size !== null && count !== size)
        throw new DoesNotFit(row, `a list of ${count}`, `does not fit lists of ${size}`);
      ranges.add(start, count);
    } else if (size !== null) {
      if (!canBeNull(child.field)) throw new DoesNotFit(row, 'null', 'does not fit lists of a fixed size');
      filler ??= likeDictionaries(nullArray(child.field, size), child);
      ranges.addOther(filler);
    }
    ends[row] = ranges.count;
    if (ranges.count > itemsMax && array.length > 1) throw new TooMuchAtOnce();
  }
  return { ranges: ranges.end(), ends };
}

/** Ranges of one array that follow each other become one. */
class RangeList {
  readonly #array: ArrayData;
  readonly #ranges: Range[] = [];
  #start = 0;
  #end = 0;
  count = 0;

  constructor(array: ArrayData) {
    this.#array = array;
  }

  add(start: number, length: number): void {
    if (length === 0) return;
    if (start !== this.#end) {
      this.#close();
      this.#start = start;
    }
    this.#end = start + length;
    this.count += length;
  }

  addOther(array: ArrayData): void {
    this.#close();
    this.#ranges.push({ array, start: 0, length: array.length });
    this.count += array.length;
  }

  end(): readonly Range[] {
    this.#close();
    return this.#ranges;
  }

  #close(): void {
    const length = this.#end - this.#start;
    if (length > 0) this.#ranges.push({ array: this.#array, start: this.#start, length });
    this.#start = this.#end;
  }
}

function spans(array: ArrayData): (row: number) => readonly [start: number, size: number] {
  const { type } = array.field;
  const bytes = array.buffers[0] as Uint8Array;
  if (type.kind === 'fixed-list') return (row) => [row * type.size, type.size];
  if (type.kind === 'list-view') {
    const starts = positions(bytes, type.large, 0, array.length);
    const sizes = positions(array.buffers[1] as Uint8Array, type.large, 0, array.length);
    return (row) => [starts[row] as number, sizes[row] as number];
  }
  const starts = offsets(bytes, type.kind === 'list' && type.large, 0, array.length);
  return (row) => [starts[row] as number, (starts[row + 1] as number) - (starts[row] as number)];
}

/** Joined arrays have one dictionary. */
function likeDictionaries(array: ArrayData, other: ArrayData): ArrayData {
  const children = array.children.map((child, index) =>
    likeDictionaries(child, other.children[index] as ArrayData),
  );
  return { ...array, children, dictionary: other.dictionary };
}

function startOf(ends: Float64Array, row: number): number {
  return row === 0 ? 0 : (ends[row - 1] as number);
}

function integers(count: number, large: boolean, value: (row: number) => number): Uint8Array {
  const values = large ? new BigInt64Array(count) : new Int32Array(count);
  for (let row = 0; row < count; row++) {
    if (values instanceof Int32Array) values[row] = value(row);
    else values[row] = BigInt(value(row));
  }
  return new Uint8Array(values.buffer);
}
