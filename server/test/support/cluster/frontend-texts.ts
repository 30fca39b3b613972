/** The statements that a client of PostgreSQL sends on one connection, read along from its bytes. */
export class FrontendTexts {
  readonly #named = new Map<string, string>();
  #texts: string[] = [];
  #pending = Buffer.alloc(0);
  #hasBegun = false;

  take(chunk: Buffer): void {
    this.#pending = Buffer.concat([this.#pending, chunk]);
    for (;;) {
      // The first message has no type.
      const typeBytes = this.#hasBegun ? 1 : 0;
      if (this.#pending.length < typeBytes + 4) return;
      const length = typeBytes + this.#pending.readUInt32BE(typeBytes);
      if (this.#pending.length < length) return;
      if (this.#hasBegun) this.#message(this.#pending.subarray(0, length));
      this.#hasBegun = true;
      this.#pending = this.#pending.subarray(length);
    }
  }

  /** Of the transaction that was begun last, in their order. */
  sinceBegin(): readonly string[] {
    return this.#texts.slice(this.#texts.lastIndexOf('BEGIN'));
  }

  #message(message: Buffer): void {
    const type = String.fromCharCode(message[0] ?? 0);
    const [first = '', second = ''] = message
      .toString('utf8', 5, Math.min(message.length, 20_000))
      .split('\0', 2);
    if (type === 'Q') this.#add(first);
    else if (type === 'P') this.#named.set(first, second);
    else if (type === 'B') this.#add(this.#named.get(second) ?? '');
  }

  #add(text: string): void {
    if (text === 'BEGIN') this.#texts = [];
    this.#texts.push(text);
  }
}
