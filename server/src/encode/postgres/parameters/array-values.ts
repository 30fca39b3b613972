import { Buffer } from 'node:buffer';
import { BadValue, notBinary, notText } from './bad-value.ts';

/** A rectangular array: its sizes, and the elements of all its lists one behind the other. */
export interface ArrayValue<Value> {
  /** None of an empty array. */
  readonly sizes: readonly number[];
  readonly elements: readonly (Value | null)[];
}

/** MAXDIM of PostgreSQL. */
const depthMax = 6;
/** Of an array: each takes some 300 bytes and half a microsecond on the thread that serves everybody. */
const elementsMax = 100_000;
const form = '{1,2,NULL}, with quotes around texts that need them';
const quote = 34;
const comma = 44;
const backslash = 92;
const openBrace = 123;
const closeBrace = 125;
const letterN = 78;

function tooManyElements(): BadValue {
  return new BadValue(
    '54000',
    `has more than ${elementsMax} elements`,
    'Send fewer at once, or upload them as a frame and join it.',
  );
}

function notArray(bytes: Uint8Array): BadValue {
  return notText(Buffer.from(bytes.subarray(0, 200)).toString(), form);
}

/** The text of an array, in one pass. */
export function textArray<Value>(
  bytes: Uint8Array,
  parse: (element: Uint8Array) => Value,
): ArrayValue<Value> {
  const elements: (Value | null)[] = [];
  /** Of each depth: how many there are in a list, once one has ended. */
  const sizes: number[] = [];
  /** How many the open lists have. */
  const counts: number[] = [];
  let at = skipSpace(bytes, 0);
  /** At which depth elements are; 0 if none was seen. */
  let elementDepth = 0;
  let needsItem = true;
  if (bytes[at] !== openBrace) throw notArray(bytes);
  for (;;) {
    at = skipSpace(bytes, at);
    const byte = bytes[at];
    if (byte === undefined) throw notArray(bytes);
    if (byte === openBrace) {
      if (!needsItem || (elementDepth !== 0 && counts.length >= elementDepth)) throw notArray(bytes);
      if (counts.length > 0) counts[counts.length - 1] = (counts.at(-1) as number) + 1;
      counts.push(0);
      if (counts.length > depthMax)
        throw new BadValue('54000', `has more than ${depthMax} dimensions`, 'Send a flatter array.');
      at++;
    } else if (byte === closeBrace) {
      const count = counts.pop() as number;
      if (needsItem && count > 0) throw notArray(bytes);
      const depth = counts.length;
      if (sizes[depth] !== undefined && sizes[depth] !== count) throw notRectangular();
      sizes[depth] = count;
      at++;
      needsItem = false;
      if (depth === 0) break;
    } else if (byte === comma) {
      if (needsItem) throw notArray(bytes);
      needsItem = true;
      at++;
    } else {
      if (!needsItem) throw notArray(bytes);
      if (elementDepth === 0) elementDepth = counts.length;
      if (elementDepth !== counts.length) throw notRectangular();
      counts[counts.length - 1] = (counts.at(-1) as number) + 1;
      const element = readElement(bytes, at);
      if (element === null) throw notArray(bytes);
      if (elements.length === elementsMax) throw tooManyElements();
      elements.push(element.value === null ? null : parse(element.value));
      at = element.end;
      needsItem = false;
    }
  }
  if (skipSpace(bytes, at) !== bytes.length) throw notArray(bytes);
  if (elements.length === 0) return { sizes: [], elements };
  // A list without elements beside others would be of another depth.
  if (sizes.length !== elementDepth) throw notRectangular();
  return { sizes, elements };
}

function notRectangular(): BadValue {
  return new BadValue(
    '22P02',
    'has inner arrays of different sizes, which PostgreSQL does not have',
    'Send it as JSON text, and cast it in the statement.',
  );
}

function isSpace(byte: number | undefined): boolean {
  return byte === 32 || (byte !== undefined && byte >= 9 && byte <= 13);
}

function skipSpace(bytes: Uint8Array, start: number): number {
  let at = start;
  while (isSpace(bytes[at])) at++;
  return at;
}

/** An element from its first byte on; null if the text ends inside it. What has no escapes is a part of the text itself. */
function readElement(
  bytes: Uint8Array,
  start: number,
): { readonly value: Uint8Array | null; readonly end: number } | null {
  const isQuoted = bytes[start] === quote;
  const from = isQuoted ? start + 1 : start;
  let escapes = 0;
  let at = from;
  /** Bytes up to here are not white space behind an element. */
  let kept = from;
  for (;;) {
    const byte = bytes[at];
    if (byte === undefined) return null;
    if (isQuoted ? byte === quote : byte === comma || byte === closeBrace) break;
    if (!isQuoted && (byte === openBrace || byte === quote)) return null;
    if (byte === backslash) {
      escapes++;
      at++;
      if (bytes[at] === undefined) return null;
      kept = at + 1;
    } else if (!isSpace(byte)) kept = at + 1;
    at++;
  }
  const written = bytes.subarray(from, isQuoted ? at : kept);
  const value = escapes === 0 ? written : unescaped(written, escapes);
  if (isQuoted) return { value, end: at + 1 };
  return { value: escapes === 0 && isNullWord(value) ? null : value, end: at };
}

function unescaped(written: Uint8Array, escapes: number): Uint8Array {
  const value = new Uint8Array(written.length - escapes);
  for (let at = 0, to = 0; at < written.length; at++) {
    if (written[at] === backslash) at++;
    value[to++] = written[at] as number;
  }
  return value;
}

function isNullWord(text: Uint8Array): boolean {
  if (text.length !== 4 || ((text[0] as number) & 0xdf) !== letterN) return false;
  return Buffer.from(text).toString('latin1').toUpperCase() === 'NULL';
}

/** The binary form of an array whose elements may be of any of these types. */
export function binaryArray<Value>(
  bytes: Uint8Array,
  elementOids: readonly number[],
  parse: (element: Uint8Array) => Value,
): ArrayValue<Value> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const short = () => notBinary(`ends inside an array, after ${bytes.length} bytes`);
  if (bytes.length < 12) throw short();
  const depth = view.getInt32(0);
  if (depth < 0 || depth > depthMax)
    throw notBinary(`has ${depth} dimensions, and an array has at most ${depthMax}`);
  const oid = view.getUint32(8);
  if (!elementOids.includes(oid)) throw notBinary(`has elements of another type (OID ${oid})`);
  if (bytes.length < 12 + depth * 8) throw short();
  const sizes: number[] = [];
  let count = depth === 0 ? 0 : 1;
  for (let dimension = 0; dimension < depth; dimension++) {
    const size = view.getInt32(12 + dimension * 8);
    if (size < 0) throw notBinary(`has a dimension of ${size} elements`);
    sizes.push(size);
    // Each takes four bytes at least: more of them are not there.
    count *= size;
    if (count * 4 > bytes.length) throw short();
  }
  if (count > elementsMax) throw tooManyElements();
  const elements: (Value | null)[] = [];
  let at = 12 + depth * 8;
  for (let element = 0; element < count; element++) {
    if (at + 4 > bytes.length) throw short();
    const length = view.getInt32(at);
    at += 4;
    if (length === -1) {
      elements.push(null);
      continue;
    }
    if (length < 0 || at + length > bytes.length) throw short();
    elements.push(parse(bytes.subarray(at, at + length)));
    at += length;
  }
  if (at !== bytes.length) throw notBinary(`has ${bytes.length - at} bytes behind its last element`);
  return { sizes: count === 0 ? [] : sizes, elements };
}
