const quote = 0x22;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const comma = 0x2c;

/** `{` of the answer, `[` of its dataset: rows are what begins with `[` below these. Columns begin with `{`. */
const depthOfRows = 2;

/**
 * Takes the JSON of an answer (encode/json.ts) as it is rendered, and keeps whole rows of it while they fit. The bytes are not parsed: digits stay as
 * they were rendered.
 */
export class RowCollector {
  readonly #rowsMax: number;
  readonly #bytesMax: number;
  readonly #rows: Buffer[] = [];
  /** Of the row that is being read. */
  #parts: Buffer[] = [];
  #bytes = 0;
  #openBytes = 0;
  #depth = 0;
  #isInRow = false;
  #isInText = false;
  #isEscaped = false;
  #reason: 'rows' | 'bytes' | null = null;

  constructor(limits: { readonly rowsMax: number; readonly bytesMax: number }) {
    this.#rowsMax = limits.rowsMax;
    this.#bytesMax = limits.bytesMax;
  }

  /** false: nothing more is needed. */
  take(chunk: Uint8Array): boolean {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    for (let at = 0; at < bytes.length; at++) {
      const step = this.#step(bytes[at] as number);
      if (step === 'begins') {
        if (this.#rows.length === this.#rowsMax) return this.#stop('rows');
        start = at;
      }
      if (step === 'ends' && !this.#keep(bytes.subarray(start, at + 1), true)) return false;
    }
    return !this.#isInRow || this.#keep(bytes.subarray(start), false);
  }

  get count(): number {
    return this.#rows.length;
  }

  /** Which limit was reached; null if all rows are here. */
  get reason(): 'rows' | 'bytes' | null {
    return this.#reason;
  }

  /** The rows as a JSON array. */
  get text(): string {
    return `[${this.#rows.map((row) => row.toString('utf8')).join(',')}]`;
  }

  #keep(part: Buffer, isWhole: boolean): boolean {
    this.#openBytes += part.length;
    if (this.#bytes + this.#openBytes > this.#bytesMax) return this.#stop('bytes');
    // Copied: the memory of a chunk is used again.
    this.#parts.push(Buffer.from(part));
    if (!isWhole) return true;
    this.#rows.push(Buffer.concat(this.#parts));
    this.#bytes += this.#openBytes + 1;
    this.#parts = [];
    this.#openBytes = 0;
    return true;
  }

  #stop(reason: 'rows' | 'bytes'): false {
    this.#reason = reason;
    return false;
  }

  #step(byte: number): 'begins' | 'ends' | null {
    if (this.#isInText) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === backslash) this.#isEscaped = true;
      else if (byte === quote) this.#isInText = false;
      return null;
    }
    if (byte === quote) this.#isInText = true;
    if (byte === comma || byte === quote) return null;
    if (byte === openBracket || byte === openBrace) {
      this.#depth += 1;
      if (this.#depth !== depthOfRows + 1 || byte === openBrace) return null;
      this.#isInRow = true;
      return 'begins';
    }
    if (byte !== closeBracket && byte !== closeBrace) return null;
    this.#depth -= 1;
    if (this.#depth !== depthOfRows || !this.#isInRow) return null;
    this.#isInRow = false;
    return 'ends';
  }
}
