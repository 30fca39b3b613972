import { Buffer, isUtf8 } from 'node:buffer';
import { BadValue, notBinary, notText } from './bad-value.ts';

/** Texts, bytes and bits out of parameters, each in one pass over what was sent. */

/** Of a number, a bool or a uuid in text. The longest float8 with all its digits has 1,077. */
const valueCharactersMax = 2_000;
/** Of a bit string: as many as PostgreSQL's own have at most. */
const bitsMax = 83_886_080;

const zero = 48;
const backslash = 92;
const letterX = 120;

export function textBytes(bytes: Uint8Array): Uint8Array {
  if (!isUtf8(bytes)) throw new BadValue('22021', 'is not UTF-8', 'Send texts as UTF-8.');
  if (bytes.includes(0))
    throw new BadValue('22021', 'has a zero byte, which a text cannot have', 'Send it as bytea.');
  return bytes;
}

/** The text of a value that is never long. */
export function shortText(bytes: Uint8Array, form: string): string {
  if (bytes.length > valueCharactersMax)
    throw new BadValue(
      '22P02',
      `cannot have ${bytes.length} characters, and ${valueCharactersMax} are allowed`,
      `Write it as ${form}.`,
    );
  return Buffer.from(textBytes(bytes)).toString();
}

function notBytea(bytes: Uint8Array): BadValue {
  return notText(
    Buffer.from(bytes.subarray(0, 200)).toString('latin1'),
    '\\x and two hexadecimal digits a byte',
  );
}

/** `\xdead`, or bytes of ASCII with `\\` and `\ooo` between them. */
export function byteaOfText(bytes: Uint8Array): Uint8Array {
  return bytes[0] === backslash && bytes[1] === letterX ? hexBytes(bytes) : escapedBytes(bytes);
}

/** 255 for what is no hexadecimal digit. */
const hexValues = new Uint8Array(256).fill(255);
for (let value = 0; value < 16; value++) {
  const digit = value.toString(16);
  hexValues[digit.charCodeAt(0)] = value;
  hexValues[digit.toUpperCase().charCodeAt(0)] = value;
}

/** Between bytes there may be white space. */
function hexBytes(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array((bytes.length - 2) >> 1);
  let length = 0;
  for (let at = 2; at < bytes.length; ) {
    const byte = bytes[at] as number;
    if (byte === 32 || byte === 9 || byte === 10 || byte === 13) {
      at++;
      continue;
    }
    const high = hexValues[byte] as number;
    const low = at + 1 < bytes.length ? (hexValues[bytes[at + 1] as number] as number) : 255;
    if (high > 15 || low > 15) throw notBytea(bytes);
    out[length++] = high * 16 + low;
    at += 2;
  }
  return out.subarray(0, length);
}

function escapedBytes(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte !== backslash) {
      out[length++] = byte;
      continue;
    }
    if (bytes[at + 1] === backslash) {
      out[length++] = backslash;
      at++;
      continue;
    }
    const digits = [1, 2, 3].map((step) => (bytes[at + step] ?? 0) - zero);
    const [first = -1, second = -1, third = -1] = digits;
    if (digits.some((digit) => digit < 0 || digit > 7) || first > 3) throw notBytea(bytes);
    out[length++] = first * 64 + second * 8 + third;
    at += 3;
  }
  return out.subarray(0, length);
}

function tooManyBits(count: number): BadValue {
  return new BadValue('54000', `has ${count} bits, and ${bitsMax} are allowed`, 'Send it as bytea.');
}

export function bitsOfText(bytes: Uint8Array): Uint8Array {
  if (bytes.length > bitsMax) throw tooManyBits(bytes.length);
  for (const byte of bytes)
    if (byte !== zero && byte !== zero + 1)
      throw notText(Buffer.from(bytes.subarray(0, 200)).toString(), 'the digits 0 and 1');
  return bytes;
}

export function bitsOfBinary(bytes: Uint8Array): Uint8Array {
  if (bytes.length < 4) throw notBinary(`has ${bytes.length} bytes, and bits have at least 4`);
  const count = new DataView(bytes.buffer, bytes.byteOffset).getInt32(0);
  if (count < 0 || bytes.length !== 4 + Math.ceil(count / 8))
    throw notBinary(`has ${bytes.length} bytes, and says that it has ${count} bits`);
  if (count > bitsMax) throw tooManyBits(count);
  const out = new Uint8Array(count);
  for (let bit = 0; bit < count; bit++)
    out[bit] = zero + (((bytes[4 + (bit >> 3)] as number) >> (7 - (bit & 7))) & 1);
  return out;
}
