import { FrameholdError } from '../model/errors.ts';
import type { Chunks } from './call.ts';

/** Reads through a message that lies in pieces, without joining them. Running off its end is the sender's fault: bad_body. */
export class ByteCursor {
  readonly #chunks: Chunks;
  #chunk = 0;
  #offset = 0;
  #left: number;

  constructor(chunks: Chunks) {
    this.#chunks = chunks;
    this.#left = byteLength(chunks);
  }

  get done(): boolean {
    return this.#left === 0;
  }

  /** An unsigned number of at most 53 bits. */
  varint(): number {
    let value = 0;
    let scale = 1;
    // Protobuf writes negative and 64-bit values in up to ten bytes.
    for (let count = 0; count < 10; count++) {
      const byte = this.#byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
    throw cutOff();
  }

  /** The next bytes as views, in as many pieces as they lie in. */
  take(bytes: number): Chunks {
    if (bytes > this.#left) throw cutOff();
    const pieces: Uint8Array[] = [];
    for (let wanted = bytes; wanted > 0; ) {
      const chunk = this.#current();
      const count = Math.min(wanted, chunk.length - this.#offset);
      pieces.push(chunk.subarray(this.#offset, this.#offset + count));
      this.#offset += count;
      this.#left -= count;
      wanted -= count;
    }
    return pieces;
  }

  /** The next bytes in one piece; copied only if they are not. For small fields. */
  takeJoined(bytes: number): Uint8Array {
    return joinChunks(this.take(bytes));
  }

  #byte(): number {
    if (this.#left === 0) throw cutOff();
    const byte = this.#current()[this.#offset++] ?? 0;
    this.#left--;
    return byte;
  }

  /** The piece in which the next byte lies; there is one. */
  #current(): Uint8Array {
    let chunk = this.#chunks[this.#chunk];
    while (chunk !== undefined && this.#offset === chunk.length) {
      chunk = this.#chunks[++this.#chunk];
      this.#offset = 0;
    }
    if (chunk === undefined) throw cutOff();
    return chunk;
  }
}

export function joinChunks(chunks: Chunks): Uint8Array {
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

export function byteLength(chunks: Chunks): number {
  let bytes = 0;
  for (const chunk of chunks) bytes += chunk.length;
  return bytes;
}

function cutOff(): FrameholdError {
  return new FrameholdError(
    'bad_body',
    'The message is cut off or is not the protobuf message of this call.',
  );
}
