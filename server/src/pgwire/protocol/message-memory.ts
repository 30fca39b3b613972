import { FrameholdError } from '../../model/errors.ts';

/** What each connection may hold without being counted: most messages are smaller. */
const freeBytes = 16 * 1024;

/** The large messages that are held at once, over all connections. */
export class MessageMemory {
  readonly #limits: { readonly messageBytesMax: number; readonly messageMemoryMax: number };
  #held = 0;

  constructor(limits: { readonly messageBytesMax: number; readonly messageMemoryMax: number }) {
    this.#limits = limits;
  }

  /** Gives the function that gives the bytes back. Throws before a byte of the message was read. */
  take(bytes: number): () => void {
    if (bytes <= freeBytes) return () => {};
    const { messageBytesMax, messageMemoryMax } = this.#limits;
    if (bytes > messageBytesMax)
      throw new FrameholdError(
        'body_too_large',
        `The message has ${bytes} bytes; at most ${messageBytesMax} are allowed.`,
        {
          hint: 'Put long lists of values as a frame and join it. The limit is postgres.message_bytes_max.',
        },
      );
    if (this.#held + bytes > messageMemoryMax)
      throw new FrameholdError('overloaded', 'Too many large messages arrive at once.', {
        sqlState: '53200',
        hint: 'Try again in a moment. The limit is postgres.message_memory_max.',
      });
    this.#held += bytes;
    return () => {
      this.#held -= bytes;
    };
  }
}
