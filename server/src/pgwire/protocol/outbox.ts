import type { Socket } from 'node:net';
import { FrameholdError } from '../../model/errors.ts';

/** Small messages go out together: a segment of the network has about as much, and several answers of a pipeline are one write. */
const joinedBytesMax = 16 * 1024;

/** What goes to the client, in order. */
export class Outbox {
  readonly #socket: Socket;
  /** How long a client may take nothing. */
  readonly #stallMs: () => number;
  #parts: Uint8Array[] = [];
  #bytes = 0;
  /** Of all that was sent, or will be with the next flush. */
  sentBytes = 0;

  constructor(socket: Socket, stallMs: () => number) {
    this.#socket = socket;
    this.#stallMs = stallMs;
  }

  /** Sent with what follows, or with `flush`. */
  add(bytes: Uint8Array): void {
    this.#parts.push(bytes);
    this.#bytes += bytes.length;
    this.sentBytes += bytes.length;
  }

  get isFull(): boolean {
    return this.#bytes >= joinedBytesMax;
  }

  /** Resolves when the next bytes may be sent: after a slow client has taken these. */
  async send(bytes: Uint8Array): Promise<void> {
    this.add(bytes);
    if (this.isFull) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#bytes === 0) return;
    const joined =
      this.#parts.length === 1 ? (this.#parts[0] as Uint8Array) : Buffer.concat(this.#parts, this.#bytes);
    this.#parts = [];
    this.#bytes = 0;
    const socket = this.#socket;
    if (socket.destroyed || socket.writableEnded) throw gone();
    if (!socket.write(joined)) await this.#drained();
  }

  /** The last bytes of the connection. */
  end(bytes: Uint8Array): void {
    this.add(bytes);
    if (!this.#socket.destroyed && !this.#socket.writableEnded) this.#socket.end(Buffer.concat(this.#parts));
    this.#parts = [];
    this.#bytes = 0;
  }

  #drained(): Promise<void> {
    const socket = this.#socket;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => socket.destroy(), this.#stallMs());
    const onDrain = () => resolve();
    const onClose = () => reject(gone());
    socket.once('drain', onDrain);
    socket.once('close', onClose);
    return promise.finally(() => {
      clearTimeout(timer);
      socket.off('drain', onDrain);
      socket.off('close', onClose);
    });
  }
}

function gone(): FrameholdError {
  return new FrameholdError('cancelled', 'The client has closed the connection.');
}
