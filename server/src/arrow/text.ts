import { Buffer, isUtf8 } from 'node:buffer';

/** Bytes that are not UTF-8 become the lone surrogates U+DC80 to U+DCFF, which valid text cannot contain, so that they can be written back unchanged. */
const escapeBase = 0xdc00;

/** Text of a key or value that producers fill with any bytes (pickles, for example). `encodeText` gives the same bytes back. */
export function decodeText(bytes: Uint8Array): string {
  if (isUtf8(bytes)) return utf8Text(bytes);
  let text = '';
  let start = 0;
  while (start < bytes.length) {
    const length = characterBytes(bytes, start);
    text +=
      length === 0
        ? String.fromCharCode(escapeBase + (bytes[start] ?? 0))
        : utf8Text(bytes.subarray(start, start + length));
    start += Math.max(1, length);
  }
  return text;
}

export function encodeText(text: string): Uint8Array {
  if (text.isWellFormed()) return Buffer.from(text, 'utf8');
  const pieces: Uint8Array[] = [];
  for (const character of text) {
    const code = character.charCodeAt(0);
    const escaped = character.length === 1 && code >= escapeBase + 0x80 && code <= escapeBase + 0xff;
    pieces.push(escaped ? Uint8Array.of(code - escapeBase) : Buffer.from(character, 'utf8'));
  }
  return Buffer.concat(pieces);
}

/** The caller knows that the bytes are UTF-8. */
export function utf8Text(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}

/** How many bytes the valid character at `start` has; 0 where there is none. */
function characterBytes(bytes: Uint8Array, start: number): number {
  const lead = bytes[start] ?? 0;
  const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  return start + length <= bytes.length && isUtf8(bytes.subarray(start, start + length)) ? length : 0;
}
