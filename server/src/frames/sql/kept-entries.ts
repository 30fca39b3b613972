/** What an entry of a map weighs beside its key and its value. */
const entryBytes = 512;

/** Values in memory, within a number of bytes; those that were not used for the longest time go first. */
export class KeptEntries<Value> {
  readonly #entries = new Map<string, { readonly value: Value; readonly bytes: number }>();
  readonly #bytesMax: number;
  /** A larger value is not kept: it would displace many small ones. */
  readonly valueBytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number, valueBytesMax: number) {
    this.#bytesMax = bytesMax;
    this.valueBytesMax = Math.min(valueBytesMax, bytesMax);
  }

  get bytes(): number {
    return this.#bytes;
  }

  get count(): number {
    return this.#entries.size;
  }

  /** Counts as a use. */
  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** `bytes`: what the value weighs. In place of an earlier one. */
  set(key: string, value: Value, bytes: number): void {
    if (bytes > this.valueBytesMax) return;
    this.#remove(key);
    const weight = bytes + key.length * 2 + entryBytes;
    this.#entries.set(key, { value, bytes: weight });
    this.#bytes += weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#bytesMax) return;
      this.#remove(oldest);
    }
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }

  #remove(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }
}
