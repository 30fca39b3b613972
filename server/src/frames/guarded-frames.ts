import type { Action, Target } from './access.ts';
import { type AccessGuard, textOf } from './access-guard.ts';
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
import { handleTextOf } from './manifest.ts';
import type { Catalog } from './ports/catalog/catalog.ts';
import type { Listed, ListPage, Undropped, VersionsPage } from './ports/catalog/versions.ts';
import type { Reading } from './reading.ts';
import type { VersionRecord } from './version.ts';

export interface GuardedFramesParts {
  readonly frames: Frames;
  readonly catalog: Pick<Catalog, 'isShared'>;
  readonly access: AccessGuard;
}

/** The core behind its access rules: what comes through here, the caller may do. */
export class GuardedFrames implements Frames {
  readonly #frames: Frames;
  readonly #catalog: Pick<Catalog, 'isShared'>;
  readonly #access: AccessGuard;

  constructor({ frames, catalog, access }: GuardedFramesParts) {
    this.#frames = frames;
    this.#catalog = catalog;
    this.#access = access;
  }

  async beginPut(caller: Caller, target: PutTarget, signal: AbortSignal): Promise<PutSession> {
    const action: Action = target.mode === 'append' ? 'frame.append' : 'frame.put';
    const { name } = target;
    this.#access.check(caller, action, name === null ? null : own(caller, { name, version: null }));
    const step = this.#access.steps(caller, action, name);
    const session = await step(() => this.#frames.beginPut(caller, target, signal));
    return {
      write: (buffers) => step(() => session.write(buffers)),
      sent: (buffers) => step(() => session.sent(buffers)),
      abort: () => session.abort(),
      finish: async () => {
        const outcome = await step(() => session.finish());
        this.#tellPut(caller, action, outcome);
        return outcome;
      },
    };
  }

  /** Nothing is changed: only a refusal is a line of the audit log. */
  async beginInspection(
    caller: Caller,
    target: PutTarget,
    partial: boolean,
    signal: AbortSignal,
  ): Promise<InspectionSession> {
    const { name } = target;
    this.#access.check(caller, 'frame.inspect', name === null ? null : own(caller, { name, version: null }));
    const step = this.#access.steps(caller, 'frame.inspect', name);
    const session = await step(() => this.#frames.beginInspection(caller, target, partial, signal));
    return {
      write: (buffers) => step(() => session.write(buffers)),
      finish: () => step(() => session.finish()),
      abort: () => session.abort(),
    };
  }

  resolve(caller: Caller, handle: Handle, signal: AbortSignal): Promise<VersionRecord> {
    if (isForeign(caller, handle)) return this.#resolveForeign(caller, handle, signal);
    try {
      this.#access.check(caller, 'frame.describe', own(caller, handle));
    } catch (error) {
      return Promise.reject(error as Error);
    }
    const record = this.#frames.resolve(caller, handle, signal);
    return caller.link === null ? record : record.then((found) => withoutQuery(ofThisLife(caller, found)));
  }

  async read(caller: Caller, handle: Handle, range: ReadRange, signal: AbortSignal): Promise<Reading> {
    const target = await this.#target(caller, handle);
    this.#access.check(caller, 'frame.read', target);
    const step = this.#access.steps(caller, 'frame.read', textOf(target, caller));
    const reading = await step(() => this.#frames.read(caller, handle, range, signal));
    try {
      ofThisLife(caller, reading.record);
      return reading;
    } catch (error) {
      reading.release();
      throw error;
    }
  }

  async names(caller: Caller, page: ListPage, signal: AbortSignal): Promise<readonly string[]> {
    this.#access.check(caller, 'frame.list');
    return this.#frames.names(caller, page, signal);
  }

  async list<Schemas extends boolean = false>(
    caller: Caller,
    page: ListPage<Schemas>,
    signal: AbortSignal,
  ): Promise<readonly Listed<Schemas>[]> {
    this.#access.check(caller, 'frame.list');
    return this.#frames.list(caller, page, signal);
  }

  async versions<Schemas extends boolean = false>(
    caller: Caller,
    name: string,
    page: VersionsPage<Schemas>,
    signal: AbortSignal,
  ): Promise<readonly Listed<Schemas>[]> {
    this.#access.check(caller, 'frame.versions', own(caller, { name, version: null }));
    return this.#frames.versions(caller, name, page, signal);
  }

  async drop(caller: Caller, handle: Handle, options: DropOptions, signal: AbortSignal): Promise<void> {
    const target = await this.#target(caller, handle);
    this.#access.check(caller, 'frame.drop', target);
    await this.#frames.drop(caller, handle, options, signal);
    const { name, version } = handle;
    const told = options.purge ? { detail: 'purge' } : {};
    this.#access.done(caller, 'frame.drop', version === null ? name : `${name}@${version}`, told);
  }

  async undrop(caller: Caller, name: string, signal: AbortSignal): Promise<Undropped> {
    this.#access.check(caller, 'frame.undrop', own(caller, { name, version: null }));
    const step = this.#access.steps(caller, 'frame.undrop', name);
    const undropped = await step(() => this.#frames.undrop(caller, name, signal));
    if (undropped.expired !== null) this.#access.expired(caller.tenant, undropped.expired);
    this.#access.done(caller, 'frame.undrop', name);
    return undropped;
  }

  async restore(
    caller: Caller,
    name: string,
    target: RestoreTarget,
    signal: AbortSignal,
  ): Promise<PutOutcome> {
    this.#access.check(caller, 'frame.restore', own(caller, { name, version: null }));
    const outcome = await this.#frames.restore(caller, name, target, signal);
    this.#tellPut(caller, 'frame.restore', outcome);
    return outcome;
  }

  async expire(
    caller: Caller,
    name: string,
    ttlMs: number | null,
    signal: AbortSignal,
  ): Promise<VersionRecord> {
    this.#access.check(caller, 'frame.expire', own(caller, { name, version: null }));
    const record = await this.#frames.expire(caller, name, ttlMs, signal);
    this.#access.done(caller, 'frame.expire', name);
    return record;
  }

  #tellPut(caller: Caller, action: Action, { record, replayed, expired }: PutOutcome): void {
    // Where no name was given, it is known only now.
    caller.used?.frame(record.name);
    // The answer to an idempotency key that came again: nothing was changed.
    if (replayed) return;
    if (expired !== null) this.#access.expired(record.tenant, expired);
    this.#access.done(caller, action, handleTextOf(record));
  }

  /** A frame of another tenant is called `tenant:name` in whatever its reader sees. */
  async #resolveForeign(caller: Caller, handle: Handle, signal: AbortSignal): Promise<VersionRecord> {
    this.#access.check(caller, 'frame.describe', await this.#target(caller, handle));
    const record = await this.#frames.resolve(caller, handle, signal);
    return { ...withoutQuery(record), seenAs: `${record.tenant}:${record.name}` };
  }

  async #target(caller: Caller, handle: Handle): Promise<Target> {
    const target = own(caller, handle);
    if (!isForeign(caller, handle)) return target;
    const { tenant = caller.tenant, name } = handle;
    return { ...target, tenant, isShared: await this.#catalog.isShared(tenant, name, caller.tenant) };
  }
}

/** A link ends with the drop of its frame, and does not come back with it. */
function ofThisLife({ link }: Caller, record: VersionRecord): VersionRecord {
  if (link === null || (link.life ?? 0) === (record.life ?? 0)) return record;
  throw new FrameholdError('frame_gone', 'The link ended when its frame was dropped.', {
    hint: 'The frame was undropped since: ask its owner for a new link.',
  });
}

/** For readers outside of the tenant: the statement that made a version names frames that are not shared, and may have values in it. */
function withoutQuery(record: VersionRecord): VersionRecord {
  const { query: _, ...origin } = record.origin;
  return { ...record, origin };
}

function isForeign(caller: Caller, { tenant }: Handle): boolean {
  return tenant !== undefined && tenant !== caller.tenant;
}

function own({ tenant }: Caller, { name, version }: Handle): Target {
  return { tenant, name, version, isShared: false };
}
