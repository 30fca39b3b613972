import type { Admission } from './admission.ts';
import { type Caller, refuseEnded } from './caller.ts';
import { certainly } from './certain-change.ts';
import { FrameholdError, isAbsent } from './errors.ts';
import { frameDamaged } from './frame-damaged.ts';
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
import { mintName, orderedId, parseNewName } from './handle.ts';
import { Inspection } from './inspection.ts';
import type { Leases } from './leases.ts';
import type { ObjectGuard } from './object-guard.ts';
import { openObjects } from './open-objects.ts';
import { exactForm, exactObjects } from './part-forms.ts';
import type { Listed, ListPage, Undropped, VersionsPage } from './ports/catalog/versions.ts';
import type { PutParts } from './put.ts';
import { fingerprintOf, Put, ReplayedPut, restoreFingerprint } from './put.ts';
import type { PartSource, Reading } from './reading.ts';
import { announce } from './steps.ts';
import type { PartRecord, SchemaRecord, StoredObject, VersionRecord } from './version.ts';

export interface FrameServiceParts extends PutParts {
  readonly leases: Leases;
  readonly guard: ObjectGuard;
  /** Each put holds a file, a place in the check worker and up to 8 MB of unwritten bytes. */
  readonly puts: Admission;
  /** Each read holds a file and a chunk or two. */
  readonly reads: Admission;
  /** How long a dropped name can come back; 0: not at all. */
  readonly undropMs: number;
  /** Told after each put, so that settling need not poll. */
  readonly onPut: () => void;
}

const idempotencyKeyLengthMax = 255;
/** A part has two forms: each may be found damaged once, then there is none left to find. */
const openTriesMax = 3;

interface OpenedVersion {
  readonly objects: readonly StoredObject[];
  readonly sources: readonly PartSource[];
  readonly release: () => void;
}

/** The core: names and versions on top, parts and objects below. */
export class FrameService implements Frames {
  readonly #parts: FrameServiceParts;

  constructor(parts: FrameServiceParts) {
    this.#parts = parts;
  }

  async beginPut(caller: Caller, target: PutTarget, signal: AbortSignal): Promise<PutSession> {
    const leave = await this.#parts.puts.enter(signal);
    const onEnd = () => {
      leave();
      this.#parts.onPut();
    };
    try {
      refuseEnded(caller);
      return await this.#openPut(caller, target, signal, onEnd);
    } catch (error) {
      onEnd();
      throw error;
    }
  }

  async beginInspection(
    caller: Caller,
    target: PutTarget,
    partial: boolean,
    signal: AbortSignal,
  ): Promise<InspectionSession> {
    const onEnd = await this.#parts.puts.enter(signal);
    try {
      if (target.name !== null) await this.#checkConditions(caller, parseNewName(target.name), target);
      return await Inspection.begin(this.#parts, { caller, target, partial, signal, onEnd });
    } catch (error) {
      onEnd();
      throw error;
    }
  }

  resolve(caller: Caller, handle: Handle, signal: AbortSignal): Promise<VersionRecord> {
    signal.throwIfAborted();
    return this.#parts.catalog.resolve(
      handle.tenant ?? caller.tenant,
      handle.name,
      handle.version,
      this.#parts.now(),
    );
  }

  async names(caller: Caller, page: ListPage, signal: AbortSignal): Promise<readonly string[]> {
    signal.throwIfAborted();
    return this.#parts.catalog.names(caller.tenant, page, this.#parts.now());
  }

  async list<Schemas extends boolean = false>(
    caller: Caller,
    page: ListPage<Schemas>,
    signal: AbortSignal,
  ): Promise<readonly Listed<Schemas>[]> {
    signal.throwIfAborted();
    return this.#parts.catalog.list(caller.tenant, page, this.#parts.now());
  }

  async versions<Schemas extends boolean = false>(
    caller: Caller,
    name: string,
    page: VersionsPage<Schemas>,
    signal: AbortSignal,
  ): Promise<readonly Listed<Schemas>[]> {
    signal.throwIfAborted();
    return this.#parts.catalog.versions(caller.tenant, name, page, this.#parts.now());
  }

  async read(caller: Caller, handle: Handle, range: ReadRange, signal: AbortSignal): Promise<Reading> {
    const { reads } = this.#parts;
    const record = await this.resolve(caller, handle, signal);
    const columns = range.columns === undefined ? null : columnIndices(record, range.columns);
    const offset = Math.min(range.offset ?? 0, record.rows);
    const rowCount = Math.min(range.limit ?? record.rows, record.rows - offset);
    const leave = await reads.enter(signal);
    try {
      refuseEnded(caller);
      const { objects, sources, release } = await this.#open(record, signal);
      return { record, sources, columns, offset, rowCount, objects, release: both(release, leave) };
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Leases the objects of a version and finds their files; tries again where one is found damaged and the catalog names another form. */
  async #open(record: VersionRecord, signal: AbortSignal): Promise<OpenedVersion> {
    const { catalog, leases } = this.#parts;
    for (let tries = 1; tries <= openTriesMax; tries++) {
      const parts = await catalog.parts(record.tenant, record.name, record.version);
      // Taken in the same turn in which the catalog answered: the collector looks at the leases in a later one.
      const objects = parts.flatMap(exactObjects);
      const release = leases.take(objects.map(({ key }) => key));
      try {
        signal.throwIfAborted();
        if (parts.some((part) => exactForm(part) === undefined)) throw frameDamaged(record);
        const opened = await this.#openSources(parts, objects, signal);
        if (opened !== null)
          return { objects, sources: opened.sources, release: both(opened.release, release) };
      } catch (error) {
        release();
        throw error;
      }
      release();
    }
    throw frameDamaged(record);
  }

  /** null where an object was found damaged just now: the catalog then names other forms, or none. */
  async #openSources(
    parts: readonly PartRecord[],
    objects: readonly StoredObject[],
    signal: AbortSignal,
  ): Promise<Pick<OpenedVersion, 'sources' | 'release'> | null> {
    const { store, guard } = this.#parts;
    if (!(await guard.admit(objects, signal))) return null;
    try {
      const { paths, release } = await openObjects(store, objects);
      return { sources: sourcesOf(parts, paths), release };
    } catch (error) {
      if (await guard.examine(objects)) return null;
      throw error;
    }
  }

  async drop(caller: Caller, handle: Handle, options: DropOptions, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { catalog, observe, now, undropMs } = this.#parts;
    const { name, version } = handle;
    const { tenant } = caller;
    const { ifVersion, purge } = options;
    try {
      const change = {
        attempt: orderedId(),
        tenant,
        name,
        version,
        ifVersion,
        undropMs: purge ? 0 : undropMs,
        now: now(),
      };
      await certainly(() => catalog.drop(change));
    } catch (error) {
      const mayPurge = purge && version === null && ifVersion === null && isAbsent(error);
      if (!mayPurge || (await catalog.purge(tenant, name)) === 0) throw error;
    }
    announce('drop:recorded');
    observe({ event: 'dropped', tenant, name, version, purged: purge });
  }

  async undrop(caller: Caller, name: string, signal: AbortSignal): Promise<Undropped> {
    signal.throwIfAborted();
    const { catalog, observe, now, quotaOf } = this.#parts;
    const { tenant } = caller;
    const framesMax = quotaOf(tenant)?.framesMax ?? null;
    const change = { attempt: orderedId(), tenant, name, framesMax, now: now() };
    const undropped = await certainly(() => catalog.undrop(change));
    announce('undrop:recorded');
    observe({ event: 'undropped', tenant, name, version: undropped.record.version });
    return undropped;
  }

  async restore(
    caller: Caller,
    name: string,
    target: RestoreTarget,
    signal: AbortSignal,
  ): Promise<PutOutcome> {
    signal.throwIfAborted();
    const { catalog, observe, now } = this.#parts;
    const { tenant } = caller;
    const { version, ifVersion = null, idempotencyKey } = target;
    if (idempotencyKey !== undefined) checkIdempotencyKey(idempotencyKey);
    const idempotency =
      idempotencyKey === undefined
        ? null
        : { key: idempotencyKey, fingerprint: restoreFingerprint(name, target) };
    const change = { attempt: orderedId(), tenant, name, version, ifVersion, idempotency, now: now() };
    const restored = await certainly(() => catalog.restore(change));
    announce('restore:recorded');
    if (!restored.replayed)
      observe({ event: 'restored', tenant, name, version: restored.record.version, from: version });
    return restored;
  }

  async expire(
    caller: Caller,
    name: string,
    ttlMs: number | null,
    signal: AbortSignal,
  ): Promise<VersionRecord> {
    signal.throwIfAborted();
    const { catalog, observe, now } = this.#parts;
    const record = await catalog.expire(caller.tenant, name, ttlMs === null ? null : now() + ttlMs, now());
    announce('expire:recorded');
    observe({ event: 'expiry-set', tenant: caller.tenant, name, expiresAt: record.expiresAt });
    return record;
  }

  async #openPut(
    caller: Caller,
    target: PutTarget,
    signal: AbortSignal,
    onEnd: () => void,
  ): Promise<PutSession> {
    const { catalog, now } = this.#parts;
    const { idempotencyKey } = target;
    if (idempotencyKey !== undefined) {
      checkIdempotencyKey(idempotencyKey);
      const earlier = await catalog.replay(caller.tenant, idempotencyKey, fingerprintOf(target), now());
      if (earlier !== null) return new ReplayedPut(earlier, onEnd);
    }
    const name = target.name === null ? mintName() : parseNewName(target.name);
    await this.#checkConditions(caller, name, target);
    return Put.begin(this.#parts, {
      caller,
      name,
      target,
      signal,
      onEnd,
      openVersion: (record, during) => this.#open(record, during),
    });
  }

  /** Refuses before the bytes come what the commit would refuse after them. The commit decides. */
  async #checkConditions(caller: Caller, name: string, target: PutTarget): Promise<void> {
    const { catalog, now } = this.#parts;
    let newest: VersionRecord | null = null;
    try {
      newest = await catalog.resolve(caller.tenant, name, null, now());
    } catch (error) {
      if (!isAbsent(error) || target.mode === 'append') throw error;
    }
    if (newest !== null && target.mode === 'create') throw frameExists(newest);
    if (target.ifVersion !== undefined && newest?.version !== target.ifVersion)
      throw versionMismatch(name, newest?.version ?? null, target.ifVersion);
  }
}

function frameExists(newest: VersionRecord): FrameholdError {
  return new FrameholdError(
    'frame_exists',
    `The frame ${newest.name} exists, at version ${newest.version}.`,
    {
      hint: 'Replace it, append to it, or choose another name.',
    },
  );
}

function versionMismatch(name: string, newest: number | null, wanted: number): FrameholdError {
  const state = newest === null ? `There is no frame ${name}` : `The newest version of ${name} is ${newest}`;
  return new FrameholdError('version_mismatch', `${state}, and the request wants version ${wanted}.`, {
    hint: 'Read the frame again and decide with its newest version.',
  });
}

function checkIdempotencyKey(key: string): void {
  if (key.length >= 1 && key.length <= idempotencyKeyLengthMax && /^[\x21-\x7e]+$/.test(key)) return;
  throw new FrameholdError('bad_request', 'The idempotency key is not usable.', {
    hint: `Give 1 to ${idempotencyKeyLengthMax} printable ASCII characters without spaces.`,
  });
}

/** By schema, which a catalog keeps: a frame may have a hundred thousand columns, and a request name many of them. */
const columnPlaces = new WeakMap<SchemaRecord, ReadonlyMap<string, number>>();

function placesOf(schema: SchemaRecord): ReadonlyMap<string, number> {
  const known = columnPlaces.get(schema);
  if (known !== undefined) return known;
  // From the end, so that of two columns of the same name the first counts.
  const places = new Map(schema.columns.map(({ name }, index) => [name, index] as const).reverse());
  columnPlaces.set(schema, places);
  return places;
}

function columnIndices({ name: frame, schema }: VersionRecord, names: readonly string[]): readonly number[] {
  const places = placesOf(schema);
  return names.map((name) => {
    const index = places.get(name);
    if (index !== undefined) return index;
    const known = schema.columns.slice(0, 20).map((column) => column.name);
    const more =
      schema.columns.length > known.length ? `, and ${schema.columns.length - known.length} more` : '';
    throw new FrameholdError('column_not_found', `${frame} has no column ${JSON.stringify(name)}.`, {
      hint: `Its columns: ${known.join(', ')}${more}.`,
    });
  });
}

function both(first: () => void, second: () => void): () => void {
  return () => {
    first();
    second();
  };
}

/** `paths` are those of the parts' objects, one after the other. */
function sourcesOf(parts: readonly PartRecord[], paths: readonly string[]): readonly PartSource[] {
  let next = 0;
  return parts.map((part) => {
    const kind = exactForm(part)?.kind ?? 'arrow';
    const files = paths.slice(next, next + exactObjects(part).length);
    next += files.length;
    return { rows: part.rows, kind, paths: files };
  });
}
