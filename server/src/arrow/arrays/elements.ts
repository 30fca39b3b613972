import type { IntType } from '../field.ts';

/**
 * Elements [from, to) of Arrow buffers, which are little-endian and may begin anywhere: a view if the buffer is aligned, else a copy.
 * Node runs on little-endian machines only, so typed arrays read the bytes as they are.
 */

export function int8s(bytes: Uint8Array, from: number, to: number): Int8Array {
  return new Int8Array(bytes.buffer, bytes.byteOffset + from, to - from);
}

export function int16s(bytes: Uint8Array, from: number, to: number): Int16Array {
  const range = aligned(bytes, from, to, 2);
  return new Int16Array(range.buffer, range.byteOffset, to - from);
}

export function uint16s(bytes: Uint8Array, from: number, to: number): Uint16Array {
  const range = aligned(bytes, from, to, 2);
  return new Uint16Array(range.buffer, range.byteOffset, to - from);
}

export function int32s(bytes: Uint8Array, from: number, to: number): Int32Array {
  const range = aligned(bytes, from, to, 4);
  return new Int32Array(range.buffer, range.byteOffset, to - from);
}

export function uint32s(bytes: Uint8Array, from: number, to: number): Uint32Array {
  const range = aligned(bytes, from, to, 4);
  return new Uint32Array(range.buffer, range.byteOffset, to - from);
}

export function float32s(bytes: Uint8Array, from: number, to: number): Float32Array {
  const range = aligned(bytes, from, to, 4);
  return new Float32Array(range.buffer, range.byteOffset, to - from);
}

export function float64s(bytes: Uint8Array, from: number, to: number): Float64Array {
  const range = aligned(bytes, from, to, 8);
  return new Float64Array(range.buffer, range.byteOffset, to - from);
}

export function bigInt64s(bytes: Uint8Array, from: number, to: number): BigInt64Array {
  const range = aligned(bytes, from, to, 8);
  return new BigInt64Array(range.buffer, range.byteOffset, to - from);
}

export function bigUint64s(bytes: Uint8Array, from: number, to: number): BigUint64Array {
  const range = aligned(bytes, from, to, 8);
  return new BigUint64Array(range.buffer, range.byteOffset, to - from);
}

/** Offsets, sizes or indices of 32 or 64 bits as plain numbers; the check of an upload has shown that they are small enough. */
export function positions(
  bytes: Uint8Array,
  large: boolean,
  from: number,
  to: number,
): Int32Array | Float64Array {
  if (!large) return int32s(bytes, from, to);
  const words = uint32s(bytes, from * 2, to * 2);
  const values = new Float64Array(to - from);
  for (let index = 0; index < values.length; index++)
    values[index] = (words[index * 2] as number) + (words[index * 2 + 1] as number) * 4_294_967_296;
  return values;
}

/** The `count` + 1 offsets of `count` elements. An array without rows may come without its one offset. */
export function offsets(
  bytes: Uint8Array,
  large: boolean,
  from: number,
  to: number,
): Int32Array | Float64Array {
  return from === to ? new Int32Array(1) : positions(bytes, large, from, to + 1);
}

function aligned(bytes: Uint8Array, from: number, to: number, size: number): Uint8Array {
  const range = bytes.subarray(from * size, to * size);
  // Not slice(), which does not copy if the bytes are a Buffer.
  return range.byteOffset % size === 0 ? range : new Uint8Array(range);
}

/** Integers of up to 32 bits. */
export function smallInts(
  type: IntType,
  bytes: Uint8Array,
  from: number,
  to: number,
): Int8Array | Uint8Array | Int16Array | Uint16Array | Int32Array | Uint32Array {
  if (type.bits === 8) return type.signed ? int8s(bytes, from, to) : bytes.subarray(from, to);
  if (type.bits === 16) return type.signed ? int16s(bytes, from, to) : uint16s(bytes, from, to);
  return type.signed ? int32s(bytes, from, to) : uint32s(bytes, from, to);
}
