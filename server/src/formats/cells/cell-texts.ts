import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import { indicesOf } from '../../arrow/arrays/dictionary-indices.ts';
import { int8s, int32s, offsets, positions } from '../../arrow/arrays/elements.ts';
import { isValid } from '../../arrow/arrays/layout.ts';
import { runAt, runEndsOf } from '../../arrow/arrays/run-ends.ts';
import type { Field } from '../../arrow/field.ts';
import { binaryTexts, binaryViewTexts, fixedBinaryTexts } from './binaries.ts';
import type { CellStyle } from './cell-style.ts';
import { decimalTexts } from './decimals.ts';
import { boolTexts, floatTexts, intTexts } from './numbers.ts';
import { csvText, stringTexts, stringViewTexts } from './strings.ts';
import { dateTexts, durationTexts, intervalTexts, timestampTexts, timeTexts } from './temporal.ts';
import { weigh } from './weight.ts';

/** Texts of a dictionary are kept up to this size; a dictionary of larger values is written row by row. */
const keptBytesMax = 4 * 1024 * 1024;

/** The texts of rows [from, to) of a column, as the answer has them. */
export function cellTexts(data: ArrayData, from: number, to: number, style: CellStyle): string[] {
  const texts = valueTexts(data, from, to, style);
  if (data.validity !== null) {
    const nullText = style.syntax === 'json' ? 'null' : '';
    for (let row = from; row < to; row++) if (!isValid(data.validity, row)) texts[row - from] = nullText;
  }
  return texts;
}

function valueTexts(data: ArrayData, from: number, to: number, style: CellStyle): string[] {
  const { type, dictionary } = data.field;
  if (dictionary !== null) return dictionaryTexts(data, from, to, style);
  switch (type.kind) {
    case 'null':
      return new Array<string>(to - from).fill(style.syntax === 'json' ? 'null' : '');
    case 'bool':
      return boolTexts(data, from, to);
    case 'int':
      return intTexts(type, data, from, to, style);
    case 'float':
      return floatTexts(type.bits, data, from, to, style);
    case 'decimal':
      return decimalTexts(type, data, from, to, style);
    case 'utf8':
      return stringTexts(type.large, data, from, to, style);
    case 'utf8-view':
      return stringViewTexts(data, from, to, style);
    case 'binary':
      return binaryTexts(type.large, data, from, to, style);
    case 'binary-view':
      return binaryViewTexts(data, from, to, style);
    case 'fixed-binary':
      return fixedBinaryTexts(type.width, data, from, to, style);
    case 'date':
      return dateTexts(type.unit, data, from, to, style);
    case 'time':
      return timeTexts(type.bits, type.unit, data, from, to, style);
    case 'timestamp':
      return timestampTexts(type.unit, type.zone !== null, data, from, to, style);
    case 'duration':
      return durationTexts(type.unit, data, from, to, style);
    case 'interval':
      return intervalTexts(type.unit, data, from, to, style);
    case 'run-end':
      return runEndTexts(data, from, to, style);
    default:
      return nestedTexts(data, from, to, style);
  }
}

/** Nested values are JSON in every format. */
function nestedTexts(data: ArrayData, from: number, to: number, style: CellStyle): string[] {
  const texts = jsonTexts(data, from, to, style.nested);
  return style.syntax === 'csv' ? texts.map(csvText) : texts;
}

function jsonTexts(data: ArrayData, from: number, to: number, style: CellStyle): string[] {
  const { type } = data.field;
  switch (type.kind) {
    case 'list':
      return listTexts(type.large, data, from, to, style);
    case 'list-view':
      return listViewTexts(type.large, data, from, to, style);
    case 'fixed-list':
      return fixedListTexts(type.size, data, from, to, style);
    case 'struct':
      return structTexts(data, from, to, style);
    case 'map':
      return mapTexts(data, from, to, style);
    case 'union':
      return unionTexts(data, from, to, style);
    default:
      throw new Error(`no text for values of type ${type.kind}`);
  }
}

function dictionaryTexts(data: ArrayData, from: number, to: number, style: CellStyle): string[] {
  const values = data.dictionary as ArrayData;
  const kept = keptTexts(values, style);
  const indices = indicesOf(data, from, to);
  const texts = new Array<string>(to - from);
  for (let row = 0; row < texts.length; row++) {
    const index = indices[row] as number;
    let text = kept[index];
    if (text === undefined) {
      // The index of a null row may be anything.
      if (!isValid(data.validity, from + row)) {
        texts[row] = '';
        continue;
      }
      text = cellTexts(values, index, index + 1, style)[0] as string;
      kept[index] = text;
    }
    texts[row] = text;
  }
  return texts;
}

function keptTexts(values: ArrayData, style: CellStyle): (string | undefined)[] {
  let texts = style.dictionaryTexts.get(values);
  if (texts !== undefined) return texts;
  texts = [];
  if (weigh(values, 0, values.length, keptBytesMax) < keptBytesMax) {
    texts = new Array<string | undefined>(values.length);
    style.dictionaryTexts.set(values, texts);
  }
  return texts;
}

function runEndTexts(data: ArrayData, from: number, to: number, style: CellStyle): string[] {
  if (from === to) return [];
  const ends = runEndsOf(data);
  const values = data.children[1] as ArrayData;
  const firstRun = runAt(ends, from);
  const lastRun = runAt(ends, to - 1);
  const runTexts = cellTexts(values, firstRun, lastRun + 1, style);
  const texts = new Array<string>(to - from);
  let row = from;
  for (let run = firstRun; run <= lastRun; run++) {
    const end = Math.min(to, ends[run] as number);
    const text = runTexts[run - firstRun] as string;
    for (; row < end; row++) texts[row - from] = text;
  }
  return texts;
}

function listTexts(large: boolean, data: ArrayData, from: number, to: number, style: CellStyle): string[] {
  const ends = offsets(data.buffers[0] as Uint8Array, large, from, to);
  const first = ends[0] as number;
  const elements = cellTexts(data.children[0] as ArrayData, first, ends[to - from] as number, style);
  const texts = new Array<string>(to - from);
  for (let index = 0; index < texts.length; index++)
    texts[index] = arrayText(elements, (ends[index] as number) - first, (ends[index + 1] as number) - first);
  return texts;
}

function fixedListTexts(size: number, data: ArrayData, from: number, to: number, style: CellStyle): string[] {
  const elements = cellTexts(data.children[0] as ArrayData, from * size, to * size, style);
  const texts = new Array<string>(to - from);
  for (let index = 0; index < texts.length; index++)
    texts[index] = arrayText(elements, index * size, (index + 1) * size);
  return texts;
}

/** Rows may share elements, be in any order and leave gaps, so each row's elements are written separately. */
function listViewTexts(
  large: boolean,
  data: ArrayData,
  from: number,
  to: number,
  style: CellStyle,
): string[] {
  const starts = positions(data.buffers[0] as Uint8Array, large, from, to);
  const sizes = positions(data.buffers[1] as Uint8Array, large, from, to);
  const child = data.children[0] as ArrayData;
  const texts = new Array<string>(to - from);
  for (let index = 0; index < texts.length; index++) {
    const size = isValid(data.validity, from + index) ? (sizes[index] as number) : 0;
    const start = size === 0 ? 0 : (starts[index] as number);
    texts[index] = arrayText(cellTexts(child, start, start + size, style), 0, size);
  }
  return texts;
}

function arrayText(elements: readonly string[], from: number, to: number): string {
  return `[${elements.slice(from, to).join(',')}]`;
}

/** Members in the schema's order, as an object; if a name occurs twice (JSON readers would keep one of them) as an array of pairs. */
function structTexts(data: ArrayData, from: number, to: number, style: CellStyle): string[] {
  const names = new Set(data.children.map((child) => child.field.name));
  const asObject = names.size === data.children.length;
  const afterValue = asObject ? '' : ']';
  const texts = new Array<string>(to - from).fill(asObject ? '{' : '[');
  data.children.forEach((child, position) => {
    const name = JSON.stringify(child.field.name);
    const key = `${position === 0 ? '' : ','}${asObject ? `${name}:` : `[${name},`}`;
    const values = cellTexts(child, from, to, style);
    for (let index = 0; index < texts.length; index++)
      texts[index] = (texts[index] as string) + key + (values[index] as string) + afterValue;
  });
  for (let index = 0; index < texts.length; index++) texts[index] += asObject ? '}' : ']';
  return texts;
}

/**
 * An object if keys are strings. If they are not, or if a cell has a key twice (JSON readers would keep only one of them), an array of pairs.
 */
function mapTexts(data: ArrayData, from: number, to: number, style: CellStyle): string[] {
  const ends = offsets(data.buffers[0] as Uint8Array, false, from, to);
  const first = ends[0] as number;
  const last = ends[to - from] as number;
  const entries = data.children[0] as ArrayData;
  const [keyData, valueData] = entries.children as [ArrayData, ArrayData];
  const keys = cellTexts(keyData, first, last, style);
  const values = cellTexts(valueData, first, last, style);
  const stringKeys = hasStrings(keyData.field);
  const texts = new Array<string>(to - from);
  for (let index = 0; index < texts.length; index++) {
    const start = (ends[index] as number) - first;
    const end = (ends[index + 1] as number) - first;
    const asObject = stringKeys && areDistinct(keys, start, end);
    const pairs: string[] = [];
    for (let entry = start; entry < end; entry++)
      pairs.push(asObject ? `${keys[entry]}:${values[entry]}` : `[${keys[entry]},${values[entry]}]`);
    texts[index] = asObject ? `{${pairs.join(',')}}` : `[${pairs.join(',')}]`;
  }
  return texts;
}

function hasStrings(field: Field): boolean {
  if (field.type.kind === 'run-end') return hasStrings(field.children[1] as Field);
  return field.type.kind === 'utf8' || field.type.kind === 'utf8-view';
}

function areDistinct(keys: readonly string[], from: number, to: number): boolean {
  const seen = new Set<string>();
  for (let entry = from; entry < to; entry++) {
    const key = keys[entry] as string;
    if (key === 'null') return false;
    seen.add(key);
  }
  return seen.size === to - from;
}

/** An object of one member, named after the child that holds the value. */
function unionTexts(data: ArrayData, from: number, to: number, style: CellStyle): string[] {
  const { type } = data.field;
  if (type.kind !== 'union') throw new Error('not a union');
  const typeIds = int8s(data.buffers[0] as Uint8Array, from, to);
  const childOf = new Map(type.typeIds.map((typeId, child) => [typeId, child]));
  const prefixes = data.children.map((child) => `{${JSON.stringify(child.field.name)}:`);
  const slots = type.mode === 'dense' ? int32s(data.buffers[1] as Uint8Array, from, to) : null;
  const texts = new Array<string>(to - from);
  for (let index = 0; index < texts.length; index++) {
    const position = childOf.get(typeIds[index] as number);
    const child = position === undefined ? undefined : data.children[position];
    if (child === undefined) throw new Error(`a union has no type ${typeIds[index]}`);
    const slot = slots === null ? from + index : (slots[index] as number);
    texts[index] = `${prefixes[position as number]}${cellTexts(child, slot, slot + 1, style)[0]}}`;
  }
  return texts;
}
