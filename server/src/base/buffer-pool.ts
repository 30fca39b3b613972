/** Below this, allocating is cheaper than keeping. */
const pooledBytesMin = 64 * 1024;
/** Above this, a buffer would tie up most of the pool for a size that is rarely needed again. */
const pooledBytesMax = 32 * 1024 * 1024;

/**
 * Reusable buffers for batches in transit: fresh memory for every batch costs more in page faults and collections than the
 * reading itself. Idle buffers are limited; buffers in use are limited by the calls, each of which holds a few.
 */
export class BufferPool {
  readonly #idleBytesMax: number;
  readonly #idle = new Map<number, Buffer<ArrayBuffer>[]>();
  #idleBytes = 0;

  constructor(idleBytesMax: number) {
    this.#idleBytesMax = idleBytesMax;
  }

  get idleBytes(): number {
    return this.#idleBytes;
  }

  /** A buffer of exactly this many bytes. Its content is undefined. */
  take(bytes: number): Buffer<ArrayBuffer> {
    if (bytes < pooledBytesMin) return Buffer.allocUnsafe(bytes);
    if (bytes > pooledBytesMax) return Buffer.allocUnsafeSlow(bytes);
    const capacity = capacityFor(bytes);
    const whole = this.#idle.get(capacity)?.pop();
    if (whole === undefined) return Buffer.allocUnsafeSlow(capacity).subarray(0, bytes);
    this.#idleBytes -= capacity;
    return whole.subarray(0, bytes);
  }

  /** Returns a buffer of `take`, which must not be used any longer. */
  give(buffer: Buffer): void {
    const capacity = buffer.buffer.byteLength;
    if (buffer.length < pooledBytesMin || buffer.length > pooledBytesMax) return;
    if (this.#idleBytes + capacity > this.#idleBytesMax) return;
    const whole = Buffer.from(buffer.buffer as ArrayBuffer);
    const shelf = this.#idle.get(capacity);
    if (shelf === undefined) this.#idle.set(capacity, [whole]);
    else shelf.push(whole);
    this.#idleBytes += capacity;
  }
}

/** Four sizes for each doubling: batches of one frame differ by some bytes and should share buffers; at most a quarter is wasted. */
function capacityFor(bytes: number): number {
  const step = 2 ** (Math.floor(Math.log2(bytes - 1)) - 2);
  return Math.ceil(bytes / step) * step;
}
