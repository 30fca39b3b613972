import type { ArrowType, Field } from '../field.ts';
import type { ArrayData } from './array-data.ts';
import { int32s } from './elements.ts';

/** Of 32 bits and one digit: the only ones that the Parquet library refuses. As 64 bits they have the same values; any other type stays the same. */
export function writableDecimal(type: ArrowType): ArrowType {
  return type.kind === 'decimal' && type.bits === 32 && type.precision === 1 ? { ...type, bits: 64 } : type;
}

/** Decimals of 32 bits as those of a field of 64. */
export function widenDecimals(array: ArrayData, field: Field): ArrayData {
  const values = int32s(array.buffers[0] as Uint8Array, 0, array.length);
  return { ...array, field, buffers: [new Uint8Array(BigInt64Array.from(values, BigInt).buffer)] };
}
