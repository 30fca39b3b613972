import type { Field } from '../field.ts';
import { MalformedArrow } from '../malformed-arrow.ts';
import type { ArrayData } from './array-data.ts';
import { copyBits } from './bitmap.ts';
import { int32s } from './elements.ts';
import { emptyArray } from './empty-array.ts';
import { bitmapBytes, isValid, layoutOf, offsetValues } from './layout.ts';
import { runAt, runEndsOf } from './run-ends.ts';

/** Rows `start` to `start + length` of an array. */
export interface Range {
  readonly array: ArrayData;
  readonly start: number;
  readonly length: number;
}

const offsetMax = 2 ** 31 - 1;

/**
 * One new array out of rows of others of the same field. Nothing of the sources is shared, except the dictionary: all ranges
 * must have the same one (the last range's is taken).
 */
export function joinRanges(field: Field, ranges: readonly Range[]): ArrayData {
  if (ranges.length === 0) return emptyArray(field);
  const length = ranges.reduce((sum, range) => sum + range.length, 0);
  if (length > offsetMax) throw new MalformedArrow(`an array of ${length} values is too long`);
  const { validity, nullCount } = joinValidity(field, ranges, length);
  const dictionary = ranges.at(-1)?.array.dictionary ?? null;
  const [buffers, children] = joinLayout(field, ranges, length);
  return { field, length, nullCount, validity, buffers, children, dictionary };
}

/** Rows of one array, copied. */
export function sliceArray(array: ArrayData, start: number, length: number): ArrayData {
  return joinRanges(array.field, [{ array, start, length }]);
}

/** The whole of several arrays, one after another. */
export function joinArrays(field: Field, arrays: readonly ArrayData[]): ArrayData {
  return joinRanges(field, arrays.map(wholeOf));
}

function wholeOf(array: ArrayData): Range {
  return { array, start: 0, length: array.length };
}

function joinValidity(
  field: Field,
  ranges: readonly Range[],
  length: number,
): { validity: Uint8Array | null; nullCount: number } {
  if (field.dictionary === null && field.type.kind === 'null') return { validity: null, nullCount: length };
  if (ranges.every((range) => range.array.validity === null)) return { validity: null, nullCount: 0 };
  const validity = new Uint8Array(bitmapBytes(length));
  let nullCount = 0;
  let to = 0;
  for (const { array, start, length: count } of ranges) {
    copyBits(validity, to, array.validity, start, count);
    for (let row = start; row < start + count; row++) if (!isValid(array.validity, row)) nullCount++;
    to += count;
  }
  return nullCount === 0 ? { validity: null, nullCount } : { validity, nullCount };
}

function joinLayout(field: Field, ranges: readonly Range[], length: number): [Uint8Array[], ArrayData[]] {
  const layout = layoutOf(field);
  switch (layout.kind) {
    case 'none':
      return [[], []];
    case 'fixed':
      return [[joinValues(ranges, length, layout.bytes)], []];
    case 'bits':
      return [[joinBits(ranges, length)], []];
    case 'bytes':
      return [joinTexts(ranges, length, layout.large), []];
    case 'views':
      return [joinViews(ranges, length), []];
    case 'list':
      return joinLists(field, ranges, length, layout.large);
    case 'list-view':
      return joinListViews(field, ranges, length, layout.large);
    case 'fixed-list':
      return [[], childrenOf(field, ranges, layout.size)];
    case 'struct':
      return [[], childrenOf(field, ranges, 1)];
    case 'union':
      if (layout.mode === 'dense') return joinDenseUnions(field, ranges, length, layout.typeIds);
      return [[joinValues(ranges, length, 1)], childrenOf(field, ranges, 1)];
    case 'run-end':
      return [[], joinRuns(field, ranges)];
  }
}

function joinValues(ranges: readonly Range[], length: number, width: number): Uint8Array {
  const target = new Uint8Array(length * width);
  let to = 0;
  for (const { array, start, length: count } of ranges) {
    target.set(bufferOf(array, 0).subarray(start * width, (start + count) * width), to);
    to += count * width;
  }
  return target;
}

function joinBits(ranges: readonly Range[], length: number): Uint8Array {
  const target = new Uint8Array(bitmapBytes(length));
  let to = 0;
  for (const { array, start, length: count } of ranges) {
    copyBits(target, to, bufferOf(array, 0), start, count);
    to += count;
  }
  return target;
}

function joinTexts(ranges: readonly Range[], length: number, large: boolean): Uint8Array[] {
  const { offsets, spans } = joinOffsets(ranges, length, large);
  const data = new Uint8Array(spans.reduce((sum, span) => sum + span.end - span.start, 0));
  let to = 0;
  for (const [index, { start, end }] of spans.entries()) {
    data.set(bufferOf((ranges[index] as Range).array, 1).subarray(start, end), to);
    to += end - start;
  }
  return [offsets, data];
}

function joinLists(
  field: Field,
  ranges: readonly Range[],
  length: number,
  large: boolean,
): [Uint8Array[], ArrayData[]] {
  const { offsets, spans } = joinOffsets(ranges, length, large);
  const children = field.children.map((child, position) =>
    joinRanges(
      child,
      spans.map(({ start, end }, index) => ({
        array: childOf((ranges[index] as Range).array, position),
        start,
        length: end - start,
      })),
    ),
  );
  return [[offsets], children];
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Offsets rebased to begin at 0, and which part of its data each range covers. */
function joinOffsets(
  ranges: readonly Range[],
  length: number,
  large: boolean,
): { offsets: Uint8Array; spans: Span[] } {
  const writer = new OffsetWriter(length + 1, large);
  const spans: Span[] = [];
  // Many ranges may be of one array, whose offsets are read once.
  const known = new Map<ArrayData, Int32Array | Float64Array>();
  let base = 0;
  for (const { array, start, length: count } of ranges) {
    const offsets = known.get(array) ?? offsetValues(bufferOf(array, 0), array.length + 1, large);
    known.set(array, offsets);
    const first = offsets[start] as number;
    for (let row = start; row < start + count; row++) writer.push(base + (offsets[row] as number) - first);
    const last = offsets[start + count] as number;
    spans.push({ start: first, end: last });
    base += last - first;
  }
  writer.push(base);
  return { offsets: writer.bytes, spans };
}

/** Views keep pointing where they point: each range brings all its data buffers, numbered behind those before. */
function joinViews(ranges: readonly Range[], length: number): Uint8Array[] {
  const views = joinValues(ranges, length, 16);
  const numbers = int32s(views, 0, length * 4);
  const data: Uint8Array[] = [];
  let row = 0;
  for (const { array, length: count } of ranges) {
    for (const end = row + count; row < end; row++)
      if ((numbers[row * 4] as number) > 12)
        numbers[row * 4 + 2] = (numbers[row * 4 + 2] as number) + data.length;
    for (let index = 1; index < array.buffers.length; index++) data.push(bufferOf(array, index));
  }
  return [views, ...data];
}

function joinListViews(
  field: Field,
  ranges: readonly Range[],
  length: number,
  large: boolean,
): [Uint8Array[], ArrayData[]] {
  const offsets = new OffsetWriter(length, large);
  const sizes = new OffsetWriter(length, large);
  let base = 0;
  for (const { array, start, length: count } of ranges) {
    const from = offsetValues(bufferOf(array, 0), array.length, large);
    const size = offsetValues(bufferOf(array, 1), array.length, large);
    for (let row = start; row < start + count; row++) {
      offsets.push(base + (from[row] as number));
      sizes.push(size[row] as number);
    }
    base += childOf(array, 0).length;
  }
  return [[offsets.bytes, sizes.bytes], wholeChildrenOf(field, ranges)];
}

function joinDenseUnions(
  field: Field,
  ranges: readonly Range[],
  length: number,
  typeIds: readonly number[],
): [Uint8Array[], ArrayData[]] {
  const ids = joinValues(ranges, length, 1);
  const offsets = new OffsetWriter(length, false);
  const bases = new Float64Array(128);
  let row = 0;
  for (const { array, start, length: count } of ranges) {
    const from = int32s(bufferOf(array, 1), 0, array.length);
    for (let index = start; index < start + count; index++, row++)
      offsets.push((from[index] as number) + (bases[ids[row] as number] as number));
    for (const [position, id] of typeIds.entries())
      bases[id] = (bases[id] as number) + childOf(array, position).length;
  }
  return [[ids, offsets.bytes], wholeChildrenOf(field, ranges)];
}

function childrenOf(field: Field, ranges: readonly Range[], perRow: number): ArrayData[] {
  return field.children.map((child, position) =>
    joinRanges(
      child,
      ranges.map(({ array, start, length }) => ({
        array: childOf(array, position),
        start: start * perRow,
        length: length * perRow,
      })),
    ),
  );
}

function wholeChildrenOf(field: Field, ranges: readonly Range[]): ArrayData[] {
  return field.children.map((child, position) =>
    joinArrays(
      child,
      ranges.map(({ array }) => childOf(array, position)),
    ),
  );
}

function bufferOf(array: ArrayData, index: number): Uint8Array {
  return array.buffers[index] as Uint8Array;
}

function childOf(array: ArrayData, index: number): ArrayData {
  return array.children[index] as ArrayData;
}

class OffsetWriter {
  readonly bytes: Uint8Array;
  readonly #small: Int32Array | null;
  readonly #large: BigInt64Array | null;
  #next = 0;

  constructor(count: number, large: boolean) {
    this.bytes = new Uint8Array(count * (large ? 8 : 4));
    this.#small = large ? null : new Int32Array(this.bytes.buffer);
    this.#large = large ? new BigInt64Array(this.bytes.buffer) : null;
  }

  push(value: number): void {
    if (this.#large !== null) this.#large[this.#next++] = BigInt(value);
    else if (this.#small !== null) {
      if (value > offsetMax) throw new MalformedArrow('the joined values do not fit 32-bit offsets');
      this.#small[this.#next++] = value;
    }
  }
}

/** Run ends and values of the joined rows: ends count from the beginning of the new array. */
function joinRuns(field: Field, ranges: readonly Range[]): ArrayData[] {
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
