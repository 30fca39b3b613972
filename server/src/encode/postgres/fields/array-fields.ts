import type { ArrayData } from '../../../arrow/arrays/array-data.ts';
import { typeLayout } from '../../../model/types/type-table.ts';
import { Spans } from '../../cells/spans.ts';
import type { TextBuffer } from '../../cells/text-buffer.ts';
import { putInt32, setInt32 } from './big-endian.ts';
import { escapeWritten } from './escape-written.ts';
import { FieldWriter } from './field-writer.ts';

const comma = 44;
const openBrace = 123;
const closeBrace = 125;
const quote = 34;
const backslash = 92;
const blank = 32;
const nullText = new TextEncoder().encode('NULL');
/** A null, or a quote or comma beside an element. */
const besideElement = 8;

/** Bytes that an element is quoted for: PostgreSQL's white space, and what has a meaning in an array. */
const quotedMarks = new Uint8Array(256);
for (const byte of [9, 10, 11, 12, 13, 32, comma, openBrace, closeBrace, quote, backslash])
  quotedMarks[byte] = 1;
const escapedMarks = new Uint8Array(256);
for (const byte of [quote, backslash]) escapedMarks[byte] = 1;

/** Where the elements of a row are in the child. */
interface Places {
  start(row: number): number;
  end(row: number): number;
}

function placesOf(data: ArrayData): Places {
  const layout = typeLayout(data.field.type);
  const [first = new Uint8Array(0), second = new Uint8Array(0)] = data.buffers;
  switch (layout.kind) {
    case 'fixed-list':
      return { start: (row) => row * layout.size, end: (row) => (row + 1) * layout.size };
    case 'list-view': {
      const starts = new Spans(first, layout.large);
      const sizes = new Spans(second, layout.large);
      const start = (row: number) => (sizes.start(row) === 0 ? 0 : starts.start(row));
      return { start, end: (row) => start(row) + sizes.start(row) };
    }
    case 'list': {
      const spans = new Spans(first, layout.large);
      return { start: (row) => spans.start(row), end: (row) => spans.start(row + 1) };
    }
    default:
      throw new Error(`no elements in the layout ${layout.kind}`);
  }
}

/** One dimension, which begins at 1; none if there are no elements. */
export class ArrayBinary extends FieldWriter {
  readonly bytesMax = 0;
  readonly #places: Places;
  readonly #elements: FieldWriter;
  readonly #elementOid: number;

  constructor(data: ArrayData, elements: FieldWriter, elementOid: number) {
    super(data);
    this.#places = placesOf(data);
    this.#elements = elements;
    this.#elementOid = elementOid;
  }

  write(out: TextBuffer, row: number): void {
    const start = this.#places.start(row);
    const end = this.#places.end(row);
    const head = out.at;
    out.reserve(start === end ? 12 : 20);
    putInt32(out, start === end ? 0 : 1);
    putInt32(out, 0);
    putInt32(out, this.#elementOid);
    if (start === end) return;
    putInt32(out, end - start);
    putInt32(out, 1);
    if (this.#putElements(out, start, end)) setInt32(out.bytes, head + 4, 1);
  }

  /** Whether one of them is null. */
  #putElements(out: TextBuffer, start: number, end: number): boolean {
    const elements = this.#elements;
    let hasNull = false;
    for (let element = start; element < end; element++) {
      out.reserve(elements.bytesMax + 4);
      const lengthAt = out.at;
      if (elements.isNull(element)) {
        putInt32(out, -1);
        hasNull = true;
        continue;
      }
      out.at += 4;
      elements.write(out, element);
      setInt32(out.bytes, lengthAt, out.at - lengthAt - 4);
    }
    return hasNull;
  }
}

/** `{a,"b c",NULL}`; as the vectors of PostgreSQL's catalogs, `1 2 3`. */
export class ArrayText extends FieldWriter {
  readonly bytesMax = 0;
  readonly #places: Places;
  readonly #elements: FieldWriter;
  readonly #isVector: boolean;

  constructor(data: ArrayData, elements: FieldWriter, notation: 'array' | 'vector' = 'array') {
    super(data);
    this.#places = placesOf(data);
    this.#elements = elements;
    this.#isVector = notation === 'vector';
  }

  write(out: TextBuffer, row: number): void {
    const elements = this.#elements;
    const start = this.#places.start(row);
    const end = this.#places.end(row);
    if (!this.#isVector) out.putOne(openBrace);
    for (let element = start; element < end; element++) {
      if (element > start) out.putOne(this.#isVector ? blank : comma);
      out.reserve(elements.bytesMax + besideElement);
      if (elements.isNull(element)) out.put(nullText);
      else {
        const at = out.at;
        elements.write(out, element);
        if (isQuoted(out.bytes, at, out.at)) escapeWritten(out, at, escapedMarks, backslash, quote);
      }
    }
    if (!this.#isVector) out.putOne(closeBrace);
  }
}

function isQuoted(bytes: Uint8Array, start: number, end: number): boolean {
  if (start === end || isNullWord(bytes, start, end)) return true;
  for (let index = start; index < end; index++) if (quotedMarks[bytes[index] as number] === 1) return true;
  return false;
}

/** In any case. */
function isNullWord(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start !== nullText.length) return false;
  return nullText.every((letter, index) => ((bytes[start + index] as number) & 0xdf) === letter);
}
