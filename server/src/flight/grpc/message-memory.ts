/** Bytes of messages that are held for callers, over all calls: those still arriving, and the one that each verb works on. */
export class MessageMemory {
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** False if there is no room: then nothing was taken. */
  take(bytes: number): boolean {
    if (this.#bytes + bytes > this.#bytesMax) return false;
    this.#bytes += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#bytes -= bytes;
  }
}

/** What one call holds of it. All of it is free once the call has ended, and a call that has ended gets no more. */
export class CallMemory {
  readonly #memory: MessageMemory;
  #bytes = 0;
  #ended = false;

  constructor(memory: MessageMemory) {
    this.#memory = memory;
  }

  get ended(): boolean {
    return this.#ended;
  }

  take(bytes: number): boolean {
    if (this.#ended || !this.#memory.take(bytes)) return false;
    this.#bytes += bytes;
    return true;
  }

  give(bytes: number): void {
    if (this.#ended) return;
    this.#bytes -= bytes;
    this.#memory.give(bytes);
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#memory.give(this.#bytes);
  }
}
