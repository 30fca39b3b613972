import { Buffer } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import { FrameholdError } from '../model/errors.ts';
import { shown } from './bad-body.ts';

export type Charset = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'iso-8859-1';

const charsetNames: Readonly<Record<string, Charset>> = {
  'utf-8': 'utf-8',
  utf8: 'utf-8',
  'us-ascii': 'utf-8',
  ascii: 'utf-8',
  // Without a byte order mark: as Windows writes it.
  'utf-16': 'utf-16le',
  'utf-16le': 'utf-16le',
  'utf-16be': 'utf-16be',
  'windows-1252': 'windows-1252',
  cp1252: 'windows-1252',
  'iso-8859-1': 'iso-8859-1',
  latin1: 'iso-8859-1',
};

const marks: readonly { readonly bytes: readonly number[]; readonly charset: Charset }[] = [
  { bytes: [0xef, 0xbb, 0xbf], charset: 'utf-8' },
  { bytes: [0xff, 0xfe], charset: 'utf-16le' },
  { bytes: [0xfe, 0xff], charset: 'utf-16be' },
];

export interface TextEncoding {
  readonly charset: Charset;
  /** Bytes of the byte order mark. */
  readonly markBytes: number;
}

/** The byte order mark decides, then what was asked for, then UTF-8. */
export async function encodingOf(file: FileHandle, asked: string | undefined): Promise<TextEncoding> {
  const named = asked === undefined ? 'utf-8' : charsetOf(asked);
  const head = Buffer.alloc(3);
  const { bytesRead } = await file.read(head, 0, 3, 0);
  const mark = marks.find(
    ({ bytes }) => bytes.length <= bytesRead && bytes.every((byte, at) => head[at] === byte),
  );
  return mark === undefined
    ? { charset: named, markBytes: 0 }
    : { charset: mark.charset, markBytes: mark.bytes.length };
}

function charsetOf(name: string): Charset {
  const key = name.trim().toLowerCase();
  const charset = Object.hasOwn(charsetNames, key) ? charsetNames[key] : undefined;
  if (charset !== undefined) return charset;
  throw new FrameholdError('bad_request', `The charset ${shown(name)} cannot be read.`, {
    hint: 'Use utf-8, utf-16, windows-1252 or iso-8859-1, in charset= or in Content-Type.',
  });
}

/** What windows-1252 has where ISO 8859-1 has control characters; five bytes are not used and mean themselves. */
const windows1252 =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';
const control = /[\u0080-\u009f]/g;

/** Bytes of another charset as text. Of UTF-16 an even number of them; undefined if they are not text. */
export function decodeCharset(bytes: Buffer, charset: Exclude<Charset, 'utf-8'>): string | undefined {
  switch (charset) {
    case 'iso-8859-1':
      return bytes.toString('latin1');
    case 'windows-1252':
      return bytes
        .toString('latin1')
        .replace(control, (byte) => windows1252[byte.charCodeAt(0) - 0x80] as string);
    case 'utf-16le':
    case 'utf-16be': {
      const text = (charset === 'utf-16be' ? Buffer.from(bytes).swap16() : bytes).toString('utf16le');
      return text.isWellFormed() ? text : undefined;
    }
  }
}

/** The bytes from which on a UTF-16 text goes on in the next piece: an odd byte, or the first half of a pair. */
export function wholeUtf16(bytes: Buffer, length: number, charset: Charset): number {
  const even = length - (length % 2);
  if (even === 0) return 0;
  const high = bytes[charset === 'utf-16le' ? even - 1 : even - 2] as number;
  return high >= 0xd8 && high <= 0xdb ? even - 2 : even;
}
