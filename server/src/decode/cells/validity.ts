import { bitmapBytes } from '../../arrow/arrays/layout.ts';

/** A bit for each row of a column, set unless it is cleared: nothing is written for valid rows, and most columns have no others. */
export class Validity {
  #bits = new Uint8Array(0);
  #nullCount = 0;

  /** Once for each row. */
  clear(row: number): void {
    const byte = row >> 3;
    this.#reserve(byte + 1);
    this.#bits[byte] = (this.#bits[byte] as number) & ~(1 << (row & 7));
    this.#nullCount++;
  }

  /** The bits of the rows so far; then all are set again. */
  take(length: number): { length: number; nullCount: number; validity: Uint8Array | null } {
    const nullCount = this.#nullCount;
    if (nullCount === 0) return { length, nullCount, validity: null };
    const byteCount = bitmapBytes(length);
    this.#reserve(byteCount);
    const validity = this.#bits.slice(0, byteCount);
    if (length % 8 !== 0)
      validity[byteCount - 1] = (validity[byteCount - 1] as number) & ((1 << (length % 8)) - 1);
    this.#bits.fill(255, 0, byteCount);
    this.#nullCount = 0;
    return { length, nullCount, validity };
  }

  #reserve(byteCount: number): void {
    if (byteCount <= this.#bits.length) return;
    const larger = new Uint8Array(Math.max(byteCount, this.#bits.length * 2, 128)).fill(
      255,
      this.#bits.length,
    );
    larger.set(this.#bits);
    this.#bits = larger;
  }
}
