import type { Buffer } from 'node:buffer';
import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import { viewOf } from './cell-writer.ts';
import { bufferOf } from './spans.ts';

const viewBytesEach = 16;
/** Shorter values are inside their view. */
const inlineBytesMax = 12;

/** Where the values of a view array are. The views of null rows need not hold. */
export class ViewSpans {
  source: Buffer;
  start = 0;
  end = 0;
  readonly #views: Buffer;
  readonly #words: DataView;
  readonly #data: readonly Buffer[];

  constructor(data: ArrayData) {
    const [views = new Uint8Array(0), ...rest] = data.buffers;
    this.#views = bufferOf(views);
    this.#words = viewOf(views);
    this.#data = rest.map(bufferOf);
    this.source = this.#views;
  }

  /** Sets `source`, `start` and `end`, so that a column costs no allocation. */
  find(row: number): void {
    const view = row * viewBytesEach;
    const length = this.#words.getInt32(view, true);
    if (length <= inlineBytesMax) {
      this.source = this.#views;
      this.start = view + 4;
    } else {
      const source = this.#data[this.#words.getInt32(view + 8, true)];
      if (source === undefined) throw new Error('a view points to a buffer that is not there');
      this.source = source;
      this.start = this.#words.getInt32(view + 12, true);
    }
    this.end = this.start + length;
  }
}
