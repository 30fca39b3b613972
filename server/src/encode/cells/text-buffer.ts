import { Buffer } from 'node:buffer';

/** Of a chunk: large enough that what it costs to pass it on does not matter, small enough for many slow readers. */
const chunkBytes = 256 * 1024;
/** From here on it is given away. The rest is for rows that are longer than others. */
const fullBytes = 192 * 1024;
/** The first one: most answers are small. */
const firstBytes = 8 * 1024;
/** As many characters as JavaScript's strings have at most, so that a row has the same limit however it is written. */
const bytesMax = 536_870_888;
/** Shorter texts are copied faster by a loop than by a call into Node. */
const loopCharactersMax = 48;

/**
 * Text as bytes, while it is written. `reserve(n)` makes room for n bytes, and for `slack` bytes beyond them. The slack belongs to the row: its
 * values of limited width take it without asking, so that one `reserve` before the row is enough for all of them.
 */
export class TextBuffer {
  /** Replaced when it is full or given away: read it anew after `reserve`. */
  bytes: Buffer<ArrayBuffer> = Buffer.allocUnsafeSlow(0);
  /** Where the next byte goes. */
  at = 0;
  slack = 0;
  #capacity: number;

  constructor(capacity: number = firstBytes) {
    this.#capacity = capacity;
  }

  reserve(byteCount: number): void {
    const needed = this.at + byteCount + this.slack;
    if (needed > this.bytes.length) this.#grow(needed);
  }

  #grow(needed: number): void {
    if (needed > bytesMax) throw new RangeError('the text of a row is too long');
    this.#check();
    const before = this.bytes;
    // Not from Node's pool of small buffers, which cannot be given to another thread.
    this.bytes = Buffer.allocUnsafeSlow(
      Math.max(this.#capacity, needed, Math.min(bytesMax, before.length * 2)),
    );
    before.copy(this.bytes, 0, 0, this.at);
  }

  /** Bytes that have room already. */
  put(source: Uint8Array): void {
    const { bytes } = this;
    let { at } = this;
    for (let index = 0; index < source.length; index++) bytes[at++] = source[index] as number;
    this.at = at;
  }

  /** One byte; makes its own room. */
  putOne(byte: number): void {
    this.reserve(1);
    this.bytes[this.at++] = byte;
  }

  /** Any text; makes its own room. */
  text(text: string): void {
    if (text.length > loopCharactersMax) {
      this.#encode(text);
      return;
    }
    this.reserve(text.length);
    const { bytes, at } = this;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code >= 0x80) {
        this.#encode(text);
        return;
      }
      bytes[at + index] = code;
    }
    this.at = at + text.length;
  }

  #encode(text: string): void {
    this.reserve(Buffer.byteLength(text));
    this.at += this.bytes.write(text, this.at);
  }

  /** A write behind the end of an array does nothing. It must not become an answer with bytes missing. */
  #check(): void {
    if (this.at > this.bytes.length) throw new Error('text was written where no room had been made');
  }

  /** Everything so far, until more is written. */
  get written(): Uint8Array {
    this.#check();
    return this.bytes.subarray(0, this.at);
  }

  get isFull(): boolean {
    return this.at >= fullBytes;
  }

  /** All that was written, in memory of its own. */
  take(): Uint8Array<ArrayBuffer> {
    this.#check();
    const { bytes, at } = this;
    this.at = 0;
    // The last chunk is mostly short, and would hold the rest of its memory while it is sent.
    if (at < bytes.length / 2) return new Uint8Array(bytes.subarray(0, at));
    this.bytes = Buffer.allocUnsafeSlow(0);
    this.#capacity = chunkBytes;
    return bytes.subarray(0, at);
  }
}
