import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import { int8s, int32s, offsets, positions } from '../../arrow/arrays/elements.ts';
import { isValid } from '../../arrow/arrays/layout.ts';
import type { Field } from '../../arrow/field.ts';
import type { CellStyle } from './cell-style.ts';
import { cellTexts } from './cell-texts.ts';

/** All of these write JSON, whatever the format around them. */

export function listTexts(
  large: boolean,
  data: ArrayData,
  from: number,
  to: number,
  style: CellStyle,
): string[] {
  const ends = offsets(data.buffers[0] as Uint8Array, large, from, to);
  const first = ends[0] as number;
  const elements = cellTexts(data.children[0] as ArrayData, first, ends[to - from] as number, style);
  const texts = new Array<string>(to - from);
  for (let index = 0; index < texts.length; index++)
    texts[index] = arrayText(elements, (ends[index] as number) - first, (ends[index + 1] as number) - first);
  return texts;
}

export function fixedListTexts(
  size: number,
  data: ArrayData,
  from: number,
  to: number,
  style: CellStyle,
): string[] {
  const elements = cellTexts(data.children[0] as ArrayData, from * size, to * size, style);
  const texts = new Array<string>(to - from);
  for (let index = 0; index < texts.length; index++)
    texts[index] = arrayText(elements, index * size, (index + 1) * size);
  return texts;
}

/** Rows may share elements, stand in any order and leave gaps, so each row's elements are written for themselves. */
export function listViewTexts(
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

/** Members in the schema's order, as an object; where a name occurs twice (JSON readers would keep one of them) as an array of pairs. */
export function structTexts(data: ArrayData, from: number, to: number, style: CellStyle): string[] {
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
 * An object where keys are strings. Where they are not, or where a cell has a key twice (JSON readers would keep only one of them), an array of pairs.
 */
export function mapTexts(data: ArrayData, from: number, to: number, style: CellStyle): string[] {
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
export function unionTexts(data: ArrayData, from: number, to: number, style: CellStyle): string[] {
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
