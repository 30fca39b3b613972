/** What a server may send after a client has logged in, and before. */
const letters = new Set('1 2 3 C D E G H I K N R S T Z c d n s t v V W A'.split(' '));
/** A report or a row of this listener is never longer: the frames of the fuzzer are small. */
const messageBytesMax = 64 * 1024 * 1024;
const shownCharactersMax = 1_500;

/** Takes the server's messages off a connection. Each must be one of the protocol, and whole; an error must say what it is. */
export class ServerStream {
  /** A letter each, and for reports the SQLSTATE: counted once an exchange. */
  readonly #kinds = new Set<string>();
  fault: string | null = null;
  /** The number of the backend and its key, as they go into a cancel request. */
  key: Buffer | null = null;
  /** The beginning of what came, to be shown. */
  text = '';
  #rest: Buffer = Buffer.alloc(0);
  /** Before the first message encryption is answered with one byte. */
  #hasBegun = false;

  get kinds(): readonly string[] {
    return this.#kinds.size === 0 ? ['no answer'] : [...this.#kinds];
  }

  push(chunk: Buffer): void {
    if (this.text.length < shownCharactersMax)
      this.text += chunk.toString('latin1', 0, shownCharactersMax - this.text.length);
    if (this.fault !== null) return;
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    for (let end = this.#take(at); end > at && this.fault === null; end = this.#take(at)) at = end;
    this.#rest = this.#rest.subarray(at);
  }

  /** Where the message ends that begins there; the same place if it is not whole. */
  #take(at: number): number {
    const rest = this.#rest;
    if (at >= rest.length) return at;
    const letter = String.fromCharCode(rest[at] ?? 0);
    if (!this.#hasBegun && letter === 'N') {
      this.#kinds.add('no encryption');
      return at + 1;
    }
    if (!letters.has(letter)) {
      this.fault = `no message of a server begins with ${JSON.stringify(letter)}`;
      return at;
    }
    if (at + 5 > rest.length) return at;
    this.#hasBegun = true;
    const length = rest.readInt32BE(at + 1);
    if (length < 4 || length > messageBytesMax) {
      this.fault = `a message ${letter} of ${length} bytes`;
      return at;
    }
    const end = at + 1 + length;
    if (end > rest.length) return at;
    this.#see(letter, rest.subarray(at + 5, end));
    return end;
  }

  #see(letter: string, body: Buffer): void {
    if (letter === 'K') this.key = Buffer.from(body);
    this.#kinds.add(letter === 'E' ? this.#report(body) : letter);
  }

  #report(body: Buffer): string {
    const fields = new Map(
      body
        .toString()
        .split('\0')
        .filter((part) => part !== '')
        .map((part) => [part.slice(0, 1), part.slice(1)]),
    );
    const state = fields.get('C') ?? '';
    const routine = fields.get('R') ?? '';
    if (!/^[0-9A-Z]{5}$/.test(state) || routine === '' || (fields.get('M') ?? '') === '')
      this.fault = `a report without a state, a message or a code: ${JSON.stringify([...fields])}`;
    if (routine === 'internal' || routine === 'engine_failed') this.fault = `a report of ${routine}`;
    return state;
  }
}
