import type { TextBuffer } from '../../cells/text-buffer.ts';

/** Numbers as PostgreSQL sends them. The caller has made room; an array of bytes keeps the low eight bits of what it is given. */

const high32 = 4_294_967_296;

export function putInt16(out: TextBuffer, value: number): void {
  const { bytes, at } = out;
  bytes[at] = value >> 8;
  bytes[at + 1] = value;
  out.at = at + 2;
}

export function putInt32(out: TextBuffer, value: number): void {
  setInt32(out.bytes, out.at, value);
  out.at += 4;
}

export function setInt32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >> 24;
  bytes[at + 1] = value >> 16;
  bytes[at + 2] = value >> 8;
  bytes[at + 3] = value;
}

export function putInt64(out: TextBuffer, value: bigint): void {
  putInt32(out, Number(BigInt.asIntN(32, value >> 32n)));
  putInt32(out, Number(BigInt.asIntN(32, value)));
}

/** Seconds up to 2^43, in microseconds, and some microseconds more: 64 bits in two words, without a BigInt. */
export function putMicroseconds(out: TextBuffer, seconds: number, microseconds: number): void {
  const low = seconds - Math.floor(seconds / 4_096) * 4_096;
  // Below 2^31 times 10^6.
  const upper = Math.floor(seconds / 4_096) * 1_000_000;
  const upperHigh = Math.floor(upper / 1_048_576);
  const lower = (upper - upperHigh * 1_048_576) * 4_096 + low * 1_000_000 + microseconds;
  const carry = Math.floor(lower / high32);
  putInt32(out, upperHigh + carry);
  putInt32(out, lower - carry * high32);
}
