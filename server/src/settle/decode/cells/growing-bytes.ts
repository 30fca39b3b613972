import { Buffer } from 'node:buffer';

/** Bytes written one behind another; `take` hands out a copy and begins anew in the same memory. */
export class GrowingBytes {
  view: DataView;
  #bytes: Buffer;
  #length = 0;

  constructor() {
    this.#bytes = Buffer.from(new ArrayBuffer(1024));
    this.view = new DataView(this.#bytes.buffer);
  }

  get length(): number {
    return this.#length;
  }

  /** Makes room for bytes that the caller writes; answers where it begins. */
  grow(byteCount: number): number {
    const start = this.#length;
    this.#reserve(byteCount);
    this.#length = start + byteCount;
    return start;
  }

  zeros(byteCount: number): void {
    const start = this.grow(byteCount);
    // A call of fill costs more than a few bytes do, and nulls come in millions.
    if (byteCount > 32) this.#bytes.fill(0, start, start + byteCount);
    else for (let index = start; index < start + byteCount; index++) this.#bytes[index] = 0;
  }

  int32(value: number): void {
    this.#reserve(4);
    this.view.setInt32(this.#length, value, true);
    this.#length += 4;
  }

  text(value: string): void {
    // A UTF-16 unit takes at most three bytes.
    this.#reserve(value.length * 3);
    this.#length += this.#bytes.write(value, this.#length, 'utf8');
  }

  bytes(source: Uint8Array, start: number, end: number): void {
    this.#reserve(end - start);
    const bytes = this.#bytes;
    let to = this.#length;
    // A call of set, and the array for it, cost more than a short text does.
    if (end - start > 48) bytes.set(source.subarray(start, end), to);
    else for (let from = start; from < end; from++) bytes[to++] = source[from] as number;
    this.#length += end - start;
  }

  take(): Uint8Array {
    const copy = new Uint8Array(this.#bytes.subarray(0, this.#length));
    this.#length = 0;
    return copy;
  }

  #reserve(byteCount: number): void {
    if (this.#length + byteCount <= this.#bytes.length) return;
    const larger = Buffer.from(new ArrayBuffer(Math.max(this.#bytes.length * 2, this.#length + byteCount)));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
    this.view = new DataView(larger.buffer);
  }
}
