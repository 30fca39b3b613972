import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import { indicesOf } from '../../arrow/arrays/dictionary-indices.ts';
import { int32s, offsets, positions } from '../../arrow/arrays/elements.ts';
import { isValid } from '../../arrow/arrays/layout.ts';
import { runAt, runEndsOf } from '../../arrow/arrays/run-ends.ts';
import type { ArrowType } from '../../arrow/field.ts';
import { isView } from '../../model/types/type-table.ts';

/**
 * About how many bytes rows [from, to) have as text. Views, dictionaries, runs and shared lists let a small file expand to endless text, so this
 * is asked before anything is written; it stops counting at `enough` and so never takes longer than that much text would.
 */
export function weigh(data: ArrayData, from: number, to: number, enough: number): number {
  const rows = to - from;
  if (rows <= 0) return 0;
  const { type, dictionary } = data.field;
  if (dictionary !== null) {
    const values = data.dictionary as ArrayData;
    const each = fixedWeight(values.field.type) ?? smallWeight(values);
    if (each !== null) return rows * each;
    const codes = indicesOf(data, from, to);
    return sum(rows, enough, (row, rest) => {
      if (!isValid(data.validity, from + row)) return 4;
      const code = codes[row] as number;
      return weigh(values, code, code + 1, rest);
    });
  }
  const fixed = fixedWeight(type);
  if (fixed !== null) return rows * fixed;
  switch (type.kind) {
    case 'utf8':
      return rows * 3 + span(data, type.large, from, to);
    case 'binary':
      return rows * 3 + span(data, type.large, from, to) * 1.4;
    case 'list':
    case 'map': {
      const large = type.kind === 'list' && type.large;
      const ends = offsets(data.buffers[0] as Uint8Array, large, from, to);
      return rows * 3 + weigh(data.children[0] as ArrayData, ends[0] as number, ends[rows] as number, enough);
    }
    case 'fixed-list':
      return rows * 3 + weigh(data.children[0] as ArrayData, from * type.size, to * type.size, enough);
    case 'list-view': {
      const starts = positions(data.buffers[0] as Uint8Array, type.large, from, to);
      const sizes = positions(data.buffers[1] as Uint8Array, type.large, from, to);
      return sum(rows, enough, (row, rest) => {
        if (!isValid(data.validity, from + row)) return 4;
        const start = starts[row] as number;
        return (
          listViewWeight + weigh(data.children[0] as ArrayData, start, start + (sizes[row] as number), rest)
        );
      });
    }
    case 'run-end': {
      const ends = runEndsOf(data);
      let run = runAt(ends, from);
      return sum(rows, enough, (row, rest) => {
        if ((ends[run] as number) <= from + row) run++;
        return weigh(data.children[1] as ArrayData, run, run + 1, rest);
      });
    }
    case 'union':
      if (type.mode === 'dense') {
        const slots = int32s(data.buffers[1] as Uint8Array, from, to);
        // The heaviest child that could be meant: exact enough for a bound.
        return sum(rows, enough, (row, rest) => {
          const slot = slots[row] as number;
          let most = 0;
          for (const child of data.children)
            if (slot < child.length)
              most = Math.max(most, child.field.name.length + weigh(child, slot, slot + 1, rest));
          // Each child was looked at, which is what this bounds too.
          return 6 + most + data.children.length * 4;
        });
      }
      return ofChildren(data, from, to, enough);
    case 'struct':
      return ofChildren(data, from, to, enough);
    default:
      return isView(type) ? ofViews(data, from, to, enough) : rows;
  }
}

function ofViews(data: ArrayData, from: number, to: number, enough: number): number {
  const words = int32s(data.buffers[0] as Uint8Array, from * 4, to * 4);
  return sum(to - from, enough, (row) =>
    isValid(data.validity, from + row) ? 3 + (words[row * 4] as number) : 4,
  );
}

/** More than its brackets: lists that share their elements are the shortest way to much work, and each is worked on for itself. */
const listViewWeight = 32;

const smallWeights = new WeakMap<ArrayData, number | null>();

/** The weight of the heaviest value of a small dictionary of short values, which most dictionaries are; null for others. */
function smallWeight(values: ArrayData): number | null {
  let weight = smallWeights.get(values);
  if (weight !== undefined) return weight;
  weight = 0;
  if (values.length > 1_024) weight = null;
  for (let code = 0; code < values.length && weight !== null; code++) {
    const value = weigh(values, code, code + 1, 100);
    weight = value < 100 ? Math.max(weight, value) : null;
  }
  smallWeights.set(values, weight);
  return weight;
}

function ofChildren(data: ArrayData, from: number, to: number, enough: number): number {
  let weight = (to - from) * 3;
  for (const child of data.children) {
    if (weight >= enough) return weight;
    weight += (to - from) * (child.field.name.length + 4) + weigh(child, from, to, enough - weight);
  }
  return weight;
}

function sum(rows: number, enough: number, weightOf: (row: number, rest: number) => number): number {
  let weight = 0;
  for (let row = 0; row < rows && weight < enough; row++) weight += 1 + weightOf(row, enough - weight);
  return weight;
}

function span(data: ArrayData, large: boolean, from: number, to: number): number {
  const bytes = data.buffers[0] as Uint8Array;
  const first = offsets(bytes, large, from, from + 1);
  const last = offsets(bytes, large, to - 1, to);
  return (last[1] as number) - (first[0] as number);
}

/** About the width of one value's text, if it does not depend on the value. */
function fixedWeight(type: ArrowType): number | null {
  switch (type.kind) {
    case 'null':
    case 'bool':
      return 6;
    case 'int':
      return type.bits <= 16 ? 6 : 12;
    case 'float':
      return type.bits === 64 ? 19 : 11;
    case 'decimal':
      return type.bits / 6 + Math.abs(type.scale);
    case 'fixed-binary':
      return 3 + type.width * 2;
    case 'date':
    case 'time':
    case 'timestamp':
    case 'duration':
    case 'interval':
      return 32;
    default:
      return null;
  }
}
