import { FrameholdError } from '../../model/errors.ts';
import type { Chunks } from '../call.ts';
import { messagePrefixBytes } from '../grpc-message.ts';
import type { CallMemory } from './message-memory.ts';

/** A whole message in the pieces in which it arrived. Looks to grpc-js like the buffer that it would have joined them into. */
export class ChunkedMessage {
  readonly chunks: Chunks;

  constructor(chunks: Chunks) {
    this.chunks = chunks;
  }

  /** The flag byte: not compressed. */
  readUInt8(): number {
    return 0;
  }

  /** Without the prefix, which was never kept. */
  subarray(): this {
    return this;
  }
}

/** Takes the place of a message that could not be accepted; nothing after it is read. */
export class RefusedMessage extends ChunkedMessage {
  readonly error: FrameholdError;

  constructor(error: FrameholdError) {
    super([]);
    this.error = error;
  }
}

/**
 * Cuts what arrives into gRPC messages, in place of grpc-js's own decoder, which joins the pieces of every message into
 * one new buffer. An announced size is checked before anything is kept for it, and what is kept is counted as it comes.
 */
export class MessageDecoder {
  readonly #messageBytesMax: number;
  readonly #memory: CallMemory;
  readonly #prefix = Buffer.alloc(messagePrefixBytes);
  #prefixBytes = 0;
  #left = 0;
  #chunks: Buffer[] = [];
  #refused = false;

  constructor(messageBytesMax: number, memory: CallMemory) {
    this.#messageBytesMax = messageBytesMax;
    this.#memory = memory;
  }

  /** The stream stopped inside a message. */
  get midMessage(): boolean {
    return this.#prefixBytes > 0 && !this.#refused;
  }

  /** The messages that these bytes complete. Compressed ones come joined, with their prefix, as grpc-js wants them. */
  write(data: Buffer): (ChunkedMessage | Buffer)[] {
    const messages: (ChunkedMessage | Buffer)[] = [];
    for (let at = 0; at < data.length && !this.#refused; ) {
      if (this.#prefixBytes < messagePrefixBytes) {
        const count = Math.min(messagePrefixBytes - this.#prefixBytes, data.length - at);
        data.copy(this.#prefix, this.#prefixBytes, at, at + count);
        this.#prefixBytes += count;
        at += count;
        if (this.#prefixBytes < messagePrefixBytes) break;
        this.#left = this.#prefix.readUInt32BE(1);
        if (this.#left > this.#messageBytesMax) {
          messages.push(this.#refuse(tooLarge(this.#left, this.#messageBytesMax)));
          break;
        }
      } else {
        const count = Math.min(this.#left, data.length - at);
        if (!this.#memory.take(count)) {
          messages.push(this.#refuse(noRoom()));
          break;
        }
        this.#chunks.push(data.subarray(at, at + count));
        this.#left -= count;
        at += count;
      }
      if (this.#left === 0) messages.push(this.#complete());
    }
    return messages;
  }

  #refuse(error: FrameholdError): RefusedMessage {
    this.#refused = true;
    this.#chunks = [];
    return new RefusedMessage(error);
  }

  #complete(): ChunkedMessage | Buffer {
    const chunks = this.#chunks;
    this.#chunks = [];
    this.#prefixBytes = 0;
    const compressed = this.#prefix[0] === 1;
    return compressed ? Buffer.concat([this.#prefix, ...chunks]) : new ChunkedMessage(chunks);
  }
}

/** The caller is not to blame: others hold what there is. */
export function noRoom(): FrameholdError {
  return new FrameholdError('overloaded', 'There is no memory left for messages that are arriving.', {
    hint: 'Try again in a moment, with smaller batches; or raise server.message_memory_max.',
  });
}

function tooLarge(bytes: number, bytesMax: number): FrameholdError {
  return new FrameholdError(
    'body_too_large',
    `A message of ${bytes} bytes; here this server takes messages of up to ${bytesMax} bytes.`,
    {
      hint: 'A statement may have sql.text_bytes_max bytes. Send rows by DoPut, in smaller batches (pyarrow: write_table(table, max_chunksize=...)).',
    },
  );
}
