import type { ArrayData } from '../../src/arrow/arrays/array-data.ts';
import type { ArrowType } from '../../src/arrow/field.ts';

/** Values of an array in the form in which make-streams.py writes them, read as plainly as possible: one DataView access a value. */
export function plainValues(array: ArrayData): unknown[] {
  return Array.from({ length: array.length }, (_, row) => plainValue(array, row));
}

function plainValue(array: ArrayData, row: number): unknown {
  const { field, validity, children } = array;
  if (validity !== null && (((validity[row >> 3] ?? 0) >> (row & 7)) & 1) === 0) return null;
  if (field.dictionary !== null) {
    const index = Number(
      integer(array, 0, field.dictionary.index.bits / 8, field.dictionary.index.signed, row),
    );
    return plainValue(array.dictionary as ArrayData, index);
  }
  const type = field.type;
  const bytes = array.buffers[0] ?? new Uint8Array(0);
  switch (type.kind) {
    case 'null':
      return null;
    case 'bool':
      return (((bytes[row >> 3] ?? 0) >> (row & 7)) & 1) === 1;
    case 'int':
      return String(integer(array, 0, type.bits / 8, type.signed, row));
    case 'decimal':
      return String(integer(array, 0, type.bits / 8, true, row));
    case 'float':
      return float(bytes, type.bits, row);
    case 'date':
      return String(integer(array, 0, type.unit === 'day' ? 4 : 8, true, row));
    case 'time':
      return String(integer(array, 0, type.bits / 8, true, row));
    case 'timestamp':
    case 'duration':
      return String(integer(array, 0, 8, true, row));
    case 'interval':
      return interval(bytes, type.unit, row);
    case 'utf8':
    case 'binary': {
      const [start, end] = span(array, type.large, row);
      return text(type, (array.buffers[1] as Uint8Array).subarray(start, end));
    }
    case 'utf8-view':
    case 'binary-view':
      return text(type, view(array, row));
    case 'fixed-binary':
      return text(type, bytes.subarray(row * type.width, (row + 1) * type.width));
    case 'list':
      return items(array, ...span(array, type.large, row));
    case 'map':
      return items(array, ...span(array, false, row)).map((entry) => Object.values(entry as object));
    case 'list-view': {
      const width = type.large ? 8 : 4;
      const start = Number(integer(array, 0, width, true, row));
      return items(array, start, start + Number(integer(array, 1, width, true, row)));
    }
    case 'fixed-list':
      return items(array, row * type.size, (row + 1) * type.size);
    case 'struct':
      return Object.fromEntries(children.map((child) => [child.field.name, plainValue(child, row)]));
    case 'union': {
      const child = children[type.typeIds.indexOf(bytes[row] ?? -1)] as ArrayData;
      return plainValue(child, type.mode === 'sparse' ? row : Number(integer(array, 1, 4, true, row)));
    }
    case 'run-end': {
      const ends = plainValues(children[0] as ArrayData).map(Number);
      return plainValue(
        children[1] as ArrayData,
        ends.findIndex((end) => end > row),
      );
    }
  }
}

function integer(array: ArrayData, buffer: number, width: number, signed: boolean, row: number): bigint {
  const bytes = (array.buffers[buffer] as Uint8Array).subarray(row * width, (row + 1) * width);
  const value = BigInt(`0x${Buffer.from(bytes.toReversed()).toString('hex')}`);
  return signed ? BigInt.asIntN(width * 8, value) : value;
}

function float(bytes: Uint8Array, bits: 16 | 32 | 64, row: number): number | string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const value =
    bits === 64
      ? view.getFloat64(row * 8, true)
      : bits === 32
        ? view.getFloat32(row * 4, true)
        : half(view.getUint16(row * 2, true));
  return Number.isFinite(value) ? value : Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
}

function half(bits: number): number {
  const sign = bits >> 15 === 0 ? 1 : -1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15));
}

function interval(
  bytes: Uint8Array,
  unit: 'year-month' | 'day-time' | 'month-day-nano',
  row: number,
): string[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const width = { 'year-month': 4, 'day-time': 8, 'month-day-nano': 16 }[unit];
  const parts: (number | bigint)[] = [view.getInt32(row * width, true)];
  if (unit !== 'year-month') parts.push(view.getInt32(row * width + 4, true));
  if (unit === 'month-day-nano') parts.push(view.getBigInt64(row * width + 8, true));
  return parts.map(String);
}

function span(array: ArrayData, large: boolean, row: number): [number, number] {
  const width = large ? 8 : 4;
  return [Number(integer(array, 0, width, true, row)), Number(integer(array, 0, width, true, row + 1))];
}

function view(array: ArrayData, row: number): Uint8Array {
  const bytes = (array.buffers[0] as Uint8Array).subarray(row * 16, row * 16 + 16);
  const numbers = new DataView(bytes.buffer, bytes.byteOffset, 16);
  const length = numbers.getInt32(0, true);
  if (length <= 12) return bytes.subarray(4, 4 + length);
  const start = numbers.getInt32(12, true);
  return (array.buffers[1 + numbers.getInt32(8, true)] as Uint8Array).subarray(start, start + length);
}

function text(type: ArrowType, bytes: Uint8Array): string {
  return Buffer.from(bytes).toString(type.kind === 'utf8' || type.kind === 'utf8-view' ? 'utf8' : 'hex');
}

function items(array: ArrayData, start: number, end: number): unknown[] {
  const child = array.children[0] as ArrayData;
  return Array.from({ length: end - start }, (_, index) => plainValue(child, start + index));
}
