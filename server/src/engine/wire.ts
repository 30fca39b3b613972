import type { Writable } from 'node:stream';
import type { BufferPool } from '../base/buffer-pool.ts';

/**
 * Messages between the server and an engine process, over one socket. A message has 16 bytes in front: type, number of the statement, length of
 * the head, length of the body, each 32 bits, little-endian. What the head and the body are, the type says (`protocol.ts`).
 */
export interface WireMessage {
  readonly type: number;
  readonly statement: number;
  /** A whole ArrayBuffer of its own. */
  readonly head: Uint8Array<ArrayBuffer>;
  /** From the reader's pool, if it has one; the receiver gives it back. */
  readonly body: Buffer<ArrayBuffer>;
}

/** What the other side may claim. A longer message is a fault, found before anything is allocated for it. */
export interface WireLimits {
  readonly headBytesMax: number;
  readonly bodyBytesMax: number;
}

const prefixBytes = 16;
const nothing = Buffer.alloc(0);
/** Less of a body than this is read together with what follows it. */
const roomBytesMin = 64 * 1024;

/** The parts go out as they are, in one system call if the socket takes them. `written` is called when the kernel has all of them. */
export function writeMessage(
  socket: Writable,
  type: number,
  statement: number,
  head: Uint8Array = nothing,
  body: readonly Uint8Array[] = [],
  written?: () => void,
): void {
  const prefix = new Uint8Array(prefixBytes);
  const view = new DataView(prefix.buffer);
  view.setUint32(0, type, true);
  view.setUint32(4, statement, true);
  view.setUint32(8, head.byteLength, true);
  view.setUint32(
    12,
    body.reduce((bytes, part) => bytes + part.byteLength, 0),
    true,
  );
  const parts = [prefix, head, ...body].filter((part) => part.byteLength > 0);
  socket.cork();
  for (const [index, part] of parts.entries()) {
    if (index === parts.length - 1 && written !== undefined) socket.write(part, written);
    else socket.write(part);
  }
  socket.uncork();
}

export class WireFault extends Error {}

/** Puts messages together from the chunks of a socket. Holds one message. */
export class WireReader {
  readonly #limits: WireLimits;
  readonly #onMessage: (message: WireMessage) => void;
  readonly #pool: BufferPool | null;
  readonly #prefix = new Uint8Array(prefixBytes);
  readonly #prefixView = new DataView(this.#prefix.buffer);
  #head: Uint8Array<ArrayBuffer> | null = null;
  #body: Buffer<ArrayBuffer> | null = null;
  /** Bytes of the message that are here. */
  #filled = 0;

  constructor(limits: WireLimits, onMessage: (message: WireMessage) => void, pool: BufferPool | null = null) {
    this.#limits = limits;
    this.#onMessage = onMessage;
    this.#pool = pool;
  }

  /** Where the next bytes belong, if all of them are part of one body: `push` does not copy what is there already. */
  room(): Buffer | null {
    if (this.#head === null || this.#body === null) return null;
    const from = this.#filled - prefixBytes - this.#head.byteLength;
    return from >= 0 && this.#body.byteLength - from >= roomBytesMin ? this.#body.subarray(from) : null;
  }

  /** Throws WireFault for a message that is longer than allowed. */
  push(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.byteLength) {
      if (this.#head === null || this.#body === null) {
        at += this.#fill(this.#prefix, this.#filled, chunk, at);
        if (this.#filled < prefixBytes) return;
        this.#allocate();
      }
      const head = this.#head ?? nothing;
      const body = this.#body ?? nothing;
      at += this.#fill(head, this.#filled - prefixBytes, chunk, at);
      at += this.#fill(body, this.#filled - prefixBytes - head.byteLength, chunk, at);
      if (this.#filled === prefixBytes + head.byteLength + body.byteLength) this.#deliver();
    }
  }

  #fill(target: Uint8Array, from: number, chunk: Uint8Array, at: number): number {
    if (from < 0 || from >= target.byteLength) return 0;
    const count = Math.min(target.byteLength - from, chunk.byteLength - at);
    const isThere = chunk.buffer === target.buffer && chunk.byteOffset + at === target.byteOffset + from;
    if (!isThere) target.set(chunk.subarray(at, at + count), from);
    this.#filled += count;
    return count;
  }

  #allocate(): void {
    const headBytes = this.#prefixView.getUint32(8, true);
    const bodyBytes = this.#prefixView.getUint32(12, true);
    const { headBytesMax, bodyBytesMax } = this.#limits;
    if (headBytes > headBytesMax || bodyBytes > bodyBytesMax)
      throw new WireFault(`a message of ${headBytes} and ${bodyBytes} bytes is longer than allowed`);
    // Not zeroed: a message is delivered only if every byte of it has come.
    this.#head = new Uint8Array(Buffer.allocUnsafeSlow(headBytes).buffer);
    this.#body = this.#pool?.take(bodyBytes) ?? Buffer.allocUnsafeSlow(bodyBytes);
  }

  #deliver(): void {
    const message: WireMessage = {
      type: this.#prefixView.getUint32(0, true),
      statement: this.#prefixView.getUint32(4, true),
      head: this.#head ?? new Uint8Array(0),
      body: this.#body ?? nothing,
    };
    this.#head = null;
    this.#body = null;
    this.#filled = 0;
    this.#onMessage(message);
  }
}
