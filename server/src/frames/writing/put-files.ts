import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseMessage } from '../../arrow/ipc/message.ts';
import { compareSchemas } from '../../arrow/schema/schema-difference.ts';
import { waitingFor } from '../../base/request-time.ts';
import { type Caller, refuseEnded } from '../../model/caller.ts';
import { asFrameholdError, FrameholdError } from '../../model/errors.ts';
import { announce } from '../../model/failpoints.ts';
import { orderedId } from '../../model/handle.ts';
import type { SchemaRecord, StoredObject } from '../../model/version.ts';
import type { NewParquetPart } from '../../ports/catalog/versions.ts';
import type { ExaminedFile, Written } from '../../ports/codec.ts';
import type { ResultFile, ResultFolder } from '../../ports/result-folders.ts';
import type { PutFilesSession, PutOutcome, PutTarget } from '../frames.ts';
import { parquetKey } from '../objects/part-keys.ts';
import { isOutcomeUnknown, repeatIfUnknown } from '../unknown-outcome.ts';
import {
  frameChanged,
  idempotencyOf,
  observePut,
  originOf,
  type PutDependencies,
  type PutProgress,
} from './put.ts';
import { isOtherBase } from './put-conditions.ts';

export interface PutFilesRequest extends PutProgress {
  readonly caller: Caller;
  readonly name: string;
  readonly target: PutTarget;
  /** IPC schema message of the rows, as the engine announced them. */
  readonly schemaMessage: Uint8Array;
  readonly signal: AbortSignal;
}

/** One file of the result on its way to the store. */
interface StagedCopy {
  readonly path: string;
  readonly content: Written;
}

/** A file of the result that is in the store. */
interface StoredFile extends ExaminedFile {
  readonly object: StoredObject;
}

/**
 * Files that are copied before they are examined together: to start a process for each would take longer than to read a small one. Larger groups would
 * only need more room for what is staged.
 */
const groupBytes = 256 * 1024 * 1024;
const groupFilesMax = 64;

/** Appends race for the newest schema; each lost race means that another append succeeded. */
const appendTriesMax = 8;

/**
 * A put of Parquet files that an engine has written on other machines: copy, examine, publish, commit, in this order. Others can write where the files are, so
 * nothing there is used in place: what is examined and stored is the copy.
 */
export class PutFiles implements PutFilesSession {
  readonly #dependencies: PutDependencies;
  readonly #request: PutFilesRequest;
  readonly #startedAt: number;
  readonly #partId = orderedId();
  /** Copies that were not published yet. */
  readonly #staged = new Set<string>();
  /** Keys of objects that are in the store but not (yet) in the catalog. */
  #published: string[] = [];
  #ended = false;

  constructor(dependencies: PutDependencies, request: PutFilesRequest) {
    this.#dependencies = dependencies;
    this.#request = request;
    this.#startedAt = dependencies.now();
  }

  finish(folder: ResultFolder): Promise<PutOutcome & { readonly rows: number }> {
    return this.#request.step(() => this.#finish(folder));
  }

  async #finish(folder: ResultFolder): Promise<PutOutcome & { readonly rows: number }> {
    try {
      // The statement may have taken long.
      refuseEnded(this.#request.caller);
      const stored = await this.#store(folder, await folder.files());
      const part = this.#partOf(stored);
      const { schema } = stored[0] as StoredFile;
      const outcome = await (this.#request.target.mode === 'append'
        ? this.#append(part, schema)
        : this.#commit(part, schema, null));
      if (!outcome.replayed)
        observePut(this.#dependencies, outcome.record, this.#request.target.mode, this.#startedAt);
      this.#request.onDone(outcome);
      return { ...outcome, rows: part.rows };
    } finally {
      await this.abort();
    }
  }

  async abort(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    const { store, observe } = this.#dependencies;
    try {
      const cleaned = await Promise.allSettled([
        ...[...this.#staged].map((path) => rm(path, { force: true })),
        ...this.#published.map((key) => store.remove(key)),
      ]);
      // What could not be removed is an orphan, which is collected later.
      for (const each of cleaned) {
        if (each.status === 'rejected')
          observe({ event: 'background-failed', job: 'put', error: each.reason });
      }
    } finally {
      this.#request.onEnd();
    }
  }

  /** In groups, so that the room for staged files is limited, whatever the result has. */
  async #store(folder: ResultFolder, files: readonly ResultFile[]): Promise<readonly StoredFile[]> {
    const { bytes, signal } = this.#request;
    // The commit decides about the quota; this refuses before anything is copied.
    bytes.addBytes(totalBytes(files));
    const stored: StoredFile[] = [];
    for (const group of groupsOf(files)) {
      await this.#dependencies.diskBudget.demand(totalBytes(group));
      const copies: StagedCopy[] = [];
      for (const file of group) copies.push(await this.#copy(folder, file));
      signal.throwIfAborted();
      const examined = await this.#examine(copies);
      for (const [index, copy] of copies.entries()) {
        const shape = examined[index] as ExaminedFile;
        this.#checkSchema(shape, stored[0]);
        // A task without rows writes a file, too. One is kept: it has the schema.
        const isNeeded = shape.rows > 0 || stored.length === 0;
        if (isNeeded) stored.push({ ...shape, object: await this.#publish(copy, stored.length) });
      }
    }
    if (stored.length === 0)
      throw new FrameholdError('engine_failed', 'The engine wrote a result without files.', {
        hint: 'Nothing was stored: run the statement again.',
      });
    return stored;
  }

  async #copy(folder: ResultFolder, file: ResultFile): Promise<StagedCopy> {
    const { store, diskBudget } = this.#dependencies;
    const { caller, signal } = this.#request;
    this.#refuseAfterEnd();
    const directory = store.staging.directory(parquetKey(caller.tenant, this.#partId, 0));
    const path = join(directory, `${orderedId()}.result`);
    this.#staged.add(path);
    await diskBudget.take(file.bytes);
    const content = await folder.copy(file, path, signal);
    announce('result:copied');
    return { path, content };
  }

  /** With the reader that reads the frame later. What it cannot read is the fault of the engine, not of the caller. */
  async #examine(copies: readonly StagedCopy[]): Promise<readonly ExaminedFile[]> {
    const { codec } = this.#dependencies;
    try {
      const paths = copies.map(({ path }) => path);
      const examined = await codec.examine(paths, this.#request.signal);
      announce('result:examined');
      return examined;
    } catch (thrown) {
      const error = asFrameholdError(thrown);
      if (error.kind !== 'bad_body') throw thrown;
      throw new FrameholdError('engine_failed', 'The engine wrote a result that cannot be read.', {
        hint: 'Nothing was stored: run the statement again, or without into.',
        cause: error,
      });
    }
  }

  /** All files have one schema, and it is the one that was announced: nothing has changed its type on the way. */
  #checkSchema({ schema }: ExaminedFile, first: StoredFile | undefined): void {
    const { difference } = compareSchemas(schemaOf(this.#request.schemaMessage), schemaOf(schema.message));
    if (difference !== null) throw otherSchema(difference);
    if (first !== undefined && first.schema.hash !== schema.hash)
      throw otherSchema('the files of the result differ');
  }

  async #publish({ path, content }: StagedCopy, index: number): Promise<StoredObject> {
    this.#refuseAfterEnd();
    const key = parquetKey(this.#request.caller.tenant, this.#partId, index);
    // Before it is there: a publish that fails late may have stored it.
    this.#published.push(key);
    await waitingFor('store', this.#dependencies.store.publish({ key, path }, content));
    announce('result:published');
    this.#staged.delete(path);
    return { key, bytes: content.bytes, sha256: content.sha256 };
  }

  #partOf(stored: readonly StoredFile[]): NewParquetPart {
    // An empty file is only needed if there is no other.
    const needed = stored.length > 1 ? stored.filter(({ rows }) => rows > 0) : stored;
    return {
      id: this.#partId,
      rows: needed.reduce((sum, { rows }) => sum + rows, 0),
      parquet: needed.map(({ object }) => object),
    };
  }

  /** Begins again if another append changed the schema meanwhile, as long as the rows still fit as they are. */
  async #append(part: NewParquetPart, added: SchemaRecord): Promise<PutOutcome> {
    const { catalog, codec, now } = this.#dependencies;
    const { caller, name, target } = this.#request;
    for (let tries = 1; ; tries++) {
      const base = await catalog.resolve(caller.tenant, name, null, now());
      if (isOtherBase(base, target)) return await this.#commit(part, added, base.schema.hash);
      const { schema, convert, renumber } = await codec.reconcile(base.schema, added);
      if (convert || renumber) throw frameChanged(name);
      try {
        return await this.#commit(part, schema, base.schema.hash);
      } catch (error) {
        const lostRace = error instanceof FrameholdError && error.kind === 'schema_conflict';
        if (!lostRace || tries >= appendTriesMax) throw error;
      }
    }
  }

  async #commit(
    part: NewParquetPart,
    schema: SchemaRecord,
    baseSchemaHash: string | null,
  ): Promise<PutOutcome> {
    const { catalog, now, quotaOf } = this.#dependencies;
    const { caller, name, target, signal } = this.#request;
    refuseEnded(caller);
    signal.throwIfAborted();
    const change = {
      tenant: caller.tenant,
      name,
      mode: target.mode,
      ifVersion: target.ifVersion ?? null,
      part,
      schema,
      baseSchemaHash,
      expiresAt: typeof target.ttlMs === 'number' ? now() + target.ttlMs : target.ttlMs,
      origin: originOf(target),
      quota: quotaOf(caller.tenant),
      idempotency: idempotencyOf(target, undefined),
      now: now(),
    };
    try {
      const committed = await repeatIfUnknown(() => catalog.commit(change));
      announce('result:committed');
      if (!committed.replayed) this.#keep(part);
      return committed;
    } catch (error) {
      // A version may refer to the objects.
      if (isOutcomeUnknown(error)) this.#published = [];
      throw error;
    }
  }

  /** The catalog has these objects now. An empty file that others made needless is removed. */
  #keep({ parquet }: NewParquetPart): void {
    const kept = new Set(parquet.map(({ key }) => key));
    this.#published = this.#published.filter((key) => !kept.has(key));
  }

  #refuseAfterEnd(): void {
    if (this.#ended) throw new FrameholdError('cancelled', 'The put has ended: it takes nothing more.');
  }
}

function* groupsOf(files: readonly ResultFile[]): Generator<readonly ResultFile[], void, void> {
  let group: ResultFile[] = [];
  for (const file of files) {
    const isFull = group.length === groupFilesMax || totalBytes(group) + file.bytes > groupBytes;
    if (isFull && group.length > 0) {
      yield group;
      group = [];
    }
    group.push(file);
  }
  if (group.length > 0) yield group;
}

function totalBytes(files: readonly ResultFile[]): number {
  return files.reduce((sum, file) => sum + file.bytes, 0);
}

function schemaOf(message: Uint8Array) {
  const parsed = parseMessage(message);
  if (parsed.kind !== 'schema') throw new Error('a schema record without a schema');
  return parsed.schema;
}

function otherSchema(difference: string): FrameholdError {
  return new FrameholdError(
    'engine_failed',
    `The engine wrote other columns than it announced: ${difference}.`,
    { hint: 'Nothing was stored. Cast the column to another type, or read the rows without into.' },
  );
}
