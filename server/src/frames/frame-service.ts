import { type Caller, refuseEnded } from '../model/caller.ts';
import { errorKinds, FrameholdError, isAbsent } from '../model/errors.ts';
import { announce } from '../model/failpoints.ts';
import type { Handle } from '../model/handle.ts';
import { formatHandle, mintName, orderedId, parseNewName } from '../model/handle.ts';
import type { Admission } from '../model/limits/admission.ts';
import { otherVersion } from '../model/other-version.ts';
import type { VersionRecord, VersionSummary } from '../model/version.ts';
import type { PinCatalog, VersionPin } from '../ports/catalog/pins.ts';
import type { SharingCatalog } from '../ports/catalog/sharing.ts';
import type { TagCatalog } from '../ports/catalog/tags.ts';
import type { Listed, ListPage, Undropped, VersionCatalog, VersionsPage } from '../ports/catalog/versions.ts';
import type { Reading } from '../ports/reading.ts';
import type { Action, Target } from './access/access.ts';
import { type AccessGuard, ownName, ownTarget, textOf } from './access/access-guard.ts';
import type { Audit } from './access/audit.ts';
import type {
  DropOptions,
  ExpiryChange,
  Frames,
  InspectionSession,
  KeepChange,
  PutFilesSession,
  PutOutcome,
  PutSession,
  PutTarget,
  ReadRange,
  RestoreTarget,
  SplitVersion,
} from './frames.ts';
import type { ArrivingBytes, PutBytes } from './limits/arriving-bytes.ts';
import { rowRanges } from './locality/row-ranges.ts';
import { nearFrame } from './near-frame.ts';
import { againIfPruned } from './reading/again-if-pruned.ts';
import { columnIndices } from './reading/column-indices.ts';
import { findSlice } from './reading/find-slice.ts';
import { findVersion } from './reading/find-version.ts';
import { type OpenVersionDependencies, openVersion } from './reading/open-version.ts';
import { partsOfRows } from './reading/parts-of-rows.ts';
import { repeatIfUnknown } from './unknown-outcome.ts';
import { unlessAnswered } from './writing/earlier-answer.ts';
import { restoreFingerprint } from './writing/fingerprints.ts';
import { Inspection } from './writing/inspection.ts';
import type { PutDependencies, PutProgress } from './writing/put.ts';
import { idempotencyOf, Put } from './writing/put.ts';
import { checkIdempotencyKey, checkPutConditions } from './writing/put-conditions.ts';
import { PutFiles } from './writing/put-files.ts';
import { ReplayedPut } from './writing/replayed-put.ts';

export interface FrameServiceDependencies extends PutDependencies, Omit<OpenVersionDependencies, 'catalog'> {
  readonly catalog: VersionCatalog &
    Pick<SharingCatalog, 'isShared'> &
    Pick<PinCatalog, 'pins'> &
    Pick<TagCatalog, 'taggedVersion'>;
  readonly access: AccessGuard;
  readonly audit: Audit;
  /** Each put holds a file, a slot in the check worker and up to 8 MB of unwritten bytes. */
  readonly puts: Admission;
  /** Each read holds a file and a chunk or two. */
  readonly reads: Admission;
  readonly arriving: ArrivingBytes;
  /** How long a dropped name can come back; 0: not at all. */
  readonly undropMs: number;
  /** How many versions may be kept of a name that asks for it. */
  readonly versionsKeepMax: number;
  /** Called after each put, so that transcoding need not poll. */
  readonly onPut: () => void;
}

/** The core: names and versions on top, parts and objects below. Each method checks access, gets admitted if it streams, and does the work. */
export class FrameService implements Frames {
  readonly #dependencies: FrameServiceDependencies;

  constructor(dependencies: FrameServiceDependencies) {
    this.#dependencies = dependencies;
  }

  beginPut(caller: Caller, target: PutTarget, signal: AbortSignal): Promise<PutSession> {
    return this.#admitPut(caller, target, signal, async (progress, counted) => {
      const begun = await unlessAnswered(
        () => this.#earlier(caller, target),
        () => this.#checkedTarget(caller, target),
      );
      if ('earlier' in begun)
        return new ReplayedPut(begun.earlier, progress, (sha256) =>
          this.#compareBody(caller, target, sha256),
        );
      return Put.begin(this.#dependencies, {
        ...progress,
        bytes: await counted(),
        caller,
        ...begun.value,
        signal,
        openVersion: (record, during) => openVersion(this.#dependencies, record, during),
      });
    });
  }

  beginPutFiles(
    caller: Caller,
    target: PutTarget,
    schemaMessage: Uint8Array,
    signal: AbortSignal,
  ): Promise<PutFilesSession> {
    return this.#admitPut(caller, target, signal, async (progress, counted) => {
      const checked = await this.#checkedTarget(caller, target);
      return new PutFiles(this.#dependencies, {
        ...progress,
        bytes: await counted(),
        caller,
        ...checked,
        schemaMessage,
        signal,
      });
    });
  }

  async replayed(caller: Caller, target: PutTarget): Promise<PutOutcome | null> {
    this.#dependencies.access.check(caller, putAction(target), ownName(caller, target.name));
    return this.#earlier(caller, target);
  }

  /** `counted`: the bytes of the put count towards the quota of its tenant from then on, to its end. */
  async #admitPut<Session>(
    caller: Caller,
    target: PutTarget,
    signal: AbortSignal,
    begin: (progress: Omit<PutProgress, 'bytes'>, counted: () => Promise<PutBytes>) => Promise<Session>,
  ): Promise<Session> {
    const { access, audit, puts, arriving, onPut } = this.#dependencies;
    const action = putAction(target);
    access.check(caller, action, ownName(caller, target.name));
    const step = audit.steps(caller, action, target.name);
    return step(async () => {
      const leave = await puts.admit(caller.tenant, signal);
      let bytes: PutBytes | null = null;
      const counted = async () => {
        bytes = await arriving.begin(caller.tenant, target.bytesAnnounced ?? 0);
        return bytes;
      };
      const onEnd = () => {
        bytes?.end();
        leave();
        onPut();
      };
      try {
        refuseEnded(caller);
        const onDone = (outcome: PutOutcome) => this.#versionMade(caller, action, outcome);
        return await begin({ step, onDone, onEnd }, counted);
      } catch (error) {
        onEnd();
        throw error;
      }
    });
  }

  /** Nothing is changed: only a refusal is in the audit log. Nothing counts for the quota: the bytes are gone with the answer. */
  async beginInspection(
    caller: Caller,
    target: PutTarget,
    partial: boolean,
    signal: AbortSignal,
  ): Promise<InspectionSession> {
    const { access, audit, puts } = this.#dependencies;
    access.check(caller, 'frame.inspect', ownName(caller, target.name));
    const step = audit.steps(caller, 'frame.inspect', target.name);
    return step(async () => {
      const onEnd = await puts.admit(caller.tenant, signal);
      try {
        await this.#checkedTarget(caller, target);
        return await Inspection.begin(this.#dependencies, { caller, target, partial, signal, step, onEnd });
      } catch (error) {
        onEnd();
        throw error;
      }
    });
  }

  /** Not async: this is most of a small request, and each await would be noticeable. */
  resolve(caller: Caller, handle: Handle, signal: AbortSignal): Promise<VersionRecord> {
    if (isForeign(caller, handle)) return this.#resolveForeign(caller, handle, signal);
    try {
      this.#dependencies.access.check(caller, 'frame.describe', ownTarget(caller, handle));
      const record = this.#find(caller, handle, signal);
      return caller.link === null
        ? record
        : record.then((found) => withoutQuery(ofThisIncarnation(caller, found)));
    } catch (error) {
      return Promise.reject(error as Error);
    }
  }

  async split(caller: Caller, handle: Handle, rangesMax: number, signal: AbortSignal): Promise<SplitVersion> {
    const record = await this.resolve(caller, handle, signal);
    // One part has no border inside.
    const hasBorders = record.partCount > 1 && rangesMax > 1;
    const { parts, rowsBefore } = hasBorders
      ? await partsOfRows(this.#dependencies.catalog, record)
      : { parts: [], rowsBefore: 0 };
    const partRows = parts.map((part, index) => part.rows + (index === 0 ? rowsBefore : 0));
    return { record, ranges: rowRanges(record.rows, rangesMax, partRows) };
  }

  async names(caller: Caller, page: ListPage, signal: AbortSignal): Promise<readonly string[]> {
    const { access, catalog, now } = this.#dependencies;
    access.check(caller, 'frame.list');
    signal.throwIfAborted();
    return catalog.names(caller.tenant, page, now());
  }

  async list<Schemas extends boolean = false>(
    caller: Caller,
    page: ListPage<Schemas>,
    signal: AbortSignal,
  ): Promise<readonly Listed<Schemas>[]> {
    const { access, catalog, now } = this.#dependencies;
    access.check(caller, 'frame.list');
    signal.throwIfAborted();
    return catalog.list(caller.tenant, page, now());
  }

  async versions<Schemas extends boolean = false>(
    caller: Caller,
    name: string,
    page: VersionsPage<Schemas>,
    signal: AbortSignal,
  ): Promise<readonly Listed<Schemas>[]> {
    const { access, catalog, now } = this.#dependencies;
    access.check(caller, 'frame.versions', ownName(caller, name));
    signal.throwIfAborted();
    return catalog.versions(caller.tenant, name, page, now());
  }

  async pins(
    caller: Caller,
    versions: readonly VersionSummary[],
    signal: AbortSignal,
  ): Promise<readonly VersionPin[]> {
    const { access, catalog, now } = this.#dependencies;
    const [newest, oldest] = [versions[0], versions.at(-1)];
    if (newest === undefined || oldest === undefined) return [];
    const { name } = newest;
    access.check(caller, 'frame.versions', ownName(caller, name));
    signal.throwIfAborted();
    return catalog.pins(caller.tenant, name, oldest.version, newest.version, now());
  }

  async read(caller: Caller, handle: Handle, range: ReadRange, signal: AbortSignal): Promise<Reading> {
    const { access, audit, reads } = this.#dependencies;
    const target = await this.#target(caller, handle);
    access.check(caller, 'frame.read', target);
    return audit.attempt(caller, 'frame.read', textOf(target, caller), async () => {
      const leave = await reads.admit(caller.tenant, signal);
      try {
        refuseEnded(caller);
        const { release, ...reading } = await this.#open(caller, handle, range, signal);
        return {
          ...reading,
          release: () => {
            release();
            leave();
          },
        };
      } catch (error) {
        leave();
        throw error;
      }
    });
  }

  async #open(caller: Caller, handle: Handle, range: ReadRange, signal: AbortSignal): Promise<Reading> {
    const find = async () => ofThisIncarnation(caller, await this.#find(caller, handle, signal));
    const open = (record: VersionRecord) => this.#openRange(record, range, signal);
    const mayMove = handle.after !== undefined || handle.tag !== undefined;
    return mayMove ? againIfPruned(find, open) : open(await find());
  }

  async #openRange(record: VersionRecord, range: ReadRange, signal: AbortSignal): Promise<Reading> {
    const columns = range.columns === undefined ? null : columnIndices(record, range.columns);
    const offset = Math.min(range.offset ?? 0, record.rows);
    const rowCount = Math.min(range.limit ?? record.rows, record.rows - offset);
    const prefersParquet = columns === null && rowCount === record.rows && range.form === 'parquet';
    const opened = await openVersion(this.#dependencies, record, signal, {
      offset,
      rowCount,
      prefersParquet,
    });
    const { objects, sources, rowsBefore, release } = opened;
    return { record, objects, sources, columns, offset: offset - rowsBefore, rowCount, release };
  }

  async drop(caller: Caller, handle: Handle, options: DropOptions, signal: AbortSignal): Promise<void> {
    const { access, audit, catalog, observe, now, undropMs } = this.#dependencies;
    access.check(caller, 'frame.drop', await this.#target(caller, handle));
    signal.throwIfAborted();
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
      await repeatIfUnknown(() => catalog.drop(change));
    } catch (error) {
      const mayPurge = purge && version === null && ifVersion === null && isAbsent(error);
      if (!mayPurge || (await catalog.purge(tenant, name)) === 0) throw error;
    }
    announce('drop:recorded');
    observe({ event: 'dropped', tenant, name, version, purged: purge });
    const frame = version === null ? name : formatHandle(name, version);
    audit.done(caller, 'frame.drop', frame, purge ? { detail: 'purge' } : {});
  }

  async undrop(caller: Caller, name: string, signal: AbortSignal): Promise<Undropped> {
    const { access, audit, catalog, observe, now, quotaOf } = this.#dependencies;
    access.check(caller, 'frame.undrop', ownName(caller, name));
    signal.throwIfAborted();
    const { tenant } = caller;
    const framesMax = quotaOf(tenant)?.framesMax ?? null;
    const change = { attempt: orderedId(), tenant, name, framesMax, now: now() };
    const undropped = await audit.attempt(caller, 'frame.undrop', name, () =>
      repeatIfUnknown(() => catalog.undrop(change)),
    );
    announce('undrop:recorded');
    observe({ event: 'undropped', tenant, name, version: undropped.record.version });
    if (undropped.expired !== null) audit.expired(tenant, undropped.expired);
    audit.done(caller, 'frame.undrop', name);
    return undropped;
  }

  async restore(
    caller: Caller,
    name: string,
    target: RestoreTarget,
    signal: AbortSignal,
  ): Promise<PutOutcome> {
    const { access, catalog, observe, now } = this.#dependencies;
    access.check(caller, 'frame.restore', ownName(caller, name));
    signal.throwIfAborted();
    const { tenant } = caller;
    const { version, ifMatch, idempotencyKey: key } = target;
    if (key !== undefined) checkIdempotencyKey(key);
    const idempotency = key === undefined ? null : { key, fingerprint: restoreFingerprint(name, target) };
    // Before the condition: the version that it names is no longer the newest if the request is a repeated one.
    const answered = await unlessAnswered(
      async () => idempotency && catalog.replay(tenant, idempotency.key, idempotency.fingerprint, now()),
      async () =>
        ifMatch?.allows(await catalog.resolve(tenant, name, null, now())) ?? target.ifVersion ?? null,
    );
    if ('earlier' in answered) {
      this.#versionMade(caller, 'frame.restore', answered.earlier);
      return answered.earlier;
    }
    const change = {
      attempt: orderedId(),
      tenant,
      name,
      version,
      ifVersion: answered.value,
      idempotency,
      now: now(),
    };
    const restored = await repeatIfUnknown(() => catalog.restore(change));
    announce('restore:recorded');
    if (!restored.replayed)
      observe({ event: 'restored', tenant, name, version: restored.record.version, from: version });
    this.#versionMade(caller, 'frame.restore', restored);
    return restored;
  }

  async expire(
    caller: Caller,
    name: string,
    { expires, ifVersion }: ExpiryChange,
    signal: AbortSignal,
  ): Promise<VersionRecord> {
    const { access, audit, catalog, observe, now } = this.#dependencies;
    access.check(caller, 'frame.expire', ownName(caller, name));
    signal.throwIfAborted();
    const at = now();
    const expiresAt = expires === null ? null : 'at' in expires ? expires.at : at + expires.ttlMs;
    if (expiresAt !== null && expiresAt <= at)
      throw new FrameholdError('bad_request', `${new Date(expiresAt).toISOString()} has passed.`, {
        hint: 'Set a later time, or drop the frame.',
      });
    const record = await repeatIfUnknown(() =>
      catalog.expire(caller.tenant, name, expiresAt, at, ifVersion ?? null),
    );
    announce('expire:recorded');
    observe({ event: 'expiry-set', tenant: caller.tenant, name, expiresAt: record.expiresAt });
    audit.done(caller, 'frame.expire', name);
    return record;
  }

  async keepVersions(
    caller: Caller,
    name: string,
    { versionsKeep, ifVersion }: KeepChange,
    signal: AbortSignal,
  ): Promise<VersionRecord> {
    const { access, audit, catalog, observe, now, versionsKeepMax } = this.#dependencies;
    access.check(caller, 'frame.keep', ownName(caller, name));
    const isNumber = versionsKeep === null || (Number.isSafeInteger(versionsKeep) && versionsKeep >= 1);
    if (!isNumber || (versionsKeep ?? 1) > versionsKeepMax)
      throw new FrameholdError(
        'bad_request',
        `versionsKeep is a whole number from 1 to ${versionsKeepMax}, or null.`,
        {
          hint: 'null means the default of the server. The operator sets the limit: frames.versions_keep_max.',
        },
      );
    signal.throwIfAborted();
    const { tenant } = caller;
    const record = await repeatIfUnknown(() =>
      catalog.keepVersions(tenant, name, versionsKeep, now(), ifVersion ?? null),
    );
    observe({ event: 'versions-keep-set', tenant, name, versionsKeep });
    audit.done(caller, 'frame.keep', name);
    return record;
  }

  /** The answer to the same request, if its key was used. */
  async #earlier(caller: Caller, target: PutTarget, body?: string): Promise<PutOutcome | null> {
    const { catalog, now } = this.#dependencies;
    const given = idempotencyOf(target, body);
    if (given === null) return null;
    checkIdempotencyKey(given.key);
    return catalog.replay(caller.tenant, given.key, given.fingerprint, now(), given.body);
  }

  /** A key that has just been forgotten was used for this request all the same. */
  async #compareBody(caller: Caller, target: PutTarget, sha256: string): Promise<void> {
    await this.#earlier(caller, target, sha256);
  }

  async #checkedTarget(
    caller: Caller,
    target: PutTarget,
  ): Promise<{ readonly name: string; readonly target: PutTarget }> {
    const name = target.name === null ? mintName() : parseNewName(target.name);
    const { ifVersion } = await checkPutConditions(this.#dependencies, caller, name, target);
    return { name, target: ifVersion === undefined ? target : { ...target, ifVersion } };
  }

  #versionMade(caller: Caller, action: Action, outcome: PutOutcome): void {
    // If no name was given, it is known only now.
    caller.used?.frame(outcome.record.name);
    this.#dependencies.audit.versionMade(caller, action, outcome);
  }

  #find(caller: Caller, handle: Handle, signal: AbortSignal): Promise<VersionRecord> {
    signal.throwIfAborted();
    const { tenant = caller.tenant } = handle;
    const found = this.#findIn(tenant, handle);
    const record =
      handle.versionId === undefined ? found : found.then((each) => sameVersion(each, handle.versionId));
    const mayList = caller.link === null && tenant === caller.tenant;
    return mayList ? record.catch((error) => this.#suggest(caller, handle, error)) : record;
  }

  #findIn(tenant: string, handle: Handle): Promise<VersionRecord> {
    const { catalog, now } = this.#dependencies;
    const { name, version, after } = handle;
    if (after === undefined) return findVersion(catalog, tenant, handle, now());
    return findSlice(catalog, { tenant, name, after, version }, now());
  }

  /** Rethrows the error. If the name is unknown and one of the caller's own frames has nearly that name, it says so. */
  async #suggest({ tenant }: Caller, { name }: Handle, error: unknown): Promise<never> {
    const { catalog, now } = this.#dependencies;
    if (!(error instanceof FrameholdError) || error.kind !== 'frame_not_found') throw error;
    if (error.hint !== errorKinds.frame_not_found.hint) throw error;
    // A suggestion that cannot be made is no reason for another error.
    const near = await nearFrame(name, (page) => catalog.names(tenant, page, now())).catch(() => undefined);
    if (near === undefined) throw error;
    throw new FrameholdError('frame_not_found', error.message, {
      hint: `There is a frame ${JSON.stringify(near)}.`,
    });
  }

  /** Readers see a frame of another tenant as `tenant:name`. */
  async #resolveForeign(caller: Caller, handle: Handle, signal: AbortSignal): Promise<VersionRecord> {
    this.#dependencies.access.check(caller, 'frame.describe', await this.#target(caller, handle));
    const record = await this.#find(caller, handle, signal);
    return { ...withoutQuery(record), seenAs: `${record.tenant}:${record.name}` };
  }

  async #target(caller: Caller, handle: Handle): Promise<Target> {
    const target = ownTarget(caller, handle);
    if (!isForeign(caller, handle)) return target;
    const { tenant = caller.tenant, name } = handle;
    const isShared = await this.#dependencies.catalog.isShared(tenant, name, caller.tenant);
    return { ...target, tenant, isShared };
  }
}

function sameVersion(record: VersionRecord, versionId: string | undefined): VersionRecord {
  if (record.versionId === versionId) return record;
  throw otherVersion(record.name, record.version);
}

function putAction({ mode }: PutTarget): Action {
  return mode === 'append' ? 'frame.append' : 'frame.put';
}

/** A link ends when its frame is dropped. Undropping the frame does not restore it. */
function ofThisIncarnation({ link }: Caller, record: VersionRecord): VersionRecord {
  if (link === null || (link.incarnation ?? 0) === (record.incarnation ?? 0)) return record;
  throw new FrameholdError('frame_gone', 'The link ended when its frame was dropped.', {
    hint: 'The frame was dropped and undropped: ask its owner for a new link.',
  });
}

/** For readers outside of the tenant: the statement that made a version names frames that are not shared, and may contain values. */
function withoutQuery(record: VersionRecord): VersionRecord {
  const { query: _, ...origin } = record.origin;
  return { ...record, origin };
}

function isForeign(caller: Caller, { tenant }: Handle): boolean {
  return tenant !== undefined && tenant !== caller.tenant;
}
