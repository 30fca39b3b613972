import {
  bigInt64s,
  bigUint64s,
  float32s,
  float64s,
  int8s,
  int16s,
  int32s,
  uint16s,
  uint32s,
} from '../../arrow/arrays/elements.ts';
import type { ArrowType, IntType } from '../../arrow/field.ts';
import type { NumberType, NumberValue } from './number-fit.ts';

/** Half floats are not among them: nothing but themselves converts to or from them. */
export function isNumber(type: ArrowType): type is NumberType {
  return type.kind === 'int' || type.kind === 'decimal' || (type.kind === 'float' && type.bits !== 16);
}

export function numberReader(
  bytes: Uint8Array,
  type: NumberType,
  count: number,
): (row: number) => NumberValue {
  if (type.kind === 'decimal') return decimalReader(bytes, type.bits / 8);
  const values =
    type.kind === 'int'
      ? integers(bytes, type, count)
      : (type.bits === 32 ? float32s : float64s)(bytes, 0, count);
  return (row) => values[row] as NumberValue;
}

function integers(bytes: Uint8Array, { bits, signed }: IntType, count: number): ArrayLike<NumberValue> {
  if (bits === 8) return signed ? int8s(bytes, 0, count) : bytes;
  if (bits === 16) return (signed ? int16s : uint16s)(bytes, 0, count);
  if (bits === 32) return (signed ? int32s : uint32s)(bytes, 0, count);
  return (signed ? bigInt64s : bigUint64s)(bytes, 0, count);
}

function decimalReader(bytes: Uint8Array, width: number): (row: number) => bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (width === 4) return (row) => BigInt(view.getInt32(row * 4, true));
  return (row) => {
    let value = view.getBigInt64((row + 1) * width - 8, true);
    for (let at = (row + 1) * width - 16; at >= row * width; at -= 8)
      value = (value << 64n) | view.getBigUint64(at, true);
    return value;
  };
}

/** The bytes are zero before. */
export function numberWriter(bytes: Uint8Array, type: NumberType): (row: number, value: NumberValue) => void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (type.kind === 'float')
    return type.bits === 32
      ? (row, value) => view.setFloat32(row * 4, Number(value), true)
      : (row, value) => view.setFloat64(row * 8, Number(value), true);
  if (type.bits === 8) return (row, value) => view.setInt8(row, Number(value));
  if (type.bits === 16) return (row, value) => view.setInt16(row * 2, Number(value), true);
  if (type.bits === 32) return (row, value) => view.setInt32(row * 4, Number(value), true);
  const width = type.bits / 8;
  return (row, value) => {
    let rest = BigInt(value);
    for (let at = row * width; at < (row + 1) * width; at += 8, rest >>= 64n)
      view.setBigUint64(at, BigInt.asUintN(64, rest), true);
  };
}
