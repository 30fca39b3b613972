import type { Origin, SchemaRecord, VersionRecord } from '../model/version.ts';

export interface RecordCacheLimits {
  readonly recordsMax: number;
  readonly bytesMax: number;
}

/** 10,000 records are some 5 MB; schemas of a thousand columns take 100 KB each, and so may the statement that made a version. */
const defaultLimits: RecordCacheLimits = { recordsMax: 10_000, bytesMax: 32_000_000 };

/** The key for the newest version, beside the numbers of versions. */
const newestKey = 0;

/** Records by name and version, with the schemas that they share. */
class Generation {
  readonly names = new Map<string, Map<number, VersionRecord>>();
  readonly schemas = new Map<string, SchemaRecord>();
  /** Records added: at least as many as are there. */
  recordCount = 0;
  bytes = 0;
}

/**
 * Records that were used lately, so that a frequent read needs no request to the catalog's thread, and one schema object for
 * all that have the same. What changes a name forgets all its versions.
 *
 * Two generations: what is used moves to the young one; when that is full it becomes the old one, and the old one goes.
 * A Map that moves each used key to its end would be slower than the request: V8 keeps deleted entries in the hash chain.
 */
export class RecordCache {
  readonly #limits: RecordCacheLimits;
  #young = new Generation();
  #old = new Generation();

  constructor(limits: RecordCacheLimits = defaultLimits) {
    this.#limits = limits;
  }

  get(tenant: string, name: string, version: number | null, now: number): VersionRecord | undefined {
    const key = nameKey(tenant, name);
    let record = this.#young.names.get(key)?.get(version ?? newestKey);
    if (!record) {
      record = this.#old.names.get(key)?.get(version ?? newestKey);
      if (record) this.put(record, version);
    }
    if (!record || record.name !== name || record.tenant !== tenant) return undefined;
    return record.expiresAt !== null && record.expiresAt <= now ? undefined : record;
  }

  put(record: VersionRecord, version: number | null): void {
    const key = nameKey(record.tenant, record.name);
    const versions = this.#young.names.get(key);
    if (versions) versions.set(version ?? newestKey, record);
    else this.#young.names.set(key, new Map([[version ?? newestKey, record]]));
    this.#count(record);
  }

  /** The name has changed, and this is its newest version now. */
  renew(record: VersionRecord): void {
    const key = nameKey(record.tenant, record.name);
    this.#old.names.delete(key);
    this.#young.names.set(key, new Map([[newestKey, record]]));
    this.#count(record);
  }

  forget(tenant: string, name: string): void {
    const key = nameKey(tenant, name);
    this.#old.names.delete(key);
    this.#young.names.delete(key);
  }

  clear(): void {
    this.#young = new Generation();
    this.#old = new Generation();
  }

  schema(hash: string): SchemaRecord | undefined {
    return this.#young.schemas.get(hash) ?? this.#old.schemas.get(hash);
  }

  #count({ schema, origin }: VersionRecord): void {
    const young = this.#young;
    young.recordCount++;
    young.bytes += originBytes(origin);
    if (!young.schemas.has(schema.hash)) {
      young.schemas.set(schema.hash, schema);
      young.bytes += schema.message.byteLength + 100 * schema.columns.length;
    }
    const { recordsMax, bytesMax } = this.#limits;
    if (young.recordCount < recordsMax / 2 && young.bytes < bytesMax / 2) return;
    this.#old = young;
    this.#young = new Generation();
  }
}

/** Statements are long; other origins do not count. */
function originBytes({ query }: Origin): number {
  if (query === undefined) return 0;
  return 2 * query.sources.reduce((sum, source) => sum + source.length, query.text.length);
}

function nameKey(tenant: string, name: string): string {
  return `${tenant}\0${name.toLowerCase()}`;
}
