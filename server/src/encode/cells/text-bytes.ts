import type { Buffer } from 'node:buffer';
import type { TextBuffer } from './text-buffer.ts';

/** Text that is UTF-8 already, copied byte by byte with what JSON or CSV wants around and inside it. */

const quote = 34;
const comma = 44;
const lineFeed = 10;
const carriageReturn = 13;
const encoder = new TextEncoder();

/** What JSON writes for each byte that it does not write as it is. */
const jsonEscapes: (Uint8Array | undefined)[] = [];
for (let code = 0; code < 128; code++) {
  const text = JSON.stringify(String.fromCharCode(code)).slice(1, -1);
  if (text.length > 1) jsonEscapes[code] = encoder.encode(text);
}

/** Bytes that become this many. */
const jsonWidths = new Uint8Array(256).fill(1);
for (const [code, escaped] of jsonEscapes.entries())
  if (escaped !== undefined) jsonWidths[code] = escaped.length;

/** 1: not copied without another look. */
const jsonMarks = new Uint8Array(256).fill(1, 128);
for (const [code, width] of jsonWidths.entries()) if (width > 1) jsonMarks[code] = 1;
const csvMarks = new Uint8Array(256).fill(1, 128);
for (const code of [quote, comma, lineFeed, carriageReturn]) csvMarks[code] = 1;

/**
 * Copies from `start` to `end` or to the first byte that is not plain, and returns where it stopped. The copy is behind the place of an opening
 * quote, if it is JSON; it does not count as written. There is room for both quotes.
 */
export function copyPlain(
  out: TextBuffer,
  source: Buffer,
  start: number,
  end: number,
  isJson: boolean,
): number {
  out.reserve(end - start + 2);
  const { bytes } = out;
  const marks = isJson ? jsonMarks : csvMarks;
  let at = isJson ? out.at + 1 : out.at;
  for (let index = start; index < end; index++) {
    const code = source[index] as number;
    if (marks[code] !== 0) return index;
    bytes[at++] = code;
  }
  return end;
}

/** A whole JSON string. What is before `stop` is plain and was copied by `copyPlain`. */
export function putJsonString(
  out: TextBuffer,
  source: Buffer,
  start: number,
  stop: number,
  end: number,
): void {
  let byteCount = 1;
  for (let index = stop; index < end; index++) byteCount += jsonWidths[source[index] as number] as number;
  out.bytes[out.at] = quote;
  // What was copied counts as written from here on: a larger buffer gets it, too.
  out.at += 1 + stop - start;
  out.reserve(byteCount);
  const { bytes } = out;
  let { at } = out;
  for (let index = stop; index < end; index++) {
    const code = source[index] as number;
    if (jsonWidths[code] === 1) {
      bytes[at++] = code;
      continue;
    }
    const escaped = jsonEscapes[code] as Uint8Array;
    for (let each = 0; each < escaped.length; each++) bytes[at++] = escaped[each] as number;
  }
  bytes[at++] = quote;
  out.at = at;
}

/** A whole field of CSV. What is before `stop` is plain and was copied by `copyPlain`. */
export function putCsvField(out: TextBuffer, source: Buffer, start: number, stop: number, end: number): void {
  let quotes = 0;
  let isQuoted = start === end;
  for (let index = stop; index < end; index++) {
    const code = source[index] as number;
    if (code === quote) quotes++;
    isQuoted ||= (code < 0x80 && csvMarks[code] === 1) || (code === 0xef && isByteOrderMark(source, index));
  }
  if (!isQuoted) {
    const { bytes } = out;
    let at = out.at + stop - start;
    for (let index = stop; index < end; index++) bytes[at++] = source[index] as number;
    out.at = at;
    return;
  }
  out.reserve(end - start + quotes + 2);
  const { bytes } = out;
  let { at } = out;
  bytes[at++] = quote;
  for (let index = start; index < end; index++) {
    const code = source[index] as number;
    if (code === quote) bytes[at++] = quote;
    bytes[at++] = code;
  }
  bytes[at++] = quote;
  out.at = at;
}

/** A reader would take it off at the beginning of a file. */
function isByteOrderMark(source: Buffer, index: number): boolean {
  return source[index + 1] === 0xbb && source[index + 2] === 0xbf;
}

/** Makes a field of CSV out of what was written since `start`, in place. */
export function quoteWritten(out: TextBuffer, start: number): void {
  let quotes = 0;
  let isQuoted = false;
  for (let index = start; index < out.at; index++) {
    const code = out.bytes[index] as number;
    if (code === quote) quotes++;
    isQuoted ||=
      (code < 0x80 && csvMarks[code] === 1) || (code === 0xef && isByteOrderMark(out.bytes, index));
  }
  if (!isQuoted) return;
  out.reserve(quotes + 2);
  const { bytes } = out;
  let from = out.at - 1;
  out.at += quotes + 2;
  let at = out.at - 1;
  bytes[at--] = quote;
  for (; from >= start; from--) {
    const code = bytes[from] as number;
    bytes[at--] = code;
    if (code === quote) bytes[at--] = quote;
  }
  bytes[at] = quote;
}
