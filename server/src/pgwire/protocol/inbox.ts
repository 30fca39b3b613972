import type { Socket } from 'node:net';

/** Read ahead while nobody asks, so that a client that leaves is noticed while its statement runs: as much as the socket gives at once. */
const aheadBytesMax = 64 * 1024;

/** A smaller piece is copied into a block: by itself it would cost some hundred bytes, and a client can send one byte at a time. */
const smallBytesMax = 1_024;
const blockBytes = 4 * 1_024;

interface Wanted {
  readonly bytes: number;
  readonly resolve: (isThere: boolean) => void;
}

/** The bytes of a connection, asked for by one reader at a time. The socket is paused while enough is there. */
export class Inbox {
  readonly #socket: Socket;
  /** Once, when the client has ended the connection. */
  readonly #onEnd: () => void;
  #chunks: Buffer[] = [];
  /** Where small pieces go: the last chunk is a part of it, up to `#blockEnd`. */
  #block: Buffer | null = null;
  #blockEnd = 0;
  #bytes = 0;
  #wanted: Wanted | null = null;
  #hasEnded = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(socket: Socket, onEnd: () => void) {
    this.#socket = socket;
    this.#onEnd = onEnd;
    socket.on('data', this.#onData);
    socket.on('end', this.#onClosed);
    socket.on('close', this.#onClosed);
  }

  /** How many bytes wait to be read. */
  get waiting(): number {
    return this.#bytes;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** The socket belongs to another reader from now on. */
  detach(): void {
    this.#socket.off('data', this.#onData);
    this.#socket.off('end', this.#onClosed);
    this.#socket.off('close', this.#onClosed);
    this.#socket.pause();
  }

  /** Whether so many bytes are there; false if the connection ended before. `late` is called if none came for so long. */
  async wait(bytes: number, lateMs: number, late: () => void): Promise<boolean> {
    if (this.#bytes >= bytes) return true;
    if (this.#hasEnded) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#wanted = { bytes, resolve };
    this.#timer = setTimeout(late, lateMs);
    this.#socket.resume();
    return await promise;
  }

  /** The first byte, without taking it. */
  peek(): number {
    return this.#chunks[0]?.[0] ?? 0;
  }

  /** Takes bytes that are there. */
  take(bytes: number): Buffer {
    const [first] = this.#chunks;
    this.#bytes -= bytes;
    if (first !== undefined && first.length > bytes) {
      this.#chunks[0] = first.subarray(bytes);
      return first.subarray(0, bytes);
    }
    return this.#join(bytes);
  }

  /** Everything that is there. */
  takeAll(): Buffer {
    return this.take(this.#bytes);
  }

  #join(bytes: number): Buffer {
    const taken: Buffer[] = [];
    let left = bytes;
    let count = 0;
    for (const chunk of this.#chunks) {
      if (left === 0) break;
      taken.push(chunk.length > left ? chunk.subarray(0, left) : chunk);
      if (chunk.length > left) this.#chunks[count] = chunk.subarray(left);
      else count++;
      left -= Math.min(left, chunk.length);
    }
    this.#chunks = this.#chunks.slice(count);
    return taken.length === 1 ? (taken[0] as Buffer) : Buffer.concat(taken, bytes);
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#keep(chunk);
    const wanted = this.#wanted;
    if (wanted === null) {
      if (this.#bytes >= aheadBytesMax) this.#socket.pause();
      return;
    }
    if (this.#bytes >= wanted.bytes) this.#answer(true);
    else this.#timer?.refresh();
  };

  #keep(chunk: Buffer): void {
    this.#bytes += chunk.length;
    const last = this.#chunks.at(-1);
    // What comes alone is mostly a whole message, and is taken at once.
    if (chunk.length > smallBytesMax || last === undefined) {
      this.#chunks.push(chunk);
      this.#block = null;
      return;
    }
    if (this.#block === null || this.#blockEnd + chunk.length > blockBytes) {
      this.#block = Buffer.allocUnsafeSlow(blockBytes);
      this.#blockEnd = chunk.copy(this.#block);
      this.#chunks.push(this.#block.subarray(0, this.#blockEnd));
      return;
    }
    chunk.copy(this.#block, this.#blockEnd);
    this.#blockEnd += chunk.length;
    // Its beginning may have been taken already.
    this.#chunks[this.#chunks.length - 1] = this.#block.subarray(
      this.#blockEnd - chunk.length - last.length,
      this.#blockEnd,
    );
  }

  readonly #onClosed = (): void => {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#answer(false);
    this.#onEnd();
  };

  #answer(isThere: boolean): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const wanted = this.#wanted;
    this.#wanted = null;
    wanted?.resolve(isThere);
  }
}
