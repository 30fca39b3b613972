import {
  ARRAY,
  arrayValue,
  DECIMAL,
  DuckDBBlobValue,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBIntervalValue,
  DuckDBMapValue,
  DuckDBTimeNSValue,
  DuckDBTimestampMillisecondsValue,
  DuckDBTimestampNanosecondsValue,
  DuckDBTimestampSecondsValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBTimeValue,
  type DuckDBType,
  DuckDBUUIDValue,
  type DuckDBValue,
  INTEGER,
  LIST,
  listValue,
  MAP,
  STRUCT,
  structValue,
  UUID,
} from '@duckdb/node-api';
import type { ArrayData } from '../../../arrow/arrays/array-data.ts';
import { positions } from '../../../arrow/arrays/elements.ts';
import { isValid } from '../../../arrow/arrays/layout.ts';
import type { ArrowType, Field } from '../../../arrow/field.ts';
import { float, integer, textBytes } from '../../../arrow/parameters/arrow-scalars.ts';
import { nestedTypeText } from '../../../arrow/schema/type-text.ts';
import { utf8Text } from '../../../arrow/text.ts';
import { isUuid } from '../../../model/types/column-names.ts';
import { plainForm, typeLayout, typeNames } from '../../../model/types/type-table.ts';
import { scalarTypes } from '../types/scalar-types.ts';
import type { TypedValue } from './typed-value.ts';

/**
 * One value of a checked array, to be bound; or what is wrong with it, if the engine has nothing that holds it exactly. A value at a time: parameters are
 * few.
 */
export function arrowCell(array: ArrayData, row: number): TypedValue | string {
  const resolved = resolve(array, row);
  if (resolved === null) return { type: INTEGER, value: null };
  const type = typeOf(resolved.array.field);
  if (type === null) return `has the type ${nestedTypeText(resolved.array.field)}, which cannot be bound`;
  try {
    return { type, value: plainValueOf(resolved.array, resolved.row) };
  } catch (thrown) {
    if (thrown instanceof NotExact) return thrown.message;
    throw thrown;
  }
}

class NotExact extends Error {}

/** Where the value itself is, behind dictionaries, unions and runs; null if there is none. */
function resolve(array: ArrayData, row: number): { readonly array: ArrayData; readonly row: number } | null {
  const { field, children } = array;
  if (!isValid(array.validity, row) || (field.dictionary === null && field.type.kind === 'null')) return null;
  if (field.dictionary !== null) {
    const index = Number(integer(array, 0, field.dictionary.index.bits, field.dictionary.index.signed, row));
    return resolve(array.dictionary as ArrayData, index);
  }
  if (field.type.kind === 'union') {
    const child = children[field.type.typeIds.indexOf(Number(integer(array, 0, 8, true, row)))] as ArrayData;
    return resolve(child, field.type.mode === 'sparse' ? row : Number(integer(array, 1, 32, true, row)));
  }
  if (field.type.kind === 'run-end') {
    const [ends, values] = children as [ArrayData, ArrayData];
    const bits = ends.field.type.kind === 'int' ? ends.field.type.bits : 32;
    let run = 0;
    while (integer(ends, 0, bits, true, run) <= row) run++;
    return resolve(values, run);
  }
  return { array, row };
}

/** The engine's type for a field's values; null if it has none. */
function typeOf(field: Field): DuckDBType | null {
  if (isUuid(field)) return UUID;
  const type = plainForm(field.type);
  const name = typeNames(type).duckdb;
  if (name === null) return null;
  switch (type.kind) {
    case 'decimal':
      return DECIMAL(type.precision, type.scale);
    case 'list':
      return wrapped(field, LIST);
    case 'fixed-list':
      return wrapped(field, (element) => ARRAY(element, type.size));
    case 'struct': {
      const entries = field.children.map((child) => [child.name, typeOf(child)] as const);
      if (entries.length === 0 || entries.some(([, entry]) => entry === null)) return null;
      return STRUCT(Object.fromEntries(entries as readonly (readonly [string, DuckDBType])[]));
    }
    case 'map': {
      const [key, value] = (field.children[0]?.children ?? []).map(typeOf);
      return key && value ? MAP(key, value) : null;
    }
    default:
      return scalarTypes[name] ?? null;
  }
}

function wrapped(field: Field, wrap: (element: DuckDBType) => DuckDBType): DuckDBType | null {
  const element = field.children[0] === undefined ? null : typeOf(field.children[0]);
  return element && wrap(element);
}

/** A child's value; it may be null. */
function childValue(array: ArrayData, row: number): DuckDBValue {
  const resolved = resolve(array, row);
  return resolved === null ? null : plainValueOf(resolved.array, resolved.row);
}

function plainValueOf(array: ArrayData, row: number): DuckDBValue {
  const { field } = array;
  const type = plainForm(field.type);
  const [bytes = new Uint8Array(0)] = array.buffers;
  switch (type.kind) {
    case 'bool':
      return isValid(bytes, row);
    case 'int': {
      const value = integer(array, 0, type.bits, type.signed, row);
      return type.bits === 64 ? value : Number(value);
    }
    case 'float':
      return float(bytes, type.bits, row);
    case 'decimal':
      return new DuckDBDecimalValue(integer(array, 0, type.bits, true, row), type.precision, type.scale);
    case 'utf8':
      return utf8Text(textBytes(array, row));
    case 'binary':
      return new DuckDBBlobValue(textBytes(array, row));
    case 'fixed-binary': {
      const value = bytes.subarray(row * type.width, (row + 1) * type.width);
      if (!isUuid(field)) return new DuckDBBlobValue(value);
      return DuckDBUUIDValue.fromUint128(BigInt(`0x${Buffer.from(value).toString('hex')}`));
    }
    case 'date': {
      const value = integer(array, 0, type.unit === 'day' ? 32 : 64, true, row);
      return new DuckDBDateValue(Number(type.unit === 'day' ? value : exactly(value, 1n, 86_400_000n)));
    }
    case 'time': {
      const value = integer(array, 0, type.bits, true, row);
      return type.unit === 'ns'
        ? new DuckDBTimeNSValue(value)
        : new DuckDBTimeValue(microseconds(value, type.unit));
    }
    case 'timestamp':
      return timestamp(integer(array, 0, 64, true, row), type);
    case 'duration':
      return new DuckDBIntervalValue(0, 0, microseconds(integer(array, 0, 64, true, row), type.unit));
    case 'interval':
      return interval(bytes, type.unit, row);
    case 'struct':
      return structValue(
        Object.fromEntries(array.children.map((child) => [child.field.name, childValue(child, row)])),
      );
    case 'map': {
      const [keys, values] = (array.children[0] as ArrayData).children as readonly [ArrayData, ArrayData];
      const entries = places(array, row).map((place) => ({
        key: childValue(keys, place),
        value: childValue(values, place),
      }));
      return new DuckDBMapValue(entries);
    }
    case 'fixed-list':
      return arrayValue(places(array, row).map((place) => childValue(array.children[0] as ArrayData, place)));
    case 'list':
      return listValue(places(array, row).map((place) => childValue(array.children[0] as ArrayData, place)));
    default:
      throw new NotExact(`has the type ${nestedTypeText(field)}, which cannot be bound`);
  }
}

const microsecondsOf = { s: 1_000_000n, ms: 1000n, us: 1n } as const;

function microseconds(value: bigint, unit: 's' | 'ms' | 'us' | 'ns'): bigint {
  return unit === 'ns' ? exactly(value, 1n, 1000n) : exactly(value, microsecondsOf[unit], 1n);
}

/** In another unit, if that is the same. */
function exactly(value: bigint, factor: bigint, divisor: bigint): bigint {
  const product = value * factor;
  if (product % divisor !== 0n || BigInt.asIntN(64, product) !== product)
    throw new NotExact('holds a time that the engine cannot hold exactly');
  return product / divisor;
}

function timestamp(value: bigint, type: ArrowType & { readonly kind: 'timestamp' }): DuckDBValue {
  if (type.zone !== null) return new DuckDBTimestampTZValue(microseconds(value, type.unit));
  switch (type.unit) {
    case 's':
      return new DuckDBTimestampSecondsValue(value);
    case 'ms':
      return new DuckDBTimestampMillisecondsValue(value);
    case 'us':
      return new DuckDBTimestampValue(value);
    case 'ns':
      return new DuckDBTimestampNanosecondsValue(value);
  }
}

function interval(
  bytes: Uint8Array,
  unit: 'year-month' | 'day-time' | 'month-day-nano',
  row: number,
): DuckDBValue {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  switch (unit) {
    case 'year-month':
      return new DuckDBIntervalValue(view.getInt32(row * 4, true), 0, 0n);
    case 'day-time':
      return new DuckDBIntervalValue(
        0,
        view.getInt32(row * 8, true),
        BigInt(view.getInt32(row * 8 + 4, true)) * 1000n,
      );
    case 'month-day-nano':
      return new DuckDBIntervalValue(
        view.getInt32(row * 16, true),
        view.getInt32(row * 16 + 4, true),
        microseconds(view.getBigInt64(row * 16 + 8, true), 'ns'),
      );
  }
}

/** Where the elements of a list are in its child. */
function places(array: ArrayData, row: number): number[] {
  const layout = typeLayout(array.field.type);
  const [first = new Uint8Array(0), second = new Uint8Array(0)] = array.buffers;
  let start = 0;
  let count = 0;
  if (layout.kind === 'fixed-list') {
    start = row * layout.size;
    count = layout.size;
  } else if (layout.kind === 'list-view') {
    start = positions(first, layout.large, row, row + 1)[0] as number;
    count = positions(second, layout.large, row, row + 1)[0] as number;
  } else {
    const offsets = positions(first, layout.kind === 'list' && layout.large, row, row + 2);
    start = offsets[0] as number;
    count = (offsets[1] as number) - start;
  }
  return Array.from({ length: count }, (_, index) => start + index);
}
