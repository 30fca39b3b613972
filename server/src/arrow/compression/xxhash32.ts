const prime1 = 0x9e3779b1;
const prime2 = 0x85ebca77;
const prime3 = 0xc2b2ae3d;
const prime4 = 0x27d4eb2f;
const prime5 = 0x165667b1;

/** The 32-bit xxHash with seed 0, as LZ4 frames use it. */
export function xxhash32(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = bytes.length;
  let position = 0;
  let hash = prime5;
  if (length >= 16) {
    let a = (prime1 + prime2) | 0;
    let b = prime2 | 0;
    let c = 0;
    let d = -prime1 | 0;
    for (; position + 16 <= length; position += 16) {
      a = round(a, view.getUint32(position, true));
      b = round(b, view.getUint32(position + 4, true));
      c = round(c, view.getUint32(position + 8, true));
      d = round(d, view.getUint32(position + 12, true));
    }
    hash = (rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18)) | 0;
  }
  hash = (hash + length) | 0;
  for (; position + 4 <= length; position += 4)
    hash = Math.imul(rotate((hash + Math.imul(view.getUint32(position, true), prime3)) | 0, 17), prime4);
  for (; position < length; position++)
    hash = Math.imul(rotate((hash + Math.imul(bytes[position] as number, prime5)) | 0, 11), prime1);
  hash = Math.imul(hash ^ (hash >>> 15), prime2);
  hash = Math.imul(hash ^ (hash >>> 13), prime3);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function round(lane: number, input: number): number {
  return Math.imul(rotate((lane + Math.imul(input, prime2)) | 0, 13), prime1);
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}
