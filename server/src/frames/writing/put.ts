import { stat } from 'node:fs/promises';
import { waitingFor } from '../../base/request-time.ts';
import { type Caller, refuseEnded } from '../../model/caller.ts';
import { FrameholdError } from '../../model/errors.ts';
import { announce } from '../../model/failpoints.ts';
import { orderedId } from '../../model/handle.ts';
import type { TenantQuota } from '../../model/limits/tenant-limit-values.ts';
import type { Origin, SchemaRecord, StoredObject, TextNotation, VersionRecord } from '../../model/version.ts';
import type { Commit, Idempotency, VersionCatalog } from '../../ports/catalog/versions.ts';
import type { CheckReport, CheckRun, Codec, DecodeRequest, Reconciled } from '../../ports/codec.ts';
import type { ObjectStore, StagedFile } from '../../ports/object-store.ts';
import type { Observe } from '../../ports/observation.ts';
import type { PartSource } from '../../ports/reading.ts';
import type { Step } from '../access/audit.ts';
import type { ContentDigest, PutOutcome, PutSession, PutTarget } from '../frames.ts';
import type { PutBytes } from '../limits/arriving-bytes.ts';
import type { DiskBudget } from '../limits/disk-budget.ts';
import type { ObjectGuard } from '../objects/object-guard.ts';
import { arrowKey } from '../objects/part-keys.ts';
import { frameDamaged } from '../reading/frame-damaged.ts';
import { isOutcomeUnknown, repeatIfUnknown } from '../unknown-outcome.ts';
import { putFingerprint } from './fingerprints.ts';
import { PendingWrites } from './pending-writes.ts';
import { isOtherBase } from './put-conditions.ts';

export interface PutDependencies {
  readonly catalog: VersionCatalog;
  readonly store: ObjectStore;
  readonly codec: Codec;
  readonly diskBudget: DiskBudget;
  readonly guard: ObjectGuard;
  readonly observe: Observe;
  readonly now: () => number;
  /** null: no limit. Called when it is needed: a put may take hours, and the limit at that time counts. */
  readonly quotaOf: (tenant: string) => TenantQuota | null;
}

/** What a put does besides its work: log refusals, count bytes, report its end. */
export interface PutProgress {
  /** Runs what the caller asks for: a refusal is in the audit log. */
  readonly step: Step;
  readonly bytes: PutBytes;
  /** Called when the put has succeeded, before `onEnd`. */
  readonly onDone: (outcome: PutOutcome) => void;
  /** Called however the put ends, perhaps more than once. */
  readonly onEnd: () => void;
}

export interface PutRequest extends PutProgress {
  readonly caller: Caller;
  readonly name: string;
  readonly target: PutTarget;
  readonly signal: AbortSignal;
  /** Holds the files of a version until they are released. */
  readonly openVersion: (record: VersionRecord, signal: AbortSignal) => Promise<OpenedVersion>;
}

interface OpenedVersion {
  readonly objects: readonly StoredObject[];
  readonly sources: readonly PartSource[];
  readonly release: () => void;
}

/** A stream that may be published, and what its check has found. */
interface CheckedFile {
  readonly file: StagedFile;
  readonly report: CheckReport;
}

const textFormats: readonly PutTarget['format'][] = ['csv', 'ndjson', 'json'];

/** Appends race for the newest schema; each lost race means that another append succeeded. */
const appendTriesMax = 8;

/**
 * One put: stage, check, publish, commit, in this order. What was staged and not committed is discarded here, and swept
 * at the next start if this process ends first.
 */
export class Put implements PutSession {
  readonly #dependencies: PutDependencies;
  readonly #request: PutRequest;
  readonly #startedAt: number;
  readonly #partId: string;
  readonly #upload: StagedFile;
  readonly #writes: PendingWrites;
  readonly #staged: StagedFile[];
  /** The key of an object that is in the store but not (yet) in the catalog. */
  #published: string | null = null;
  #check: CheckRun | null = null;
  #checkFailure: unknown = null;
  /** How the upload was read, if it is text. */
  #text: TextNotation | null = null;
  /** Of the bytes as they came, without their coding. Of what must be decoded it is only known if there is an idempotency key. */
  #bodySha256: string | undefined = undefined;
  /** The content with its coding, if its digest was given. */
  #sent: Promise<StagedFile> | null = null;
  #ended = false;

  private constructor(
    dependencies: PutDependencies,
    request: PutRequest,
    partId: string,
    upload: StagedFile,
  ) {
    this.#dependencies = dependencies;
    this.#request = request;
    this.#startedAt = dependencies.now();
    this.#partId = partId;
    this.#upload = upload;
    this.#staged = [upload];
    if (request.target.format === 'arrow') this.#check = this.#followedCheck(upload.path);
    this.#writes = new PendingWrites(upload, (bytes) => {
      this.#check?.advance(bytes);
      announce('put:written');
    });
  }

  static async begin(dependencies: PutDependencies, request: PutRequest): Promise<Put> {
    const partId = orderedId();
    await dependencies.diskBudget.demand(request.target.bytesAnnounced ?? 0);
    const upload = await dependencies.store.staging.file(arrowKey(request.caller.tenant, partId), {
      likely: request.target.format === 'arrow',
    });
    announce('put:staged');
    return new Put(dependencies, request, partId, upload);
  }

  write(buffers: readonly Uint8Array[]): Promise<void> {
    return this.#request.step(() => this.#write(buffers));
  }

  sent(buffers: readonly Uint8Array[]): Promise<void> {
    return this.#request.step(() => this.#keepSent(buffers));
  }

  finish(): Promise<PutOutcome> {
    return this.#request.step(() => this.#finish());
  }

  async #write(buffers: readonly Uint8Array[]): Promise<void> {
    this.#refuseAfterEnd();
    this.#request.bytes.add(buffers);
    this.#request.signal.throwIfAborted();
    if (this.#checkFailure !== null) throw this.#checkFailure;
    await this.#dependencies.diskBudget.take(byteLength(buffers));
    this.#refuseAfterEnd();
    await this.#writes.write(buffers);
  }

  async #keepSent(buffers: readonly Uint8Array[]): Promise<void> {
    this.#refuseAfterEnd();
    this.#request.bytes.add(buffers);
    await this.#dependencies.diskBudget.take(byteLength(buffers));
    this.#refuseAfterEnd();
    // The promise is kept, so that ending the put in the meantime finds the file.
    this.#sent ??= this.#dependencies.store.staging.file(this.#upload.key);
    const file = await this.#sent;
    this.#refuseAfterEnd();
    await file.write(buffers);
  }

  async #finish(): Promise<PutOutcome> {
    try {
      // A body may take hours to arrive: no work is done for a caller whose credential has ended meanwhile.
      refuseEnded(this.#request.caller);
      await this.#writes.flush();
      announce('put:received');
      const later = await this.#compareDigests();
      if (this.#request.target.format !== 'arrow') await this.#decode();
      const arrow = this.#newest();
      const report = await this.#checked(arrow);
      if (this.#request.target.format === 'arrow') this.#bodySha256 = report.sha256;
      for (const digest of later) compareDigest(digest, report.sha256);
      this.#request.signal.throwIfAborted();
      const outcome = await (this.#request.target.mode === 'append'
        ? this.#append(arrow, report)
        : this.#commit(arrow, report, report.schema, null));
      this.#observePut(outcome);
      this.#request.onDone(outcome);
      return outcome;
    } finally {
      await this.abort();
    }
  }

  async abort(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    this.#check?.cancel();
    try {
      await this.#writes.flush().catch(() => {});
      const cleaned = await Promise.allSettled([
        ...this.#staged.map((file) => file.discard()),
        this.#discardSent(),
        this.#removePublished(),
      ]);
      // What could not be removed is an orphan, which is collected later: no reason to fail a put that has succeeded.
      for (const each of cleaned) {
        if (each.status === 'rejected')
          this.#dependencies.observe({ event: 'background-failed', job: 'put', error: each.reason });
      }
    } finally {
      this.#request.onEnd();
    }
  }

  async #removePublished(): Promise<void> {
    if (this.#published !== null) await this.#dependencies.store.remove(this.#published);
  }

  /** Nothing would remove a file that was staged after the end. */
  #refuseAfterEnd(): void {
    if (this.#ended) throw new FrameholdError('cancelled', 'The put has ended: it takes nothing more.');
  }

  async #discardSent(): Promise<void> {
    const sent = await this.#sent?.catch(() => null);
    await sent?.discard();
  }

  #followedCheck(path: string): CheckRun {
    const isAppend = this.#request.target.mode === 'append';
    const check = this.#dependencies.codec.check(
      path,
      isAppend ? (schema) => void this.#foresee(schema) : null,
    );
    check.failed.then((error) => {
      this.#checkFailure = error;
    });
    return check;
  }

  /** Refuses columns that cannot fit, during the upload. The append itself compares again, with the newest version. */
  async #foresee(schema: SchemaRecord): Promise<void> {
    const { catalog, codec, now } = this.#dependencies;
    const { caller, name, target } = this.#request;
    try {
      const base = await catalog.resolve(caller.tenant, name, null, now());
      if (!isOtherBase(base, target)) await codec.reconcile(base.schema, schema);
    } catch (error) {
      if (error instanceof FrameholdError && error.kind === 'schema_conflict') this.#checkFailure ??= error;
    }
  }

  async #stage(): Promise<StagedFile> {
    const file = await this.#dependencies.store.staging.file(this.#upload.key);
    this.#staged.push(file);
    return file;
  }

  #newest(): StagedFile {
    return this.#staged.at(-1) ?? this.#upload;
  }

  async #decode(): Promise<void> {
    const { target, signal } = this.#request;
    if (target.format === 'arrow') return;
    if (target.idempotencyKey !== undefined)
      this.#bodySha256 = await this.#dependencies.codec.hash(this.#upload.path, 'sha256', signal);
    const file = await this.#stage();
    const request = {
      format: target.format,
      source: this.#upload.path,
      target: file.path,
      csv: target.csv ?? {},
      ...(await this.#frameTypes()),
      ...(await this.#decodedLimit()),
    };
    const { text } = await this.#dependencies.diskBudget.during(signal, (during) =>
      this.#dependencies.codec.decode(request, during),
    );
    this.#text = text ?? null;
    announce('put:decoded');
    await this.#upload.discard();
    this.#check = this.#dependencies.codec.check(file.path);
  }

  /** Text formats say little about types: rows to append are read with the types of the frame. */
  async #frameTypes(): Promise<Pick<DecodeRequest, 'frame'>> {
    const { caller, name, target } = this.#request;
    if (target.mode !== 'append' || !textFormats.includes(target.format)) return {};
    const { catalog, now } = this.#dependencies;
    return { frame: (await catalog.resolve(caller.tenant, name, null, now())).schema };
  }

  /** What is left of the quota now. The commit decides, but by then all of it would be on the disk. */
  async #decodedLimit(): Promise<Pick<DecodeRequest, 'targetBytesMax'>> {
    const { catalog, quotaOf } = this.#dependencies;
    const { tenant } = this.#request.caller;
    const bytesMax = quotaOf(tenant)?.bytesMax ?? null;
    if (bytesMax === null) return {};
    const { bytes } = await catalog.usage(tenant);
    return { targetBytesMax: Math.max(0, bytesMax - bytes) };
  }

  /** Those that the hash of the check answers: of an Arrow stream that is stored as it was sent. */
  async #compareDigests(): Promise<readonly ContentDigest[]> {
    const { digests = [], digestOfSent = false, format } = this.#request.target;
    if (digestOfSent && digests.length > 0) await this.#keepSent([]);
    const sent = digestOfSent ? await this.#sent : null;
    const path = (sent ?? this.#upload).path;
    const later: ContentDigest[] = [];
    for (const digest of digests) {
      if (format === 'arrow' && !digestOfSent && digest.algorithm === 'sha256') later.push(digest);
      else
        compareDigest(
          digest,
          await this.#dependencies.codec.hash(path, digest.algorithm, this.#request.signal),
        );
    }
    await sent?.discard();
    return later;
  }

  async #checked(file: StagedFile): Promise<CheckReport> {
    const { size } = await stat(file.path);
    const check = this.#check ?? this.#dependencies.codec.check(file.path);
    const synced = file.sync().then(() => announce('put:synced'));
    const [report] = await Promise.all([check.finish(size), synced]);
    announce('put:checked');
    return report;
  }

  /** Makes the rows fit the newest schema and commits; begins again if another append changed that schema meanwhile. */
  async #append(file: StagedFile, report: CheckReport): Promise<PutOutcome> {
    const { catalog, codec, now } = this.#dependencies;
    const { caller, name, target, signal } = this.#request;
    let rows: CheckedFile = { file, report };
    for (let tries = 1; ; tries++) {
      const base = await catalog.resolve(caller.tenant, name, null, now());
      if (isOtherBase(base, target))
        return await this.#commit(rows.file, rows.report, rows.report.schema, base.schema.hash);
      const reconciled = await codec.reconcile(base.schema, rows.report.schema);
      announce('append:reconciled');
      // What is published stays as it is: only whether it still fits is checked.
      if (this.#published === null) rows = await this.#fitted(rows, base, reconciled);
      else if (reconciled.renumber || reconciled.convert) throw frameChanged(name);
      signal.throwIfAborted();
      try {
        return await this.#commit(rows.file, rows.report, reconciled.schema, base.schema.hash);
      } catch (error) {
        const lostRace = error instanceof FrameholdError && error.kind === 'schema_conflict';
        if (!lostRace || tries >= appendTriesMax) throw error;
      }
    }
  }

  async #fitted(rows: CheckedFile, base: VersionRecord, reconciled: Reconciled): Promise<CheckedFile> {
    const converted = reconciled.convert ? await this.#converted(rows.file, base, reconciled) : null;
    if (converted !== null) return await this.#checkedCopy(converted);
    if (!reconciled.renumber) return rows;
    const copy = await this.#stage();
    await this.#dependencies.codec.renumber(rows.file.path, copy.path, base.schema, this.#request.signal);
    announce('append:renumbered');
    return await this.#checkedCopy(copy);
  }

  /** null if the rows already have the frame's types. */
  async #converted(
    file: StagedFile,
    base: VersionRecord,
    { readsParts }: Reconciled,
  ): Promise<StagedFile | null> {
    const { codec, guard, diskBudget } = this.#dependencies;
    const { signal, openVersion } = this.#request;
    const copy = await this.#stage();
    const parts = readsParts ? await openVersion(base, signal) : null;
    try {
      const request = {
        source: file.path,
        target: copy.path,
        schema: base.schema,
        partFiles: parts?.sources.flatMap(({ kind, paths }) => (kind === 'arrow' ? paths : [])) ?? [],
        ...(await this.#decodedLimit()),
      };
      const { written } = await diskBudget.during(signal, (during) => codec.convert(request, during));
      announce('append:converted');
      return written ? copy : null;
    } catch (error) {
      const isDamaged = parts !== null && !signal.aborted && (await guard.explains(error, parts.objects));
      throw isDamaged ? frameDamaged(base, error) : error;
    } finally {
      parts?.release();
    }
  }

  async #checkedCopy(copy: StagedFile): Promise<CheckedFile> {
    this.#check = this.#dependencies.codec.check(copy.path);
    return { file: copy, report: await this.#checked(copy) };
  }

  async #commit(
    file: StagedFile,
    report: CheckReport,
    schema: SchemaRecord,
    baseSchemaHash: string | null,
  ): Promise<PutOutcome> {
    const { store, now, quotaOf } = this.#dependencies;
    const { caller, name, target } = this.#request;
    // Decoding and checking may have waited for others.
    refuseEnded(caller);
    if (this.#published === null) {
      await waitingFor('store', store.publish(file, report));
      this.#published = file.key;
      announce('put:published');
    }
    const committed = await this.#recorded({
      tenant: caller.tenant,
      name,
      mode: target.mode,
      ifVersion: target.ifVersion ?? null,
      part: {
        id: this.#partId,
        rows: report.rows,
        arrow: { key: file.key, bytes: report.bytes, sha256: report.sha256 },
      },
      schema,
      baseSchemaHash,
      expiresAt: typeof target.ttlMs === 'number' ? now() + target.ttlMs : target.ttlMs,
      origin: { ...originOf(target), ...(this.#text === null ? {} : { text: this.#text }) },
      quota: quotaOf(caller.tenant),
      idempotency: idempotencyOf(target, this.#bodySha256),
      now: now(),
    });
    announce('put:committed');
    if (!committed.replayed) this.#published = null;
    return committed;
  }

  /** If the outcome is unknown the object stays, because a version may refer to it. */
  async #recorded(change: Commit): Promise<PutOutcome> {
    try {
      return await repeatIfUnknown(() => this.#dependencies.catalog.commit(change));
    } catch (error) {
      if (isOutcomeUnknown(error)) this.#published = null;
      throw error;
    }
  }

  #observePut({ record, replayed }: PutOutcome): void {
    if (replayed) return;
    observePut(this.#dependencies, record, this.#request.target.mode, this.#startedAt);
  }
}

export function idempotencyOf(target: PutTarget, body: string | undefined): Idempotency | null {
  const { idempotencyKey: key, fingerprint } = target;
  if (key === undefined) return null;
  // The rows of a statement depend on what it has read, so they are not compared.
  return fingerprint === undefined
    ? { key, fingerprint: putFingerprint(target), body }
    : { key, fingerprint };
}

function byteLength(buffers: readonly Uint8Array[]): number {
  return buffers.reduce((sum, buffer) => sum + buffer.byteLength, 0);
}

function compareDigest({ algorithm, hex }: ContentDigest, actual: string): void {
  if (hex === actual) return;
  throw new FrameholdError(
    'digest_mismatch',
    `The ${algorithm} of the content is ${actual}, and the request says ${hex}; nothing was stored.`,
    {
      hint: 'The content changed in transit, or the digest is of other bytes. The digest must be of the content as sent, including its Content-Encoding.',
    },
  );
}

export function frameChanged(name: string): FrameholdError {
  return new FrameholdError('schema_conflict', `The columns of ${name} changed while rows were appended.`, {
    hint: 'Send the rows again.',
  });
}

export function originOf({ mode, originFormat: format, query }: PutTarget): Origin {
  if (query !== undefined) return { kind: 'query', format, query };
  return { kind: mode === 'append' ? 'append' : 'upload', format };
}

/** What the log and the metrics know of a version that was put. */
export function observePut(
  { observe, now }: Pick<PutDependencies, 'observe' | 'now'>,
  { tenant, name, version, rows, bytes }: PutOutcome['record'],
  mode: PutTarget['mode'],
  startedAt: number,
): void {
  observe({ event: 'put', tenant, name, version, mode, rows, bytes, durationMs: now() - startedAt });
}
