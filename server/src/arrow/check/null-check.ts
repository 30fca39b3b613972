import type { ArrayData } from '../arrays/array-data.ts';
import { setBit } from '../arrays/bitmap.ts';
import { indicesOf } from '../arrays/dictionary-indices.ts';
import { int32s } from '../arrays/elements.ts';
import { bitmapBytes, isValid, layoutOf, offsetValues } from '../arrays/layout.ts';
import { runEndsOf } from '../arrays/run-ends.ts';
import { placeOf } from '../batches/batch.ts';
import type { Field } from '../field.ts';
import { at, MalformedArrow } from '../malformed-arrow.ts';

/** Rows that are part of a value, as bits; null: all. What lies under a null, or between lists, may be anything. */
type Reached = Uint8Array | null;

/** Refuses a null in a field that is declared to have none: readers that believe the schema would take it for a value. */
export function checkNulls(array: ArrayData, reached: Reached = null): void {
  if (!hasRequired(array.field)) return;
  try {
    if (!array.field.nullable) {
      const row = firstNull(array, reached);
      if (row !== -1)
        throw new MalformedArrow(`row ${row} is null, and the schema says that it has no nulls`);
    }
    // The values of a dictionary were checked when they came.
    if (array.field.dictionary !== null) return;
    for (const [index, child] of array.children.entries())
      if (hasRequired(child.field) && hasNulls(child)) checkNulls(child, reachedIn(array, index, reached));
  } catch (thrown) {
    throw at(placeOf(array.field), thrown);
  }
}

function hasRequired({ nullable, dictionary, children }: Field): boolean {
  return !nullable || (dictionary === null && children.some(hasRequired));
}

function hasNulls(array: ArrayData): boolean {
  return (
    array.nullCount > 0 ||
    array.field.type.kind === 'null' ||
    (array.dictionary?.nullCount ?? 0) > 0 ||
    array.children.some(hasNulls)
  );
}

/** -1 if there is none. */
function firstNull(array: ArrayData, reached: Reached): number {
  if (!hasNulls(array)) return -1;
  const isNull = nullTest(array);
  if (isNull === null) return -1;
  for (let row = 0; row < array.length; row++) if (isValid(reached, row) && isNull(row)) return row;
  return -1;
}

function nullTest(array: ArrayData): ((row: number) => boolean) | null {
  const { field, validity, dictionary } = array;
  if (field.dictionary !== null) {
    const indices = indicesOf(array);
    const values = dictionary?.validity ?? null;
    return (row) => !isValid(validity, row) || !isValid(values, indices[row] as number);
  }
  switch (field.type.kind) {
    case 'null':
      return () => true;
    case 'run-end':
      return runTest(array);
    case 'union':
      // It has no nulls of its own, and which child a row has is the child's affair.
      return null;
    default:
      return validity === null ? null : (row) => !isValid(validity, row);
  }
}

/** For rows in their order. */
function runTest(array: ArrayData): ((row: number) => boolean) | null {
  const values = array.children[1] as ArrayData;
  const isNull = hasNulls(values) ? nullTest(values) : null;
  if (isNull === null) return null;
  const ends = runEndsOf(array);
  let run = 0;
  return (row) => {
    while ((ends[run] as number) <= row) run++;
    return isNull(run);
  };
}

/** Which rows of a child are part of a value. */
function reachedIn(array: ArrayData, index: number, reached: Reached): Reached {
  const { field, length, validity, buffers } = array;
  const child = array.children[index] as ArrayData;
  const bits = new Uint8Array(bitmapBytes(child.length));
  const isReached = (row: number) => isValid(reached, row) && isValid(validity, row);
  const each = (range: (row: number) => readonly [from: number, to: number]) => {
    for (let row = 0; row < length; row++) {
      if (!isReached(row)) continue;
      const [from, to] = range(row);
      for (let at = from; at < to; at++) setBit(bits, at);
    }
    return bits;
  };
  const layout = layoutOf(field);
  switch (layout.kind) {
    case 'struct':
      return each((row) => [row, row + 1]);
    case 'fixed-list':
      return each((row) => [row * layout.size, (row + 1) * layout.size]);
    case 'list': {
      const offsets = offsetValues(buffers[0] as Uint8Array, length + 1, layout.large);
      return each((row) => [offsets[row] as number, offsets[row + 1] as number]);
    }
    case 'list-view': {
      const offsets = offsetValues(buffers[0] as Uint8Array, length, layout.large);
      const sizes = offsetValues(buffers[1] as Uint8Array, length, layout.large);
      // They may overlap: looking at each would not be linear.
      const changes = new Int32Array(child.length + 1);
      for (let row = 0; row < length; row++) {
        if (!isReached(row)) continue;
        const from = offsets[row] as number;
        changes[from] = (changes[from] as number) + 1;
        const to = from + (sizes[row] as number);
        changes[to] = (changes[to] as number) - 1;
      }
      for (let at = 0, open = 0; at < child.length; at++) {
        open += changes[at] as number;
        if (open > 0) setBit(bits, at);
      }
      return bits;
    }
    case 'union': {
      const ids = buffers[0] as Uint8Array;
      const offsets = layout.mode === 'dense' ? int32s(buffers[1] as Uint8Array, 0, length) : null;
      return each((row) => {
        const place = offsets === null ? row : (offsets[row] as number);
        return ids[row] === layout.typeIds[index] ? [place, place + 1] : [0, 0];
      });
    }
    case 'run-end': {
      // Values behind the last run that has a row are not part of one.
      const used = runEndsOf(array).findIndex((end) => end >= length) + 1;
      for (let run = 0; run < used; run++) setBit(bits, run);
      return bits;
    }
    default:
      return null;
  }
}
