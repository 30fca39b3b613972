/** Bytes that are written at the end, batch after batch into the same memory: fresh memory for each batch would cost more than the copying. */
export class GrowingBytes {
  bytes: Uint8Array<ArrayBuffer>;
  length = 0;
  #view: DataView<ArrayBuffer> | null = null;

  constructor(capacity = 4096) {
    this.bytes = new Uint8Array(capacity);
  }

  /** Makes room for more bytes and counts them as written; answers where they begin. What stands there is left from before. */
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
    this.bytes = grown;
    this.#view = null;
  }

  append(bytes: Uint8Array): void {
    this.bytes.set(bytes, this.extend(bytes.length));
  }

  get view(): DataView<ArrayBuffer> {
    this.#view ??= new DataView(this.bytes.buffer);
    return this.#view;
  }

  /** What has been written, valid until the next change. */
  get written(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  clear(): void {
    this.length = 0;
    // One row of some hundred MiB must not hold its memory until the end of the result.
    if (this.bytes.length > keptBytesMax) {
      this.bytes = new Uint8Array(4096);
      this.#view = null;
    }
  }
}

/** Four times what a batch has: columns take turns in being the widest. */
const keptBytesMax = 16 * 1024 * 1024;
