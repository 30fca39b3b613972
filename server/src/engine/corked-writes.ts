import type { Socket } from 'node:net';

/** A caller waits this much longer at most; most small statements have ended by then. */
const corkMsMax = 2;
/** More than this is worth a write of its own. */
const corkBytesMax = 16 * 1024;

/** What a statement says within milliseconds goes out in one write: each one costs a system call and wakes the server up. */
export class CorkedWrites {
  readonly #socket: Socket;
  #timer: NodeJS.Timeout | null = null;
  #bytes = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** From here on messages wait for `release`, not for long. */
  hold(): void {
    if (this.#timer !== null) return;
    this.#socket.cork();
    this.#bytes = 0;
    this.#timer = setTimeout(() => this.release(), corkMsMax);
  }

  /** So many bytes were written. */
  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > corkBytesMax) this.release();
  }

  release(): void {
    if (this.#timer === null) return;
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#socket.uncork();
  }
}
