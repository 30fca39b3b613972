import { isText } from '../../model/types/type-table.ts';
import type { ArrayData } from '../arrays/array-data.ts';
import { indicesOf } from '../arrays/dictionary-indices.ts';
import { int32s } from '../arrays/elements.ts';
import { isValid, layoutOf, offsetValues } from '../arrays/layout.ts';
import { runEndsOf } from '../arrays/run-ends.ts';
import { placeOf } from '../batches/batch.ts';
import { at, MalformedArrow } from '../malformed-arrow.ts';
import { checkOffsets } from './offset-check.ts';
import { checkTexts } from './text-check.ts';
import { checkViews } from './view-check.ts';

/** Checks what the values of an array (as `readBatch` gives it) say about other values: offsets, indices, type ids, run ends, views and UTF-8. */
export function checkArray(array: ArrayData): void {
  try {
    checkOwn(array);
  } catch (thrown) {
    throw at(placeOf(array.field), thrown);
  }
}

function checkOwn(array: ArrayData): void {
  if (array.field.dictionary !== null) {
    checkIndices(array);
    return;
  }
  const { type } = array.field;
  const layout = layoutOf(array.field);
  switch (layout.kind) {
    case 'bytes':
      checkTexts(array, layout.large, isText(type));
      break;
    case 'views':
      checkViews(array, isText(type));
      break;
    case 'list':
      checkListOffsets(array, layout.large);
      if (type.kind === 'map') checkMapEntries(array);
      break;
    case 'list-view':
      checkListViews(array, layout.large);
      break;
    case 'union':
      checkUnion(array, layout.mode, layout.typeIds);
      break;
    case 'run-end':
      checkRunEnds(array);
      break;
  }
  for (const child of array.children) checkArray(child);
}

function checkListOffsets(array: ArrayData, large: boolean): void {
  const offsets = offsetValues(array.buffers[0] as Uint8Array, array.length + 1, large);
  checkOffsets(offsets, (array.children[0] as ArrayData).length, 'values');
}

function checkMapEntries(array: ArrayData): void {
  const entries = array.children[0] as ArrayData;
  const keys = entries.children[0] as ArrayData;
  if (entries.nullCount !== 0) throw new MalformedArrow('entries of a map are null');
  if (keys.nullCount !== 0) throw new MalformedArrow('keys of a map are null');
}

function checkListViews(array: ArrayData, large: boolean): void {
  const offsets = offsetValues(array.buffers[0] as Uint8Array, array.length, large);
  const sizes = offsetValues(array.buffers[1] as Uint8Array, array.length, large);
  const limit = (array.children[0] as ArrayData).length;
  for (let row = 0; row < array.length; row++) {
    const offset = offsets[row] as number;
    const size = sizes[row] as number;
    if (offset < 0 || size < 0 || offset + size > limit)
      throw new MalformedArrow(
        `row ${row}: offset ${offset} and size ${size} are outside the ${limit} values`,
      );
  }
}

function checkIndices(array: ArrayData): void {
  const { field, length, validity } = array;
  const limit = (array.dictionary as ArrayData).length;
  const indices = indicesOf(array);
  let largest = -1;
  let smallest = 0;
  for (let row = 0; row < length; row++) {
    const index = indices[row] as number;
    if (index > largest) largest = index;
    if (index < smallest) smallest = index;
  }
  if (smallest >= 0 && largest < limit) return;
  // Under a null an index may be anything, so only now is each row looked at.
  for (let row = 0; row < length; row++) {
    const index = indices[row] as number;
    if ((index < 0 || index >= limit) && isValid(validity, row))
      throw new MalformedArrow(
        `row ${row}: index ${index} is outside dictionary ${field.dictionary?.id} of ${limit} values`,
      );
  }
}

function checkUnion(array: ArrayData, mode: 'sparse' | 'dense', typeIds: readonly number[]): void {
  const ids = array.buffers[0] as Uint8Array;
  const children = new Int16Array(256).fill(-1);
  for (const [position, id] of typeIds.entries()) children[id] = position;
  for (let row = 0; row < array.length; row++)
    if ((children[ids[row] as number] as number) < 0)
      throw new MalformedArrow(`row ${row}: ${ids[row]} is not a type id of the union`);
  if (mode === 'sparse') return;
  const offsets = int32s(array.buffers[1] as Uint8Array, 0, array.length);
  const lasts = new Int32Array(array.children.length);
  for (let row = 0; row < array.length; row++) {
    const child = children[ids[row] as number] as number;
    const offset = offsets[row] as number;
    if (offset < (lasts[child] as number) || offset >= (array.children[child] as ArrayData).length)
      throw new MalformedArrow(`row ${row}: offset ${offset} runs backwards or is outside its values`);
    lasts[child] = offset;
  }
}

function checkRunEnds(array: ArrayData): void {
  const [runs, values] = array.children as readonly [ArrayData, ArrayData];
  if (runs.nullCount !== 0) throw new MalformedArrow('run ends are null');
  if (values.length < runs.length)
    throw new MalformedArrow(`${runs.length} runs have only ${values.length} values`);
  const ends = runEndsOf(array);
  let before = 0;
  for (let run = 0; run < ends.length; run++) {
    const end = ends[run] as number;
    if (end <= before) throw new MalformedArrow(`run ${run} does not end after the one before`);
    before = end;
  }
  if (before < array.length) throw new MalformedArrow(`the runs cover ${before} of ${array.length} rows`);
}
