import { FrameholdError } from '../../model/errors.ts';
import type { TenantQuota } from '../../model/limits/tenant-limit-values.ts';
import type { Catalog } from '../../ports/catalog/catalog.ts';

export interface ArrivingBytesDependencies {
  readonly catalog: Pick<Catalog, 'usage'>;
  /** null: no limit. */
  readonly quotaOf: (tenant: string) => TenantQuota | null;
}

/** The bytes of one put that have arrived so far. */
export interface PutBytes {
  /** Throws quota_exceeded as soon as all puts of the tenant together cannot fit. */
  add(buffers: readonly Uint8Array[]): void;
  /** The same, for bytes that are not in memory. */
  addBytes(bytes: number): void;
  /** Calling it again does nothing, and neither does `add` after it. */
  end(): void;
}

/** Without a quota nothing needs to be counted. */
const uncounted: PutBytes = { add() {}, addBytes() {}, end() {} };

/**
 * Bytes of puts under way, by tenant. The commit of a put decides whether it is within the quota; this refuses early, so that a tenant over its
 * quota does not fill the disk first.
 */
export class ArrivingBytes {
  readonly #dependencies: ArrivingBytesDependencies;
  readonly #arriving = new Map<string, number>();

  constructor(dependencies: ArrivingBytesDependencies) {
    this.#dependencies = dependencies;
  }

  /** Throws quota_exceeded if the announced bytes do not fit. */
  async begin(tenant: string, bytesAnnounced: number): Promise<PutBytes> {
    const { catalog, quotaOf } = this.#dependencies;
    if (quotaOf(tenant) === null) return uncounted;
    const { bytes: held } = await catalog.usage(tenant);
    this.#check(tenant, held, bytesAnnounced);
    let bytes = 0;
    let ended = false;
    const addBytes = (more: number) => {
      // After the end they would never be subtracted, and the put itself refuses them.
      if (ended) return;
      bytes += more;
      this.#add(tenant, more);
      this.#check(tenant, held, 0);
    };
    return {
      add: (buffers) => addBytes(buffers.reduce((sum, buffer) => sum + buffer.byteLength, 0)),
      addBytes,
      end: () => {
        ended = true;
        this.#add(tenant, -bytes);
        bytes = 0;
      },
    };
  }

  #add(tenant: string, bytes: number): void {
    const sum = (this.#arriving.get(tenant) ?? 0) + bytes;
    if (sum === 0) this.#arriving.delete(tenant);
    else this.#arriving.set(tenant, sum);
  }

  #check(tenant: string, held: number, announced: number): void {
    const bytesMax = this.#dependencies.quotaOf(tenant)?.bytesMax ?? null;
    const arriving = this.#arriving.get(tenant) ?? 0;
    if (bytesMax === null || held + arriving + announced <= bytesMax) return;
    throw new FrameholdError(
      'quota_exceeded',
      `The tenant may hold ${bytesMax} bytes and holds ${held}: this does not fit.`,
      { hint: 'Drop frames with purge, drop versions, or let them expire. The limit is tenant.bytes_max.' },
    );
  }
}
