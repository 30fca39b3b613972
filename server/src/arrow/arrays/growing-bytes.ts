import { Buffer } from 'node:buffer';

/** Four times what a batch has: columns take turns in being the widest. */
const keptBytesMax = 16 * 1024 * 1024;
const defaultCapacity = 4096;

/** Bytes that are appended, batch after batch into the same memory: fresh memory for each batch would cost more than the copying. */
export class GrowingBytes {
  bytes: Uint8Array<ArrayBuffer>;
  length = 0;
  #view: DataView<ArrayBuffer> | null = null;
  #buffer: Buffer<ArrayBuffer> | null = null;

  constructor(capacity = defaultCapacity) {
    this.bytes = new Uint8Array(capacity);
  }

  /** Makes room for more bytes and counts them as written; returns where they begin. They may hold old values. */
  extend(count: number): number {
    const start = this.length;
    this.reserve(count);
    this.length = start + count;
    return start;
  }

  reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.bytes.length * 2));
    grown.set(this.bytes.subarray(0, this.length));
    this.#replace(grown);
  }

  append(source: Uint8Array, start: number, end: number): void {
    let to = this.extend(end - start);
    const { bytes } = this;
    // For a short text, a call of set and the array for it cost more than this loop.
    if (end - start > 48) bytes.set(source.subarray(start, end), to);
    else for (let from = start; from < end; from++) bytes[to++] = source[from] as number;
  }

  appendZeros(count: number): void {
    const start = this.extend(count);
    const { bytes } = this;
    // A call of fill costs more than a few bytes do, and nulls come in millions.
    if (count > 32) bytes.fill(0, start, start + count);
    else for (let index = start; index < start + count; index++) bytes[index] = 0;
  }

  appendInt32(value: number): void {
    const start = this.extend(4);
    this.view.setInt32(start, value, true);
  }

  appendText(value: string): void {
    // A UTF-16 unit takes at most three bytes.
    this.reserve(value.length * 3);
    this.#buffer ??= Buffer.from(this.bytes.buffer);
    this.length += this.#buffer.write(value, this.length, 'utf8');
  }

  get view(): DataView<ArrayBuffer> {
    this.#view ??= new DataView(this.bytes.buffer);
    return this.#view;
  }

  /** What has been written, valid until the next change. */
  get written(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  /** A copy of what has been written; then nothing has been. */
  take(): Uint8Array {
    const copy = this.bytes.slice(0, this.length);
    this.clear();
    return copy;
  }

  /** What has been written, valid until the next change; then nothing has been. */
  taken(): Uint8Array {
    const { written } = this;
    this.clear();
    return written;
  }

  clear(): void {
    this.length = 0;
    // One row of some hundred MiB must not hold its memory until the end of the result.
    if (this.bytes.length > keptBytesMax) this.#replace(new Uint8Array(defaultCapacity));
  }

  #replace(bytes: Uint8Array<ArrayBuffer>): void {
    this.bytes = bytes;
    this.#view = null;
    this.#buffer = null;
  }
}
