import { Buffer, isUtf8 } from 'node:buffer';

/** Bytes that are not UTF-8 become the lone surrogates U+DC80 to U+DCFF, which valid text cannot contain, so that they can be written back unchanged. */
const escapeBase = 0xdc00;

/** Text of a key or value that producers fill with any bytes (pickles, for example). `encodeText` gives the same bytes back. */
export function decodeText(bytes: Uint8Array): string {
  if (isUtf8(bytes)) return utf8Text(bytes);
  // Units of UTF-16 in one piece of memory: text put together from millions of pieces would fill the heap.
  const units = new Uint16Array(bytes.length);
  let count = 0;
  for (let start = 0; start < bytes.length; ) {
    const length = characterBytes(bytes, start);
    if (length === 0) units[count++] = escapeBase + (bytes[start] as number);
    else {
      const character = utf8Text(bytes.subarray(start, start + length));
      for (let index = 0; index < character.length; index++) units[count++] = character.charCodeAt(index);
    }
    start += Math.max(1, length);
  }
  return Buffer.from(units.buffer, 0, count * 2).toString('utf16le');
}

export function encodeText(text: string): Uint8Array {
  if (text.isWellFormed()) return Buffer.from(text, 'utf8');
  // At most three bytes a unit.
  const bytes = Buffer.alloc(text.length * 3);
  let length = 0;
  for (const character of text) {
    const code = character.charCodeAt(0);
    const escaped = character.length === 1 && code >= escapeBase + 0x80 && code <= escapeBase + 0xff;
    if (escaped) bytes[length++] = code - escapeBase;
    else length += bytes.write(character, length, 'utf8');
  }
  return bytes.subarray(0, length);
}

/** The caller knows that the bytes are UTF-8. */
export function utf8Text(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}

/** How many bytes the valid character at `start` has; 0 if there is none. */
function characterBytes(bytes: Uint8Array, start: number): number {
  const lead = bytes[start] ?? 0;
  const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  return start + length <= bytes.length && isUtf8(bytes.subarray(start, start + length)) ? length : 0;
}
