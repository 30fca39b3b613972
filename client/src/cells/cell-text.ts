import {
  type Batch,
  type Column,
  type DataType,
  type Field,
  Precision,
  Type,
  UnionMode,
} from '@uwdata/flechette';
import { base64Text, utf8Text, uuidText } from './bytes.ts';
import { dateText } from './calendar.ts';
import { decimalText, float16Text, float32Text, float64Text, wordsValue } from './numbers.ts';
import {
  date64Text,
  durationText,
  intervalText,
  type TimeUnit,
  timestampText,
  timeText,
} from './temporal.ts';
import { isUuid } from './uuids.ts';

/** What Flechette's kinds of batches have; its type names only what all of them have in common. */
interface Arrays {
  readonly length: number;
  readonly nullCount: number;
  readonly type: DataType;
  readonly validity?: Uint8Array;
  readonly values: unknown;
  readonly offsets: Int32Array | BigInt64Array;
  readonly sizes: Int32Array | BigInt64Array;
  readonly children: readonly Arrays[];
  readonly typeIds: Int8Array;
  readonly data: readonly Uint8Array[];
  readonly dictionary?: Column<unknown>;
}

/**
 * The exact text of a cell; null for a null, which no text stands for. The same text as in the server's CSV, without its quotes, except that
 * `-0.0`, and NaN and the infinities inside of lists, structs and maps, are told apart from other values.
 */
export function cellText(column: Column<unknown>, row: number): string | null {
  const { data, offsets } = column;
  let first = 0;
  let last = data.length - 1;
  while (first < last) {
    const middle = (first + last + 1) >> 1;
    if ((offsets[middle] as number) <= row) first = middle;
    else last = middle - 1;
  }
  const batch = data[first];
  const index = row - (offsets[first] as number);
  if (batch === undefined || index < 0 || index >= batch.length)
    throw new RangeError(`There is no row ${row}: the column has ${column.length} rows.`);
  return batchCellText(batch, index);
}

/** The same for a column of one batch. */
export function batchCellText(batch: Batch<unknown>, index: number): string | null {
  return textOf(batch as unknown as Arrays, index);
}

function textOf(array: Arrays, index: number): string | null {
  if (isNull(array, index)) return null;
  const { type } = array;
  switch (type.typeId) {
    case Type.Dictionary:
      return array.dictionary === undefined
        ? null
        : cellText(array.dictionary, dictionaryIndex(array, index));
    case Type.RunEndEncoded:
      return textOf(array.children[1] as Arrays, runAt(array, index));
    case Type.Utf8:
    case Type.LargeUtf8:
    case Type.Utf8View:
      return utf8Text(bytesAt(array, index));
    case Type.List:
    case Type.LargeList:
    case Type.ListView:
    case Type.LargeListView:
    case Type.FixedSizeList:
      return listText(array, index);
    case Type.Struct:
      return structText(array, type.children, index);
    case Type.Map:
      return mapText(array, index);
    case Type.Union:
      return unionText(array, type.children, index);
    default:
      return scalarText(array, index);
  }
}

/** The texts that need no quotes in JSON, and those that do but have nothing to escape. */
function scalarText(array: Arrays, index: number): string {
  const { type } = array;
  const values = array.values as { readonly [index: number]: number | bigint };
  switch (type.typeId) {
    case Type.Bool:
      return hasBit(array.values as Uint8Array, index) ? 'true' : 'false';
    case Type.Int:
      return `${values[index]}`;
    case Type.Float: {
      const value = values[index] as number;
      if (type.precision === Precision.HALF) return float16Text(value);
      return type.precision === Precision.SINGLE ? float32Text(value) : float64Text(value);
    }
    case Type.Decimal: {
      const words = array.values as BigUint64Array;
      const value =
        type.bitWidth === 32 ? BigInt(values[index] as number) : wordsValue(words, index, type.bitWidth / 64);
      return decimalText(value, type.scale);
    }
    case Type.Date: {
      const value = values[index] as number | bigint;
      return typeof value === 'bigint' ? date64Text(value) : dateText(value);
    }
    case Type.Time:
      return timeText(BigInt(values[index] as number | bigint), type.unit as TimeUnit);
    case Type.Timestamp: {
      // Without a zone Flechette has null, or undefined for a type that was made by hand.
      const isZoned = (type.timezone ?? '') !== '';
      return timestampText(values[index] as bigint, type.unit as TimeUnit, isZoned);
    }
    case Type.Duration:
      return durationText(values[index] as bigint, type.unit as TimeUnit);
    case Type.Interval:
      return intervalText(array.values as ArrayBufferView, type.unit, index);
    case Type.FixedSizeBinary:
      return isUuid(type) ? uuidText(bytesAt(array, index)) : base64Text(bytesAt(array, index));
    case Type.Binary:
    case Type.LargeBinary:
    case Type.BinaryView:
      return base64Text(bytesAt(array, index));
    default:
      throw new TypeError(`There is no text for values of Arrow's type ${type.typeId}.`);
  }
}

/** A value inside another: as JSON, but with NaN and the infinities as such. */
function jsonText(array: Arrays, index: number): string {
  const { type } = array;
  if (type.typeId === Type.RunEndEncoded) return jsonText(array.children[1] as Arrays, runAt(array, index));
  if (type.typeId === Type.Dictionary && array.dictionary !== undefined && !isNull(array, index))
    return dictionaryJson(array.dictionary, dictionaryIndex(array, index));
  const text = textOf(array, index);
  if (text === null) return 'null';
  switch (type.typeId) {
    case Type.Utf8:
    case Type.LargeUtf8:
    case Type.Utf8View:
      return JSON.stringify(text);
    case Type.Bool:
    case Type.Int:
    case Type.Float:
    case Type.List:
    case Type.LargeList:
    case Type.ListView:
    case Type.LargeListView:
    case Type.FixedSizeList:
    case Type.Struct:
    case Type.Map:
    case Type.Union:
      return text;
    default:
      return `"${text}"`;
  }
}

function dictionaryJson({ data, offsets }: Column<unknown>, code: number): string {
  const batch = data.findIndex((_, each) => code < (offsets[each + 1] as number));
  return jsonText(data[batch] as unknown as Arrays, code - (offsets[batch] as number));
}

function listText(array: Arrays, index: number): string {
  const child = array.children[0] as Arrays;
  const [start, end] = rangeOf(array, index);
  const texts: string[] = [];
  for (let each = start; each < end; each++) texts.push(jsonText(child, each));
  return `[${texts.join(',')}]`;
}

/** An object; if two members have the same name, an array of pairs. */
function structText(array: Arrays, fields: readonly Field[], index: number): string {
  const isObject = new Set(fields.map(({ name }) => name)).size === fields.length;
  const members = fields.map(({ name }, position) => {
    const value = jsonText(array.children[position] as Arrays, index);
    return isObject ? `${JSON.stringify(name)}:${value}` : `[${JSON.stringify(name)},${value}]`;
  });
  return isObject ? `{${members.join(',')}}` : `[${members.join(',')}]`;
}

/** An object; if keys are not strings, or one occurs twice, an array of pairs. */
function mapText(array: Arrays, index: number): string {
  const [keyArray, valueArray] = (array.children[0] as Arrays).children as [Arrays, Arrays];
  const [start, end] = rangeOf(array, index);
  const pairs: [key: string, value: string][] = [];
  for (let each = start; each < end; each++)
    pairs.push([jsonText(keyArray, each), jsonText(valueArray, each)]);
  const keys = new Set(pairs.map(([key]) => key));
  const isObject = hasTexts(keyArray.type) && keys.size === pairs.length && !keys.has('null');
  return isObject
    ? `{${pairs.map(([key, value]) => `${key}:${value}`).join(',')}}`
    : `[${pairs.map(([key, value]) => `[${key},${value}]`).join(',')}]`;
}

function hasTexts(type: DataType): boolean {
  if (type.typeId === Type.Dictionary) return hasTexts(type.dictionary);
  if (type.typeId === Type.RunEndEncoded) return hasTexts(type.children[1].type);
  return type.typeId === Type.Utf8 || type.typeId === Type.LargeUtf8 || type.typeId === Type.Utf8View;
}

/** An object with one member, named after the child that has the value. */
function unionText(array: Arrays, fields: readonly Field[], index: number): string {
  const { type } = array;
  if (type.typeId !== Type.Union) throw new TypeError('not a union');
  const position = type.typeMap[array.typeIds[index] as number] as number;
  const slot = type.mode === UnionMode.Dense ? Number(array.offsets[index]) : index;
  const name = JSON.stringify((fields[position] as Field).name);
  return `{${name}:${jsonText(array.children[position] as Arrays, slot)}}`;
}

function rangeOf(array: Arrays, index: number): [start: number, end: number] {
  const { type, offsets } = array;
  if (type.typeId === Type.FixedSizeList) return [index * type.stride, (index + 1) * type.stride];
  const start = Number(offsets[index]);
  if (type.typeId === Type.ListView || type.typeId === Type.LargeListView)
    return [start, start + Number(array.sizes[index])];
  return [start, Number(offsets[index + 1])];
}

function bytesAt(array: Arrays, index: number): Uint8Array {
  const { type, offsets } = array;
  const values = array.values as Uint8Array;
  if (type.typeId === Type.FixedSizeBinary)
    return values.subarray(index * type.stride, (index + 1) * type.stride);
  if (type.typeId !== Type.Utf8View && type.typeId !== Type.BinaryView)
    return values.subarray(Number(offsets[index]), Number(offsets[index + 1]));
  const view = new DataView(values.buffer, values.byteOffset + index * 16, 16);
  const length = view.getInt32(0, true);
  // Short values are inside their view; others are in one of the data buffers.
  if (length <= 12) return values.subarray(index * 16 + 4, index * 16 + 4 + length);
  const start = view.getInt32(12, true);
  return (array.data[view.getInt32(8, true)] as Uint8Array).subarray(start, start + length);
}

function dictionaryIndex(array: Arrays, index: number): number {
  return Number((array.values as { readonly [index: number]: number | bigint })[index]);
}

/** The first run that ends after this row. */
function runAt(array: Arrays, index: number): number {
  const ends = (array.children[0] as Arrays).values as {
    readonly length: number;
    readonly [index: number]: number | bigint;
  };
  let first = 0;
  let last = ends.length - 1;
  while (first < last) {
    const middle = (first + last) >> 1;
    if (Number(ends[middle]) > index) last = middle;
    else first = middle + 1;
  }
  return first;
}

function isNull({ type, nullCount, validity }: Arrays, index: number): boolean {
  if (type.typeId === Type.Null) return true;
  return nullCount > 0 && validity !== undefined && validity.length > 0 && !hasBit(validity, index);
}

function hasBit(bits: Uint8Array, index: number): boolean {
  return (((bits[index >> 3] as number) >> (index & 7)) & 1) === 1;
}
