/** Numbers that look random and are the same for the same seed: a finding names its case, and the case can be made again. */
export class SeededRandom {
  #state: number;

  /** One seed for the run, one number for the case: a case does not depend on the ones before it. */
  constructor(seed: number, index: number) {
    this.#state = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35)) >>> 0;
    this.#next();
    this.#next();
  }

  /** A whole number from 0 to below the bound. */
  below(bound: number): number {
    return Math.floor((this.#next() / 2 ** 32) * bound);
  }

  /** True so often out of a hundred times. */
  percent(share: number): boolean {
    return this.below(100) < share;
  }

  pick<T>(choices: readonly T[]): T {
    const chosen = choices[this.below(choices.length)];
    if (chosen === undefined && choices.length === 0) throw new Error('nothing to choose from');
    return chosen as T;
  }

  bytes(count: number): Buffer {
    const bytes = Buffer.allocUnsafe(count);
    for (let at = 0; at < count; at++) bytes[at] = this.#next() & 0xff;
    return bytes;
  }

  /** Small most of the time, and now and then near a power of two, where lengths overflow. */
  size(): number {
    if (this.percent(80)) return this.below(64);
    return Math.max(0, 2 ** this.below(14) + this.below(3) - 1);
  }

  /** Some bytes changed, put in, cut out or doubled. */
  mutate(source: Uint8Array): Buffer<ArrayBuffer> {
    let bytes = Buffer.from(source);
    for (let count = 1 + this.below(4); count > 0; count--) bytes = this.#mutateOnce(bytes);
    return bytes;
  }

  #mutateOnce(bytes: Buffer): Buffer<ArrayBuffer> {
    const at = this.below(bytes.length + 1);
    const end = Math.min(bytes.length, at + 1 + this.below(8));
    switch (this.below(6)) {
      case 0:
        return Buffer.concat([bytes.subarray(0, at), this.bytes(1 + this.below(4)), bytes.subarray(end)]);
      case 1:
        return Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)]);
      case 2:
        return Buffer.concat([bytes.subarray(0, end), bytes.subarray(at)]);
      case 3: {
        const copy = Buffer.from(bytes);
        if (at < copy.length) copy[at] = (copy[at] ?? 0) ^ (1 << this.below(8));
        return copy;
      }
      case 4:
        return Buffer.concat([
          bytes.subarray(0, at),
          Buffer.of(this.pick([0, 0x0a, 0x0d, 0x20, 0x7f, 0xff])),
          bytes.subarray(at),
        ]);
      default:
        return Buffer.from(bytes.subarray(0, at));
    }
  }

  /** xorshift, 32 bits: enough to choose by. */
  #next(): number {
    let state = this.#state || 0x6d2b79f5;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.#state = state >>> 0;
    // The low bits of a xorshift are poor: mixed once more.
    return Math.imul(this.#state ^ (this.#state >>> 15), 0x2c1b3c6d) >>> 0;
  }
}
