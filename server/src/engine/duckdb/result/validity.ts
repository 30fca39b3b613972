import { copyBits, countBits } from '../../../arrow/arrays/bitmap.ts';
import { GrowingBytes } from '../../../arrow/arrays/growing-bytes.ts';
import { bitmapBytes } from '../../../arrow/arrays/layout.ts';
import type { Selection } from './selection.ts';

/** The validity of a column that grows. Bits are written only from the first null on. */
export class ValidityBuilder {
  readonly #bits = new GrowingBytes(1024);
  #length = 0;
  #nullCount = 0;
  #written = false;

  get nullCount(): number {
    return this.#nullCount;
  }

  /** The validity of the selected elements; null if the vector has none, as all are valid. */
  append(source: Uint8Array | null, selection: Selection): void {
    const { count } = selection;
    if (source === null && !this.#written) {
      this.#length += count;
      return;
    }
    if (!this.#written) {
      this.#written = true;
      this.#bits.clear();
      this.#zeroed(this.#length);
      copyBits(this.#bits.bytes, 0, null, 0, this.#length);
    }
    const start = this.#length;
    this.#length += count;
    this.#zeroed(this.#length);
    const target = this.#bits.bytes;
    if (source === null || selection.index === null)
      copyBits(target, start, source, source === null ? 0 : selection.from, count);
    else
      for (let element = 0; element < count; element++) {
        const row = selection.index[element] as number;
        if (((source[row >> 3] as number) >> (row & 7)) & 1) {
          const bit = start + element;
          target[bit >> 3] = (target[bit >> 3] as number) | (1 << (bit & 7));
        }
      }
  }

  /** The bitmap, or null if nothing is null. Valid until `clear`. */
  finish(): Uint8Array | null {
    if (!this.#written) return null;
    this.#nullCount = this.#length - countBits(this.#bits.bytes, this.#length);
    return this.#nullCount === 0 ? null : this.#bits.written;
  }

  clear(): void {
    this.#length = 0;
    this.#nullCount = 0;
    this.#written = false;
  }

  /** Makes room for this many bits; those that are new are zero. */
  #zeroed(bits: number): void {
    const bytes = bitmapBytes(bits);
    if (bytes <= this.#bits.length) return;
    const start = this.#bits.extend(bytes - this.#bits.length);
    this.#bits.bytes.fill(0, start, bytes);
  }
}
