import type { Caller } from './caller.ts';
import { FrameholdError } from './errors.ts';
import type {
  DropOptions,
  Frames,
  InspectionSession,
  PutOutcome,
  PutSession,
  PutTarget,
  ReadRange,
  RestoreTarget,
} from './frames.ts';
import type { Handle } from './handle.ts';
import type { Catalog } from './ports/catalog/catalog.ts';
import type {
  Listed,
  ListPage,
  TenantQuota,
  TenantUsage,
  Undropped,
  VersionsPage,
} from './ports/catalog/versions.ts';
import type { Reading } from './reading.ts';
import type { TenantLimits } from './tenant-limits.ts';
import type { VersionRecord } from './version.ts';

export interface LimitedFramesParts {
  readonly frames: Frames;
  readonly catalog: Pick<Catalog, 'usage'>;
  readonly limits: TenantLimits;
  /** null: as much as there is room for. */
  readonly quotaOf: (tenant: string) => TenantQuota | null;
}

/**
 * The core, for as much as a tenant may use. The quota is decided when a put is committed; here it is foreseen, so that a tenant above it
 * does not fill the disk first. Whoever is in front of it tells what it refuses.
 */
export class LimitedFrames implements Frames {
  readonly #parts: LimitedFramesParts;
  /** Bytes of puts under way, by tenant. */
  readonly #coming = new Map<string, number>();

  constructor(parts: LimitedFramesParts) {
    this.#parts = parts;
  }

  async beginPut(caller: Caller, target: PutTarget, signal: AbortSignal): Promise<PutSession> {
    const { frames, limits, quotaOf, catalog } = this.#parts;
    const leave = limits.enter('streams', caller.tenant);
    try {
      const usage = quotaOf(caller.tenant) === null ? null : await catalog.usage(caller.tenant);
      if (usage !== null) this.#foresee(caller, usage, target.bytesAnnounced ?? 0);
      const session = await frames.beginPut(caller, target, signal);
      return this.#counted(caller, session, usage, leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** A stream as a put is, but nothing of the quota: its bytes are gone with the answer. */
  async beginInspection(
    caller: Caller,
    target: PutTarget,
    partial: boolean,
    signal: AbortSignal,
  ): Promise<InspectionSession> {
    const leave = this.#parts.limits.enter('streams', caller.tenant);
    try {
      const session = await this.#parts.frames.beginInspection(caller, target, partial, signal);
      return {
        write: (buffers) => session.write(buffers),
        finish: () => session.finish().finally(leave),
        abort: () => session.abort().finally(leave),
      };
    } catch (error) {
      leave();
      throw error;
    }
  }

  resolve(caller: Caller, handle: Handle, signal: AbortSignal): Promise<VersionRecord> {
    return this.#parts.frames.resolve(caller, handle, signal);
  }

  names(caller: Caller, page: ListPage, signal: AbortSignal): Promise<readonly string[]> {
    return this.#parts.frames.names(caller, page, signal);
  }

  list<Schemas extends boolean = false>(
    caller: Caller,
    page: ListPage<Schemas>,
    signal: AbortSignal,
  ): Promise<readonly Listed<Schemas>[]> {
    return this.#parts.frames.list(caller, page, signal);
  }

  versions<Schemas extends boolean = false>(
    caller: Caller,
    name: string,
    page: VersionsPage<Schemas>,
    signal: AbortSignal,
  ): Promise<readonly Listed<Schemas>[]> {
    return this.#parts.frames.versions(caller, name, page, signal);
  }

  async read(caller: Caller, handle: Handle, range: ReadRange, signal: AbortSignal): Promise<Reading> {
    const { frames, limits } = this.#parts;
    const leave = limits.enter('streams', caller.tenant);
    try {
      const reading = await frames.read(caller, handle, range, signal);
      const release = () => {
        reading.release();
        leave();
      };
      return { ...reading, release };
    } catch (error) {
      leave();
      throw error;
    }
  }

  drop(caller: Caller, handle: Handle, options: DropOptions, signal: AbortSignal): Promise<void> {
    return this.#parts.frames.drop(caller, handle, options, signal);
  }

  undrop(caller: Caller, name: string, signal: AbortSignal): Promise<Undropped> {
    return this.#parts.frames.undrop(caller, name, signal);
  }

  restore(caller: Caller, name: string, target: RestoreTarget, signal: AbortSignal): Promise<PutOutcome> {
    return this.#parts.frames.restore(caller, name, target, signal);
  }

  expire(caller: Caller, name: string, ttlMs: number | null, signal: AbortSignal): Promise<VersionRecord> {
    return this.#parts.frames.expire(caller, name, ttlMs, signal);
  }

  #counted(caller: Caller, session: PutSession, usage: TenantUsage | null, leave: () => void): PutSession {
    let bytes = 0;
    let ended = false;
    const end = () => {
      ended = true;
      this.#add(caller.tenant, -bytes);
      bytes = 0;
      leave();
    };
    const count = (buffers: readonly Uint8Array[]) => {
      // After the end nobody would subtract them, and the put itself refuses them.
      if (usage === null || ended) return;
      const more = buffers.reduce((sum, buffer) => sum + buffer.byteLength, 0);
      bytes += more;
      this.#add(caller.tenant, more);
      this.#foresee(caller, usage, 0);
    };
    return {
      write: async (buffers) => {
        count(buffers);
        await session.write(buffers);
      },
      sent: async (buffers) => {
        count(buffers);
        await session.sent(buffers);
      },
      finish: async () => {
        try {
          return await session.finish();
        } finally {
          end();
        }
      },
      abort: async () => {
        try {
          await session.abort();
        } finally {
          end();
        }
      },
    };
  }

  #add(tenant: string, bytes: number): void {
    const sum = (this.#coming.get(tenant) ?? 0) + bytes;
    if (sum === 0) this.#coming.delete(tenant);
    else this.#coming.set(tenant, sum);
  }

  #foresee(caller: Caller, usage: TenantUsage, announced: number): void {
    const bytesMax = this.#parts.quotaOf(caller.tenant)?.bytesMax ?? null;
    const coming = this.#coming.get(caller.tenant) ?? 0;
    if (bytesMax === null || usage.bytes + coming + announced <= bytesMax) return;
    throw new FrameholdError(
      'quota_exceeded',
      `The tenant may hold ${bytesMax} bytes and holds ${usage.bytes}: this does not fit.`,
      { hint: 'Drop frames with purge, drop versions, or let them expire. The limit is tenant.bytes_max.' },
    );
  }
}
