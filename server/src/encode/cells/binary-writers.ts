import type { Buffer } from 'node:buffer';
import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import type { CellStyle } from './cell-style.ts';
import { CellWriter } from './cell-writer.ts';
import { bufferOf, Spans } from './spans.ts';
import type { TextBuffer } from './text-buffer.ts';
import { ViewSpans } from './view-spans.ts';

const quote = 34;
const hyphen = 45;
const hexDigits = new TextEncoder().encode('0123456789abcdef');

/** Base64. In CSV nothing at all is null, so no bytes are written as `""`. */
abstract class Base64Writer extends CellWriter {
  readonly bytesMax = 0;
  readonly #isJson: boolean;

  constructor(data: ArrayData, style: CellStyle) {
    super(data, style);
    this.#isJson = style.syntax === 'json';
  }

  protected putBytes(out: TextBuffer, source: Buffer, start: number, end: number): void {
    const text = source.toString('base64', start, end);
    out.text(this.#isJson || text === '' ? `"${text}"` : text);
  }
}

export class BinaryWriter extends Base64Writer {
  readonly #spans: Spans;
  readonly #source: Buffer;

  constructor(large: boolean, data: ArrayData, style: CellStyle) {
    super(data, style);
    this.#spans = new Spans(data.buffers[0] as Uint8Array, large);
    this.#source = bufferOf(data.buffers[1] as Uint8Array);
  }

  write(out: TextBuffer, row: number): void {
    this.putBytes(out, this.#source, this.#spans.start(row), this.#spans.start(row + 1));
  }
}

export class BinaryViewWriter extends Base64Writer {
  readonly #spans: ViewSpans;

  constructor(data: ArrayData, style: CellStyle) {
    super(data, style);
    this.#spans = new ViewSpans(data);
  }

  write(out: TextBuffer, row: number): void {
    const spans = this.#spans;
    spans.find(row);
    this.putBytes(out, spans.source, spans.start, spans.end);
  }
}

export class FixedBinaryWriter extends Base64Writer {
  readonly #width: number;
  readonly #source: Buffer;

  constructor(width: number, data: ArrayData, style: CellStyle) {
    super(data, style);
    this.#width = width;
    this.#source = bufferOf(data.buffers[0] as Uint8Array);
  }

  write(out: TextBuffer, row: number): void {
    this.putBytes(out, this.#source, row * this.#width, (row + 1) * this.#width);
  }
}

const uuidBytes = 16;

export class UuidWriter extends CellWriter {
  readonly bytesMax = 38;
  readonly #source: Buffer;
  readonly #isJson: boolean;

  constructor(data: ArrayData, style: CellStyle) {
    super(data, style);
    this.#source = bufferOf(data.buffers[0] as Uint8Array);
    this.#isJson = style.syntax === 'json';
  }

  write(out: TextBuffer, row: number): void {
    const { bytes } = out;
    let { at } = out;
    if (this.#isJson) bytes[at++] = quote;
    for (let index = 0; index < uuidBytes; index++) {
      if (index === 4 || index === 6 || index === 8 || index === 10) bytes[at++] = hyphen;
      const byte = this.#source[row * uuidBytes + index] as number;
      bytes[at++] = hexDigits[byte >> 4] as number;
      bytes[at++] = hexDigits[byte & 15] as number;
    }
    if (this.#isJson) bytes[at++] = quote;
    out.at = at;
  }
}
