/** Reads given numbers of bytes from chunks of any size. */
export class ByteReader {
  readonly #chunks: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;
  #chunk = new Uint8Array(0);
  #position = 0;

  constructor(stream: ReadableStream<Uint8Array<ArrayBuffer>>) {
    this.#chunks = stream.getReader();
  }

  /** Exactly so many bytes, in memory of their own and so aligned for every number; null if the stream ends before the last of them. */
  async read(count: number): Promise<Uint8Array<ArrayBuffer> | null> {
    const bytes = new Uint8Array(count);
    for (let filled = 0; filled < count; ) {
      if (this.#position === this.#chunk.length) {
        const { value, done } = await this.#chunks.read();
        if (done) return null;
        this.#chunk = value;
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
    while (!(await this.#chunks.read()).done);
  }

  async cancel(): Promise<void> {
    await this.#chunks.cancel();
  }
}
