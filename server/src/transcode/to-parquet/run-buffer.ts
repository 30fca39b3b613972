import { frameHeader } from '../../arrow/ipc/framing.ts';

/** An IPC stream that is put together in memory which is used again and again: garbage of this size is collected late. */
export class RunBuffer {
  #memory: Uint8Array;
  #length = 0;

  constructor(capacityBytes: number) {
    this.#memory = new Uint8Array(capacityBytes);
  }

  get length(): number {
    return this.#length;
  }

  clear(): void {
    this.#length = 0;
  }

  fits(byteCount: number): boolean {
    return this.#length + byteCount <= this.#memory.length;
  }

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length).set(bytes);
  }

  /** Adds a message; the caller fills the place for its body. */
  message(header: Uint8Array, bodyBytes: number): Uint8Array {
    this.bytes(frameHeader(header));
    return this.#reserve(bodyBytes);
  }

  content(): Uint8Array {
    return this.#memory.subarray(0, this.#length);
  }

  #reserve(byteCount: number): Uint8Array {
    const start = this.#length;
    if (!this.fits(byteCount)) {
      const larger = new Uint8Array((start + byteCount) * 1.25);
      larger.set(this.content());
      this.#memory = larger;
    }
    this.#length = start + byteCount;
    return this.#memory.subarray(start, this.#length);
  }
}
