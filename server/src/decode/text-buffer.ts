import { Buffer } from 'node:buffer';

/** The pieces of a text that have not been read yet, one behind another. */
export class TextBuffer {
  readonly #slackBytes: number;
  #bytes: Buffer = Buffer.allocUnsafe(64 * 1024);
  #filled = 0;

  /** `slackBytes`: room behind the text, for marks that a scanner sets. */
  constructor(slackBytes: number) {
    this.#slackBytes = slackBytes;
  }

  /** Valid until the next change. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  get filled(): number {
    return this.#filled;
  }

  add(piece: Buffer): void {
    const needed = this.#filled + piece.length + this.#slackBytes;
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, needed));
      this.#bytes.copy(larger, 0, 0, this.#filled);
      this.#bytes = larger;
    }
    piece.copy(this.#bytes, this.#filled);
    this.#filled += piece.length;
  }

  /** Of the beginning. */
  drop(byteCount: number): void {
    this.#bytes.copyWithin(0, byteCount, this.#filled);
    this.#filled -= byteCount;
  }
}
