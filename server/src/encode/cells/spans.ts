import { Buffer } from 'node:buffer';
import { viewOf } from './cell-writer.ts';

const high32 = 4_294_967_296;

/** Where the elements of lists and texts begin, from their offsets. */
export class Spans {
  readonly #offsets: DataView;
  readonly #large: boolean;

  constructor(offsets: Uint8Array, large: boolean) {
    this.#offsets = viewOf(offsets);
    this.#large = large;
  }

  /** Of a row, or of the row behind the last one, which is where that ends. */
  start(row: number): number {
    if (!this.#large) return this.#offsets.getInt32(row * 4, true);
    return this.#offsets.getUint32(row * 8, true) + this.#offsets.getUint32(row * 8 + 4, true) * high32;
  }
}

export function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
