import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import { int32s, offsets } from '../../arrow/arrays/elements.ts';
import { isValid } from '../../arrow/arrays/layout.ts';
import type { Field } from '../../arrow/field.ts';
import { typeLayout } from '../../model/types/type-table.ts';
import { TooMuchAtOnce } from './does-not-fit.ts';

/** The bytes of each value of an array of texts, binaries, or values of fixed width, whatever its layout. Nulls are empty. */
export type ByteValues = (row: number) => Uint8Array;

const none = new Uint8Array(0);
const trueByte = Uint8Array.of(1);
const falseByte = Uint8Array.of(0);
const viewBytes = 16;
const inlineBytesMax = 12;

/** Of one column in one piece: small enough beside the memory of the process, and far from what 32-bit offsets reach. */
export const pieceBytesMax = 64 * 1024 * 1024;

export function byteValues(array: ArrayData): ByteValues {
  const layout = typeLayout(array.field.type);
  const [first = none, ...data] = array.buffers;
  const valid = (read: ByteValues): ByteValues =>
    array.validity === null ? read : (row) => (isValid(array.validity, row) ? read(row) : none);
  if (layout.kind === 'bytes') {
    const ends = offsets(first, layout.large, 0, array.length);
    const bytes = data[0] ?? none;
    return valid((row) => bytes.subarray(ends[row], ends[row + 1]));
  }
  if (layout.kind === 'views') return valid(views(first, data, array.length));
  if (layout.kind === 'bits') return valid((row) => (isValid(first, row) ? trueByte : falseByte));
  const width = layout.kind === 'fixed' ? layout.bytes : 0;
  return valid((row) => first.subarray(row * width, (row + 1) * width));
}

function views(bytes: Uint8Array, data: readonly Uint8Array[], count: number): ByteValues {
  const words = int32s(bytes, 0, count * 4);
  return (row) => {
    const length = words[row * 4] as number;
    if (length <= inlineBytesMax) return bytes.subarray(row * viewBytes + 4, row * viewBytes + 4 + length);
    const start = words[row * 4 + 3] as number;
    return (data[words[row * 4 + 2] as number] as Uint8Array).subarray(start, start + length);
  };
}

/** The buffers of a field without children that has these values. If its width is fixed, each has that width or is empty. */
export function buffersOf(
  field: Field,
  count: number,
  values: ByteValues,
  bytesMax = pieceBytesMax,
): Uint8Array[] {
  const layout = typeLayout(field.type);
  switch (layout.kind) {
    case 'bytes':
      return offsetBuffers(count, values, layout.large, bytesMax);
    case 'views':
      return viewBuffers(count, values, bytesMax);
    case 'bits':
      return [bitBuffer(count, values)];
    default: {
      const width = layout.kind === 'fixed' ? layout.bytes : 0;
      const bytes = new Uint8Array(bounded(count * width, count, bytesMax));
      for (let row = 0; row < count; row++) bytes.set(values(row), row * width);
      return [bytes];
    }
  }
}

function offsetBuffers(count: number, values: ByteValues, large: boolean, bytesMax: number): Uint8Array[] {
  const ends = large ? new BigInt64Array(count + 1) : new Int32Array(count + 1);
  const bytes = new Uint8Array(totalBytes(count, values, bytesMax));
  let end = 0;
  for (let row = 0; row < count; row++) {
    const value = values(row);
    bytes.set(value, end);
    end += value.length;
    if (ends instanceof Int32Array) ends[row + 1] = end;
    else ends[row + 1] = BigInt(end);
  }
  return [new Uint8Array(ends.buffer), bytes];
}

function viewBuffers(count: number, values: ByteValues, bytesMax: number): Uint8Array[] {
  const data = new Uint8Array(totalBytes(count, values, bytesMax));
  const bytes = new Uint8Array(count * viewBytes);
  const words = new Int32Array(bytes.buffer);
  let end = 0;
  for (let row = 0; row < count; row++) {
    const value = values(row);
    words[row * 4] = value.length;
    if (value.length <= inlineBytesMax) {
      bytes.set(value, row * viewBytes + 4);
      continue;
    }
    bytes.set(value.subarray(0, 4), row * viewBytes + 4);
    words[row * 4 + 3] = end;
    data.set(value, end);
    end += value.length;
  }
  return end === 0 ? [bytes] : [bytes, data.subarray(0, end)];
}

function bitBuffer(count: number, values: ByteValues): Uint8Array {
  const bits = new Uint8Array(Math.ceil(count / 8));
  for (let row = 0; row < count; row++)
    if (values(row)[0] === 1) bits[row >> 3] = (bits[row >> 3] as number) | (1 << (row & 7));
  return bits;
}

function totalBytes(count: number, values: ByteValues, bytesMax: number): number {
  let total = 0;
  for (let row = 0; row < count; row++) total = bounded(total + values(row).length, count, bytesMax);
  return total;
}

/** One value alone may be as large as it is. */
function bounded(bytes: number, count: number, bytesMax: number): number {
  if (bytes > bytesMax && count > 1) throw new TooMuchAtOnce();
  return bytes;
}
