/** What an entry of a map weighs beside its key and its value. */
const entryBytes = 512;

interface Entry<Value> {
  readonly value: Value;
  readonly bytes: number;
  readonly tenant: string;
}

interface Share {
  /** Those used last are at the end. */
  readonly keys: Set<string>;
  bytes: number;
}

/**
 * Values in memory, within a number of bytes. If there is no room, one of the tenant that has most goes, the one that was not used for the longest time: a tenant
 * that keeps much displaces its own values, and those of others only down to an equal share.
 */
export class KeptEntries<Value> {
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #shares = new Map<string, Share>();
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
    const keys = this.#shares.get(entry.tenant)?.keys;
    keys?.delete(key);
    keys?.add(key);
    return entry.value;
  }

  /** `bytes`: what the value weighs. In place of an earlier one. Default: all values are of one tenant. */
  set(key: string, value: Value, bytes: number, tenant = ''): void {
    if (bytes > this.valueBytesMax) return;
    this.#remove(key);
    const weight = bytes + key.length * 2 + entryBytes;
    this.#entries.set(key, { value, bytes: weight, tenant });
    const share = this.#shares.get(tenant) ?? { keys: new Set(), bytes: 0 };
    this.#shares.set(tenant, share);
    share.keys.add(key);
    share.bytes += weight;
    this.#bytes += weight;
    while (this.#bytes > this.#bytesMax) this.#removeOne();
  }

  clear(): void {
    this.#entries.clear();
    this.#shares.clear();
    this.#bytes = 0;
  }

  /** Looks at every tenant that has something: microseconds for a hundred, and what is kept took far longer to make. */
  #removeOne(): void {
    let most: Share | null = null;
    for (const share of this.#shares.values()) if (most === null || share.bytes > most.bytes) most = share;
    for (const oldest of most?.keys ?? []) {
      this.#remove(oldest);
      return;
    }
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
    const share = this.#shares.get(entry.tenant);
    if (share === undefined) return;
    share.keys.delete(key);
    share.bytes -= entry.bytes;
    if (share.keys.size === 0) this.#shares.delete(entry.tenant);
  }
}
