import type { ArrayData } from '../arrays/array-data.ts';
import { positions } from '../arrays/elements.ts';

/** Single values out of checked arrays. A value at a time: parameters are few. */

export function integer(
  array: ArrayData,
  buffer: number,
  bits: number,
  signed: boolean,
  row: number,
): bigint {
  const bytes = array.buffers[buffer] as Uint8Array;
  const width = bits / 8;
  let value = 0n;
  for (let place = width - 1; place >= 0; place--)
    value = (value << 8n) | BigInt(bytes[row * width + place] as number);
  return signed ? BigInt.asIntN(bits, value) : value;
}

export function float(bytes: Uint8Array, bits: 16 | 32 | 64, row: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (bits === 64) return view.getFloat64(row * 8, true);
  if (bits === 32) return view.getFloat32(row * 4, true);
  const half = view.getUint16(row * 2, true);
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 31;
  const fraction = half & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

export function textBytes(array: ArrayData, row: number): Uint8Array {
  const { type } = array.field;
  const [head, data] = array.buffers as readonly [Uint8Array, Uint8Array];
  if (type.kind === 'utf8' || type.kind === 'binary') {
    const [start, end] = positions(head, type.large, row, row + 2) as unknown as [number, number];
    return data.subarray(start, end);
  }
  const view = new DataView(head.buffer, head.byteOffset + row * 16, 16);
  const length = view.getInt32(0, true);
  if (length <= 12) return head.subarray(row * 16 + 4, row * 16 + 4 + length);
  const start = view.getInt32(12, true);
  return (array.buffers[1 + view.getInt32(8, true)] as Uint8Array).subarray(start, start + length);
}
