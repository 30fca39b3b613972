import { MalformedArrow } from '../malformed-arrow.ts';
import { headerBytesOf, prefixBytes } from './framing.ts';
import { messageBodyBytes } from './message.ts';

/** Bytes by position, such as a file. */
export interface ByteSource {
  /** Fills the beginning of the target from the position on; returns how many bytes, 0 at the end. */
  read(target: Uint8Array, position: number): Promise<number>;
}

/** One message of a stream. `readBody` may be called at any time, also after the reader went on. */
export interface FramedMessage {
  /** As it is in the stream, padding included. */
  readonly header: Uint8Array;
  /** Where the message's prefix begins. */
  readonly position: number;
  readonly bodyPosition: number;
  readonly bodyBytes: number;
  /** Fills exactly `bodyBytes` bytes of the target. */
  readBody(target: Uint8Array): Promise<void>;
}

export interface MessageReaderOptions {
  /** Where the stream begins in the source. */
  readonly position?: number;
  readonly windowBytes?: number;
}

/** Large enough that hundreds of small messages cost one read, small enough for many readers at once. */
const windowBytesDefault = 256 * 1024;
/** After a body that was larger than the window: more would only be copied twice. */
const windowBytesSmall = 16 * 1024;

/** Messages of an IPC stream, one after another, read ahead through a window. */
export class MessageReader {
  readonly #source: ByteSource;
  readonly #windowBytes: number;
  #position: number;
  #window: Uint8Array = new Uint8Array(0);
  #windowPosition = 0;
  #lastBodyBytes = 0;

  constructor(source: ByteSource, options: MessageReaderOptions = {}) {
    this.#source = source;
    this.#position = options.position ?? 0;
    this.#windowBytes = options.windowBytes ?? windowBytesDefault;
  }

  /** null at the end-of-stream marker. A source that ends before is malformed. */
  async next(): Promise<FramedMessage | null> {
    const position = this.#position;
    const prefix = await this.#bytes(position, prefixBytes);
    const headerBytes = headerBytesOf(new DataView(prefix.buffer, prefix.byteOffset, prefixBytes), 0);
    if (headerBytes === 0) return null;
    // A copy, so that a message kept for long does not keep the window.
    const header = (await this.#bytes(position + prefixBytes, headerBytes)).slice();
    const bodyPosition = position + prefixBytes + headerBytes;
    const bodyBytes = messageBodyBytes(header);
    this.#position = bodyPosition + bodyBytes;
    this.#lastBodyBytes = bodyBytes;
    const windowed = this.#windowed(bodyPosition, bodyBytes);
    const readBody = (target: Uint8Array): Promise<void> =>
      fillBody(this.#source, target, windowed, bodyPosition, bodyBytes);
    return { header, position, bodyPosition, bodyBytes, readBody };
  }

  #windowed(position: number, byteCount: number): Uint8Array {
    const start = position - this.#windowPosition;
    if (start < 0 || start >= this.#window.length) return new Uint8Array(0);
    return this.#window.subarray(start, start + byteCount);
  }

  async #bytes(position: number, byteCount: number): Promise<Uint8Array> {
    const present = this.#windowed(position, byteCount);
    if (present.length === byteCount) return present;
    const ahead = this.#lastBodyBytes > this.#windowBytes ? windowBytesSmall : this.#windowBytes;
    // Always a new window: bodies handed out may still point into the old one.
    const window = new Uint8Array(Math.max(byteCount, ahead));
    window.set(present);
    const filled = await fill(this.#source, window, position, present.length, byteCount);
    if (filled < byteCount)
      throw new MalformedArrow(
        `the stream is cut: it ends at byte ${position + filled}, without its end marker`,
      );
    this.#window = window.subarray(0, filled);
    this.#windowPosition = position;
    return this.#window.subarray(0, byteCount);
  }
}

/** Reads until `enough` bytes of the target are filled, or the source ends; returns how many are. */
async function fill(
  source: ByteSource,
  target: Uint8Array,
  position: number,
  filledBefore: number,
  enough: number,
): Promise<number> {
  let filled = filledBefore;
  while (filled < enough) {
    const count = await source.read(target.subarray(filled), position + filled);
    if (count === 0) break;
    filled += count;
  }
  return filled;
}

async function fillBody(
  source: ByteSource,
  target: Uint8Array,
  windowed: Uint8Array,
  bodyPosition: number,
  bodyBytes: number,
): Promise<void> {
  const body = target.subarray(0, bodyBytes);
  if (body.length < bodyBytes)
    throw new RangeError(`a body of ${bodyBytes} bytes does not fit ${body.length}`);
  body.set(windowed);
  const filled = await fill(source, body, bodyPosition, windowed.length, bodyBytes);
  if (filled < bodyBytes)
    throw new MalformedArrow(`the stream is cut: it ends at byte ${bodyPosition + filled}, inside a body`);
}

/** The body of a message, in an ArrayBuffer of its own. */
export async function readBody(message: {
  readonly bodyBytes: number;
  readBody(target: Uint8Array): Promise<void>;
}): Promise<Uint8Array<ArrayBuffer>> {
  const body = new Uint8Array(message.bodyBytes);
  await message.readBody(body);
  return body;
}
