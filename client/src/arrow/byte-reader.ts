import { incompleteAnswer } from '../errors.ts';

/** Reads given numbers of bytes from chunks of any size. */
export class ByteReader {
  readonly #chunks: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;
  #chunk = new Uint8Array(0);
  #position = 0;

  readonly #queryId: string | undefined;

  constructor(stream: ReadableStream<Uint8Array<ArrayBuffer>>, queryId: string | undefined) {
    this.#chunks = stream.getReader();
    this.#queryId = queryId;
  }

  /** Exactly so many bytes, in memory of their own and so aligned for every number. */
  async read(count: number): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = new Uint8Array(count);
    for (let filled = 0; filled < count; ) {
      if (this.#position === this.#chunk.length) {
        const chunk = await this.#next();
        if (chunk === null) throw incompleteAnswer(this.#queryId);
        this.#chunk = chunk;
        this.#position = 0;
      }
      const taken = this.#chunk.subarray(this.#position, this.#position + count - filled);
      bytes.set(taken, filled);
      filled += taken.length;
      this.#position += taken.length;
    }
    return bytes;
  }

  /** Reads to the end, so that the connection can be used again, and a body that was cut off is noticed. */
  async end(): Promise<void> {
    this.#chunk = new Uint8Array(0);
    this.#position = 0;
    while ((await this.#next()) !== null);
  }

  async #next(): Promise<Uint8Array<ArrayBuffer> | null> {
    try {
      const { value, done } = await this.#chunks.read();
      return done ? null : value;
    } catch (thrown) {
      throw incompleteAnswer(this.#queryId, thrown);
    }
  }

  async cancel(): Promise<void> {
    await this.#chunks.cancel();
  }
}
