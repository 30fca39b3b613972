import { type Buffer, isUtf8 } from 'node:buffer';
import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import type { CellStyle } from './cell-style.ts';
import { CellWriter } from './cell-writer.ts';
import { bufferOf, Spans } from './spans.ts';
import { csvText, jsonText } from './strings.ts';
import type { TextBuffer } from './text-buffer.ts';
import { copyPlain, putCsvField, putJsonString } from './text-bytes.ts';
import { ViewSpans } from './view-spans.ts';

const quote = 34;

/** Texts, which are UTF-8; what is not, as only a null's bytes may be, would be written with marks in place of wrong bytes. */
abstract class TextWriter extends CellWriter {
  readonly bytesMax = 0;
  readonly #isJson: boolean;

  constructor(data: ArrayData, style: CellStyle) {
    super(data, style);
    this.#isJson = style.syntax === 'json';
  }

  protected abstract isText(source: Buffer, start: number, end: number): boolean;

  protected putText(out: TextBuffer, source: Buffer, start: number, end: number): void {
    const stop = copyPlain(out, source, start, end, this.#isJson);
    if (stop === end && start < end) {
      if (this.#isJson) {
        out.bytes[out.at] = quote;
        out.bytes[out.at + 1 + end - start] = quote;
        out.at += 2;
      }
      out.at += end - start;
    } else if (!this.isText(source, start, end)) {
      const text = source.toString('utf8', start, end);
      out.text(this.#isJson ? jsonText(text) : csvText(text));
    } else if (this.#isJson) putJsonString(out, source, start, stop, end);
    else putCsvField(out, source, start, stop, end);
  }
}

export class Utf8Writer extends TextWriter {
  readonly #spans: Spans;
  readonly #source: Buffer;
  /** Whether all bytes together are UTF-8: known once a character that is not ASCII was seen. */
  #isUtf8: boolean | null = null;

  constructor(large: boolean, data: ArrayData, style: CellStyle) {
    super(data, style);
    this.#spans = new Spans(data.buffers[0] as Uint8Array, large);
    this.#source = bufferOf(data.buffers[1] as Uint8Array);
  }

  write(out: TextBuffer, row: number): void {
    this.putText(out, this.#source, this.#spans.start(row), this.#spans.start(row + 1));
  }

  /** One check for all rows, and whether this one begins and ends between characters. */
  protected isText(source: Buffer, start: number, end: number): boolean {
    this.#isUtf8 ??= isUtf8(source);
    if (!this.#isUtf8) return isUtf8(source.subarray(start, end));
    return start === end || (!isInsideCharacter(source, start) && !isInsideCharacter(source, end));
  }
}

function isInsideCharacter(source: Buffer, index: number): boolean {
  return ((source[index] ?? 0) & 0xc0) === 0x80;
}

export class Utf8ViewWriter extends TextWriter {
  readonly #spans: ViewSpans;

  constructor(data: ArrayData, style: CellStyle) {
    super(data, style);
    this.#spans = new ViewSpans(data);
  }

  write(out: TextBuffer, row: number): void {
    const spans = this.#spans;
    spans.find(row);
    this.putText(out, spans.source, spans.start, spans.end);
  }

  protected isText(source: Buffer, start: number, end: number): boolean {
    return isUtf8(source.subarray(start, end));
  }
}
