/** What an entry takes in memory beside its key and its value. */
const entryBytes = 512;

export interface LruLimits<Value> {
  readonly entriesMax?: number;
  /** Of values, keys and entries together. */
  readonly bytesMax?: number;
  /** A larger value is not cached: it would displace many small ones. */
  readonly valueBytesMax?: number;
  /** Called with each value that leaves: displaced, replaced, deleted or cleared. */
  readonly onRemove?: (value: Value, key: string) => void;
}

/** Links of a ring, so that no operation depends on the size of the cache. A Map in order of use would: V8 steps over deleted keys one by one to find the first. */
class Link {
  older: Link = this;
  newer: Link = this;
}

/** The entries of one tenant are the ring that begins and ends here; the next newer one is the least recently used. */
class Share extends Link {
  readonly tenant: string;
  bytes = 0;

  constructor(tenant: string) {
    super();
    this.tenant = tenant;
  }
}

class Entry<Value> extends Link {
  readonly key: string;
  readonly value: Value;
  readonly bytes: number;
  readonly share: Share;

  constructor(key: string, value: Value, bytes: number, share: Share) {
    super();
    this.key = key;
    this.value = value;
    this.bytes = bytes;
    this.share = share;
  }
}

/**
 * Values in memory, limited by their number, by bytes, or by both. Above a limit, the least recently used entry of the tenant with the most bytes is removed: a
 * tenant that fills the cache displaces its own entries, and those of others only down to an equal share.
 */
export class LruCache<Value> {
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #shares = new Map<string, Share>();
  readonly #entriesMax: number;
  readonly #bytesMax: number;
  readonly valueBytesMax: number;
  readonly #onRemove: ((value: Value, key: string) => void) | undefined;
  #bytes = 0;

  constructor({ entriesMax = Infinity, bytesMax = Infinity, valueBytesMax, onRemove }: LruLimits<Value>) {
    this.#entriesMax = entriesMax;
    this.#bytesMax = bytesMax;
    this.valueBytesMax = Math.min(valueBytesMax ?? bytesMax, bytesMax);
    this.#onRemove = onRemove;
  }

  get size(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Counts as a use. */
  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    unlink(entry);
    linkAsNewest(entry);
    return entry.value;
  }

  /** Does not count as a use: in a cache that is only looked at, entries leave in the order in which they were set. */
  peek(key: string): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  /** Does not count as a use. */
  has(key: string): boolean {
    return this.#entries.has(key);
  }

  keys(): Iterable<string> {
    return this.#entries.keys();
  }

  /** Replaces an earlier value. `bytes`: of the value. Default: all entries belong to one tenant. */
  set(key: string, value: Value, bytes = 0, tenant = ''): void {
    this.delete(key);
    if (bytes > this.valueBytesMax) return;
    const share = this.#shares.get(tenant) ?? new Share(tenant);
    const entry = new Entry(key, value, bytes + key.length * 2 + entryBytes, share);
    this.#entries.set(key, entry);
    this.#shares.set(tenant, share);
    linkAsNewest(entry);
    share.bytes += entry.bytes;
    this.#bytes += entry.bytes;
    while (this.#entries.size > this.#entriesMax || this.#bytes > this.#bytesMax) this.#evict();
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    const { value, share, bytes } = entry;
    this.#entries.delete(key);
    unlink(entry);
    this.#bytes -= bytes;
    share.bytes -= bytes;
    if (share.newer === share) this.#shares.delete(share.tenant);
    this.#onRemove?.(value, key);
  }

  clear(): void {
    for (const key of this.#entries.keys()) this.delete(key);
  }

  /** Looks at each tenant that has entries: microseconds for a hundred, and what is cached took far longer to make. */
  #evict(): void {
    let most: Share | null = null;
    for (const share of this.#shares.values()) if (most === null || share.bytes > most.bytes) most = share;
    if (most !== null) this.delete((most.newer as Entry<Value>).key);
  }
}

function unlink({ older, newer }: Link): void {
  older.newer = newer;
  newer.older = older;
}

function linkAsNewest<Value>(entry: Entry<Value>): void {
  const { share } = entry;
  entry.older = share.older;
  entry.newer = share;
  share.older.newer = entry;
  share.older = entry;
}
