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

  /** Throws before a byte of the message was read. */
  begin(bytes: number): HeldMessage {
    const { messageBytesMax } = this.#limits;
    if (bytes <= messageBytesMax) return new HeldMessage((more) => this.#take(more));
    throw new FrameholdError(
      'body_too_large',
      `The message has ${bytes} bytes; at most ${messageBytesMax} are allowed.`,
      {
        hint: 'Put long lists of values as a frame and join it. The limit is postgres.message_bytes_max.',
      },
    );
  }

  /** Or gives some back. */
  #take(bytes: number): void {
    if (bytes > 0 && this.#held + bytes > this.#limits.messageMemoryMax)
      throw new FrameholdError('overloaded', 'Too many large messages arrive at once.', {
        sqlState: '53200',
        hint: 'Try again in a moment. The limit is postgres.message_memory_max.',
      });
    this.#held += bytes;
  }
}

/** One message that arrives. What it only announces is not counted: whoever sends nothing more would keep others from sending. */
export class HeldMessage {
  readonly #take: (bytes: number) => void;
  #bytes = 0;

  constructor(take: (bytes: number) => void) {
    this.#take = take;
  }

  /** Before so many of its bytes are read. */
  growTo(bytes: number): void {
    if (bytes <= freeBytes) return;
    this.#take(bytes - this.#bytes);
    this.#bytes = bytes;
  }

  free(): void {
    this.#take(-this.#bytes);
    this.#bytes = 0;
  }
}
