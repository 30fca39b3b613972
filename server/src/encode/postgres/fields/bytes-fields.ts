import type { Buffer } from 'node:buffer';
import type { ArrayData } from '../../../arrow/arrays/array-data.ts';
import { isValid } from '../../../arrow/arrays/layout.ts';
import { isText, typeLayout } from '../../../model/types/type-table.ts';
import { bufferOf, Spans } from '../../cells/spans.ts';
import type { TextBuffer } from '../../cells/text-buffer.ts';
import { ViewSpans } from '../../cells/view-spans.ts';
import { FieldWriter } from './field-writer.ts';
import { lengthBytes, loopBytesMax, outView, type PlacedColumn } from './placed-columns.ts';
import { hasZeroByte } from './refusals.ts';

const backslash = 92;
const letterX = 120;
const hexDigits = new TextEncoder().encode('0123456789abcdef');
/** Where the bytes of a value are. `find` sets the members, so that a column costs no allocation. */
interface Source {
  readonly source: Buffer;
  readonly start: number;
  readonly end: number;
  find(row: number): void;
}

class PlainSource implements Source {
  readonly source: Buffer;
  start = 0;
  end = 0;
  readonly #spans: Spans;

  constructor(large: boolean, data: ArrayData) {
    this.#spans = new Spans(data.buffers[0] as Uint8Array, large);
    this.source = bufferOf(data.buffers[1] as Uint8Array);
  }

  find(row: number): void {
    this.start = this.#spans.start(row);
    this.end = this.#spans.start(row + 1);
  }
}

class FixedSource implements Source {
  readonly source: Buffer;
  start = 0;
  end = 0;
  readonly #width: number;

  constructor(width: number, data: ArrayData) {
    this.source = bufferOf(data.buffers[0] as Uint8Array);
    this.#width = width;
  }

  find(row: number): void {
    this.start = row * this.#width;
    this.end = this.start + this.#width;
  }
}

function sourceOf(data: ArrayData): Source {
  const layout = typeLayout(data.field.type);
  if (layout.kind === 'bytes') return new PlainSource(layout.large, data);
  return layout.kind === 'fixed' ? new FixedSource(layout.bytes, data) : new ViewSpans(data);
}

/** Bytes as they are: text in both formats, bytea in binary. */
export class RawField extends FieldWriter implements PlacedColumn {
  readonly bytesMax = 0;
  readonly #data: ArrayData;
  readonly #source: Source;
  readonly #isText: boolean;

  constructor(data: ArrayData) {
    super(data);
    this.#data = data;
    this.#source = sourceOf(data);
    this.#isText = isText(data.field.type);
  }

  write(out: TextBuffer, row: number): void {
    const place = this.#source;
    place.find(row);
    const length = place.end - place.start;
    out.reserve(length);
    this.#copy(out.bytes, out.at);
    out.at += length;
  }

  measure(sizes: Int32Array, from: number, count: number): void {
    const place = this.#source;
    for (let index = 0; index < count; index++) {
      let size = (sizes[index] as number) + lengthBytes;
      if (isValid(this.validity, from + index)) {
        place.find(from + index);
        size += place.end - place.start;
      }
      sizes[index] = size;
    }
  }

  place(out: TextBuffer, places: Int32Array, from: number, count: number): void {
    const place = this.#source;
    const { bytes } = out;
    const target = outView(out);
    for (let index = 0; index < count; index++) {
      const at = places[index] as number;
      if (isValid(this.validity, from + index)) {
        place.find(from + index);
        const length = place.end - place.start;
        target.setInt32(at, length);
        this.#copy(bytes, at + lengthBytes);
        places[index] = at + lengthBytes + length;
      } else {
        target.setInt32(at, -1);
        places[index] = at + lengthBytes;
      }
    }
  }

  /** What was found last. */
  #copy(bytes: Uint8Array, at: number): void {
    const { source, start, end } = this.#source;
    if (end - start > loopBytesMax) {
      const value = source.subarray(start, end);
      if (this.#isText && value.includes(0)) throw hasZeroByte(this.#data.field);
      bytes.set(value, at);
      return;
    }
    let to = at;
    let hasZero = false;
    for (let index = start; index < end; index++) {
      const byte = source[index] as number;
      if (byte === 0) hasZero = true;
      bytes[to++] = byte;
    }
    if (hasZero && this.#isText) throw hasZeroByte(this.#data.field);
  }
}

/** `\xdead`. */
export class ByteaText extends FieldWriter {
  readonly bytesMax = 0;
  readonly #source: Source;

  constructor(data: ArrayData) {
    super(data);
    this.#source = sourceOf(data);
  }

  write(out: TextBuffer, row: number): void {
    const place = this.#source;
    place.find(row);
    const { source, start, end } = place;
    out.reserve(2 + (end - start) * 2);
    const { bytes } = out;
    let { at } = out;
    bytes[at++] = backslash;
    bytes[at++] = letterX;
    for (let index = start; index < end; index++) {
      const byte = source[index] as number;
      bytes[at++] = hexDigits[byte >> 4] as number;
      bytes[at++] = hexDigits[byte & 15] as number;
    }
    out.at = at;
  }
}
