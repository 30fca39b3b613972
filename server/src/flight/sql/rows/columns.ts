import type { ArrayData } from '../../../arrow/arrays/array-data.ts';
import type { Field } from '../../../arrow/field.ts';

/** What a metadata result set has in its cells. */
export type Cell = string | number | bigint | boolean | Uint8Array | readonly Cell[] | null;

/** Values as one Arrow column: strings, bytes, whole numbers, booleans and lists of them, which is all that Flight SQL's metadata has. */
export function columnOf(field: Field, values: readonly Cell[]): ArrayData {
  const nullCount = values.reduce<number>((sum, value) => sum + (value === null ? 1 : 0), 0);
  const validity = nullCount === 0 ? null : bits(values.map((value) => value !== null));
  return { field, length: values.length, nullCount, validity, dictionary: null, ...contentOf(field, values) };
}

function contentOf(field: Field, values: readonly Cell[]): Pick<ArrayData, 'buffers' | 'children'> {
  const { type } = field;
  switch (type.kind) {
    case 'utf8':
    case 'binary': {
      const bytes = values.map((value) => (value === null ? Buffer.alloc(0) : bytesOf(value)));
      return { buffers: [offsetsOf(bytes.map(({ length }) => length)), Buffer.concat(bytes)], children: [] };
    }
    case 'bool':
      return { buffers: [bits(values.map((value) => value === true))], children: [] };
    case 'int':
      return { buffers: [integers(type.bits, values)], children: [] };
    case 'list': {
      const lists = values.map((value) => (Array.isArray(value) ? (value as readonly Cell[]) : []));
      const item = field.children[0];
      if (item === undefined) throw new Error(`the list ${field.name} has no item field`);
      return {
        buffers: [offsetsOf(lists.map(({ length }) => length))],
        children: [columnOf(item, lists.flat())],
      };
    }
    default:
      throw new Error(`no metadata has a column of ${type.kind}`);
  }
}

function bytesOf(value: Cell): Uint8Array {
  if (value instanceof Uint8Array) return value;
  if (typeof value === 'string') return Buffer.from(value);
  throw new Error(`${typeof value} is not text or bytes`);
}

function integers(width: 8 | 16 | 32 | 64, values: readonly Cell[]): Uint8Array {
  const bytes = Buffer.alloc((values.length * width) / 8);
  for (const [index, value] of values.entries()) {
    const whole = typeof value === 'bigint' || typeof value === 'number' ? BigInt(value) : 0n;
    if (width === 64) bytes.writeBigInt64LE(BigInt.asIntN(64, whole), index * 8);
    else if (width === 32) bytes.writeUInt32LE(Number(BigInt.asUintN(32, whole)), index * 4);
    else if (width === 16) bytes.writeUInt16LE(Number(BigInt.asUintN(16, whole)), index * 2);
    else bytes.writeUInt8(Number(BigInt.asUintN(8, whole)), index);
  }
  return bytes;
}

export function offsetsOf(lengths: readonly number[]): Uint8Array {
  const offsets = Buffer.alloc((lengths.length + 1) * 4);
  let end = 0;
  for (const [index, length] of lengths.entries()) {
    end += length;
    offsets.writeInt32LE(end, (index + 1) * 4);
  }
  return offsets;
}

function bits(values: readonly boolean[]): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(values.length / 8));
  for (const [index, value] of values.entries()) {
    if (value) bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (1 << (index & 7));
  }
  return bytes;
}
