import { Buffer } from 'node:buffer';
import type { ArrayData } from '../../../arrow/arrays/array-data.ts';
import { bitmapBytes } from '../../../arrow/arrays/layout.ts';
import type { ArrowType, Field, Metadata } from '../../../arrow/field.ts';
import { typeLayout } from '../../../model/types/type-table.ts';
import type { ArrayValue } from './array-values.ts';
import { type Decimal, digitsMax, tooManyDigits } from './decimal-values.ts';
import type { ScalarType, ScalarValue } from './parameter-types.ts';

/** Columns of one row, out of values as Arrow has them. */

const uuidMetadata: Metadata = [
  ['ARROW:extension:name', 'arrow.uuid'],
  ['ARROW:extension:metadata', ''],
];
/** What an engine holds. */
const decimalBytes = 16;

function fieldOf(name: string, type: ArrowType, children: readonly Field[], isUuid = false): Field {
  return { name, nullable: true, type, children, dictionary: null, metadata: isUuid ? uuidMetadata : [] };
}

export function nullColumn(name: string): ArrayData {
  const field = fieldOf(name, { kind: 'null' }, []);
  return { field, length: 1, nullCount: 1, validity: null, buffers: [], children: [], dictionary: null };
}

export function scalarColumn(
  name: string,
  scalar: ScalarType,
  values: readonly (ScalarValue | null)[],
): ArrayData {
  const type = scalar.type === 'decimal' ? decimalType(values as readonly (Decimal | null)[]) : scalar.type;
  const bytes =
    type.kind === 'decimal'
      ? (values as readonly (Decimal | null)[]).map((value) => value && decimalOf(value, type.scale))
      : (values as readonly (Uint8Array | null)[]);
  const nullCount = values.reduce<number>((count, value) => count + (value === null ? 1 : 0), 0);
  return {
    field: fieldOf(name, type, [], scalar.isUuid === true),
    length: values.length,
    nullCount,
    validity: nullCount === 0 ? null : bitsOf(values.map((value) => value !== null)),
    buffers: buffersOf(type, bytes),
    children: [],
    dictionary: null,
  };
}

/** Lists of lists, as many as there are dimensions; of an empty array one. */
export function arrayColumn(name: string, scalar: ScalarType, array: ArrayValue<ScalarValue>): ArrayData {
  let column = scalarColumn('item', scalar, array.elements);
  const sizes = array.sizes.length === 0 ? [0] : array.sizes;
  for (const [depth, size] of [...sizes.entries()].reverse()) {
    const length = sizes.slice(0, depth).reduce((product, each) => product * each, 1);
    const offsets = Int32Array.from({ length: length + 1 }, (_, index) => index * size);
    column = {
      field: fieldOf(depth === 0 ? name : 'item', { kind: 'list', large: false }, [column.field]),
      length,
      nullCount: 0,
      validity: null,
      buffers: [new Uint8Array(offsets.buffer)],
      children: [column],
      dictionary: null,
    };
  }
  return column;
}

function buffersOf(type: ArrowType, values: readonly (Uint8Array | null)[]): Uint8Array[] {
  const layout = typeLayout(type);
  if (layout.kind === 'bits') return [bitsOf(values.map((value) => value !== null && value[0] === 1))];
  if (layout.kind === 'fixed') {
    const none = new Uint8Array(layout.bytes);
    return [Buffer.concat(values.map((value) => value ?? none))];
  }
  const offsets = new Int32Array(values.length + 1);
  for (const [index, value] of values.entries())
    offsets[index + 1] = (offsets[index] as number) + (value?.length ?? 0);
  return [new Uint8Array(offsets.buffer), Buffer.concat(values.filter((value) => value !== null))];
}

function bitsOf(bits: readonly boolean[]): Uint8Array {
  const bytes = new Uint8Array(bitmapBytes(bits.length));
  for (const [index, bit] of bits.entries())
    if (bit) bytes[index >> 3] = (bytes[index >> 3] as number) | (1 << (index & 7));
  return bytes;
}

/** The smallest type that holds all of them. Each has few enough digits; together they may need more. */
function decimalType(values: readonly (Decimal | null)[]): Extract<ArrowType, { kind: 'decimal' }> {
  let scale = 0;
  let whole = 0;
  for (const value of values) {
    if (value === null) continue;
    scale = Math.max(scale, value.scale);
    whole = Math.max(whole, digitsOf(value.unscaled) - value.scale);
  }
  if (scale + whole > digitsMax) throw tooManyDigits();
  return { kind: 'decimal', bits: 128, precision: Math.max(1, scale + whole), scale };
}

function digitsOf(value: bigint): number {
  return (value < 0n ? -value : value).toString().length;
}

function decimalOf({ unscaled, scale }: Decimal, wanted: number): Uint8Array {
  const value = unscaled * 10n ** BigInt(wanted - scale);
  const bytes = Buffer.alloc(decimalBytes);
  bytes.writeBigUInt64LE(BigInt.asUintN(64, value), 0);
  bytes.writeBigInt64LE(BigInt.asIntN(64, value >> 64n), 8);
  return bytes;
}
