/** Bits that were written forwards and are read from the last to the first, as zstd does (RFC 8878, 4.1). Before the first there are zeros. */
export class BackwardBits {
  /** Bits that are left; below 0 if more were read than there are. */
  position: number;
  readonly #bytes: Uint8Array;
  readonly #start: number;

  constructor(bytes: Uint8Array, start: number, end: number) {
    const last = end > start ? (bytes[end - 1] as number) : 0;
    if (last === 0) throw new RangeError('zstd: a bit stream without its end mark');
    this.#bytes = bytes;
    this.#start = start;
    // The highest bit of the last byte marks the end.
    this.position = (end - start - 1) * 8 + 31 - Math.clz32(last);
  }

  read(count: number): number {
    this.position -= count;
    return count <= 24
      ? this.at(this.position, count)
      : this.at(this.position + 16, count - 16) * 65_536 + this.at(this.position, 16);
  }

  /** Up to 24 bits that begin at a position. */
  at(position: number, count: number): number {
    if (position < 0) return position + count <= 0 ? 0 : this.at(0, position + count) << -position;
    const bytes = this.#bytes;
    const byte = this.#start + (position >> 3);
    const word =
      (bytes[byte] as number) |
      ((bytes[byte + 1] as number) << 8) |
      ((bytes[byte + 2] as number) << 16) |
      ((bytes[byte + 3] as number) << 24);
    return (word >>> (position & 7)) & ((1 << count) - 1);
  }
}
