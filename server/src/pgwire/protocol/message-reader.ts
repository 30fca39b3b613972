import { FrameholdError } from '../../model/errors.ts';
import { type ClientMessage, isMessageType, readClientMessage } from './client-messages.ts';
import { protocolViolation } from './fields.ts';
import type { Inbox } from './inbox.ts';
import type { HeldMessage, MessageMemory } from './message-memory.ts';
import type { Turns } from './turns.ts';

const headBytes = 5;
/** A message that has begun must go on: its sender may only wait for the network. */
const stallMs = 60_000;
/** A long message is counted in steps as it arrives. */
const stepBytes = 1024 * 1024;

/** Messages of a client that has logged in, one by one. */
export class MessageReader {
  readonly #inbox: Inbox;
  readonly #memory: MessageMemory;
  readonly #turns: Turns;
  #held: HeldMessage | null = null;
  /** Ends the wait for the next message. */
  #stop: ((reason: FrameholdError) => void) | null = null;

  constructor(inbox: Inbox, { memory, turns }: { readonly memory: MessageMemory; readonly turns: Turns }) {
    this.#inbox = inbox;
    this.#memory = memory;
    this.#turns = turns;
  }

  /** Whether a message can be read without waiting: then answers wait for those that follow. */
  get hasMore(): boolean {
    return this.#inbox.waiting >= headBytes;
  }

  /** null at the end of the connection. Throws what `late` answers if none has begun for so long. */
  async next(waitMs: number, late: () => FrameholdError): Promise<ClientMessage | null> {
    if (!(await this.#wait(headBytes, waitMs, late))) return null;
    const head = this.#inbox.take(headBytes);
    const type = head.readUInt8(0);
    const length = head.readInt32BE(1) - 4;
    if (!isMessageType(type)) throw protocolViolation(`No message of a client begins with the byte ${type}.`);
    if (length < 0) throw protocolViolation('The length of a message is too small.');
    this.#held = this.#memory.begin(length);
    let read = 0;
    do {
      read = Math.min(length, read + stepBytes);
      this.#held.growTo(read);
      if (!(await this.#wait(read, stallMs, stalled))) return null;
    } while (read < length);
    await this.#turns.next();
    return readClientMessage(type, this.#inbox.take(length));
  }

  /** The last message is no longer needed. */
  handled(): void {
    this.#held?.free();
    this.#held = null;
  }

  /** Nobody waits for a message any more. */
  stop(reason: FrameholdError): void {
    this.#stop?.(reason);
  }

  async #wait(bytes: number, waitMs: number, late: () => FrameholdError): Promise<boolean> {
    if (this.#inbox.waiting >= bytes) return true;
    const { promise, reject } = Promise.withResolvers<never>();
    this.#stop = reject;
    try {
      return await Promise.race([this.#inbox.wait(bytes, waitMs, () => reject(late())), promise]);
    } finally {
      this.#stop = null;
    }
  }
}

function stalled(): FrameholdError {
  return new FrameholdError('request_timeout', `A message was not complete after a pause of ${stallMs} ms.`, {
    sqlState: '08006',
  });
}
