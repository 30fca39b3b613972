/** A letter and a length. */
const headBytes = 5;

/** Finds where messages end in bytes that are sent on as they come. A chunk may end in the middle of a message. */
export class MessageWalk {
  /** Of the message that has begun: bytes that follow. */
  #left = 0;
  /** The beginning of a message whose length is not there yet. */
  #head: Uint8Array = new Uint8Array(0);

  /** Walks until so many messages have ended: where that was, and how many have. */
  pass(chunk: Uint8Array, countMax: number): { readonly end: number; readonly count: number } {
    let at = 0;
    let count = 0;
    while (at < chunk.length && count < countMax) {
      if (this.#left === 0) at = this.#begin(chunk, at);
      const taken = Math.min(this.#left, chunk.length - at);
      at += taken;
      this.#left -= taken;
      if (this.#left === 0 && this.#head.length === 0) count += 1;
    }
    return { end: at, count };
  }

  /** Reads the length, and answers where the rest of the message begins. */
  #begin(chunk: Uint8Array, start: number): number {
    const missing = headBytes - this.#head.length;
    const piece = chunk.subarray(start, start + missing);
    const head = this.#head.length === 0 ? piece : Buffer.concat([this.#head, piece]);
    if (head.length < headBytes) {
      this.#head = head;
      return chunk.length;
    }
    this.#head = new Uint8Array(0);
    const length =
      ((head[1] as number) << 24) |
      ((head[2] as number) << 16) |
      ((head[3] as number) << 8) |
      (head[4] as number);
    this.#left = length - 4;
    return start + piece.length;
  }
}
