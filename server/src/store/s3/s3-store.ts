import { mkdir, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { entryModule } from '../../base/package-files.ts';
import type { StoredObject } from '../../model/version.ts';
import type {
  FinishedFile,
  LocalObject,
  ObjectContent,
  ObjectFault,
  ObjectStore,
  Staging,
  VerifyOptions,
} from '../../ports/object-store.ts';
import type { Observe } from '../../ports/observation.ts';
import type { ResultFolders } from '../../ports/result-folders.ts';
import { ThreadPool } from '../../workers/thread-pool.ts';
import { ObjectCache } from '../cache/object-cache.ts';
import { filePool, readVerifiesMax } from '../file-pool.ts';
import type { VerifyTask } from '../file-worker.ts';
import { isObjectKey, requireObjectKey } from '../object-keys.ts';
import { StagedDiskFile } from '../staged-disk-file.ts';
import { unreadableObject } from '../unreadable-object.ts';
import type { BucketIdentity, FoundIdentity } from './bucket-identity.ts';
import { FollowedFile } from './followed-file.ts';
import { RequestCounts } from './request-counts.ts';
import type { S3Connection } from './s3-connection.ts';
import { S3ResultFolders } from './s3-result-folders.ts';
import { S3Staging } from './s3-staging.ts';
import type { FillReport, S3Target } from './s3-worker.ts';

export interface S3StoreOptions extends S3Connection {
  /** For copies of objects and for what is staged. It belongs to this process alone. */
  readonly cacheDirectory: string;
  readonly cacheBytesMax: number;
  /** Whose objects these are: only in a bucket with this identity can an object be missing. */
  readonly catalogId: string;
  readonly observe: Observe;
}

/** Transfers under way in a thread at once: they mostly wait. Further ones queue, and each has a caller that was admitted. */
const jobsPerThread = 256;
const queueMax = 4_096;
/** As long as a request may take that everybody waits behind. */
const queueWaitMs = 30_000;

/** Starts the store with an empty staging directory and the copies that are there. Nothing is asked of the bucket. */
export async function openS3Store(options: S3StoreOptions): Promise<S3Store> {
  const store = await S3Store.open(options);
  return store;
}

/** Objects in a bucket, and copies of those that are read on the local disk. */
export class S3Store implements ObjectStore {
  readonly staging: Staging;
  /** Beside the objects, in the same bucket. */
  readonly results: ResultFolders;
  readonly opensVerified = true;
  readonly openBytesMax: number;
  readonly #options: S3StoreOptions;
  readonly #cache: ObjectCache;
  readonly #transfers: ThreadPool;
  /** Separate, because it is slow on purpose: a read must not queue behind it. */
  readonly #scrubs: ThreadPool;
  readonly #compares: ThreadPool;
  readonly #counts: RequestCounts;
  readonly #target: S3Target;
  readonly #removing = new Set<string>();

  private constructor(options: S3StoreOptions, parts: Parts) {
    this.#options = options;
    this.openBytesMax = options.cacheBytesMax;
    this.staging = new S3Staging(parts.stagingDirectory, ({ key, path }) =>
      parts.transfers.start('follow', { ...parts.target, key, path }),
    );
    this.results = new S3ResultFolders(options, (task, payload, signal) => this.#ask(task, payload, signal));
    this.#cache = parts.cache;
    this.#transfers = parts.transfers;
    this.#scrubs = parts.scrubs;
    this.#compares = parts.compares;
    this.#counts = parts.counts;
    this.#target = parts.target;
  }

  static async open(options: S3StoreOptions): Promise<S3Store> {
    const stagingDirectory = join(options.cacheDirectory, 'staging');
    await rm(stagingDirectory, { recursive: true, force: true });
    await mkdir(stagingDirectory, { recursive: true });
    const threads = availableParallelism() < 4 ? 1 : 2;
    const counts = new RequestCounts();
    const requestsMax = Math.ceil(options.requestsMax / threads);
    const target: S3Target = { connection: connectionOf(options, requestsMax), counts: counts.memory };
    const transfers = transferPool('s3', threads);
    const compares = filePool('verify', readVerifiesMax);
    const cache = await ObjectCache.open({
      directory: options.cacheDirectory,
      bytesMax: options.cacheBytesMax,
      observe: options.observe,
      fetch: async (object, path, signal) => {
        const report = await transfers.run<FillReport>('fill', { ...target, object, path }, signal);
        if (report.differs !== null) throw unreadableObject(object.key, report.differs);
      },
      compare: async (object, path, signal) => {
        const task: VerifyTask = { objects: [{ ...object, path }], bytesPerSecond: null };
        return (await compares.run<readonly ObjectFault[]>('verify', task, signal)).length === 0;
      },
    });
    const scrubs = transferPool('s3-scrub', 1);
    return new S3Store(options, { stagingDirectory, cache, transfers, scrubs, compares, counts, target });
  }

  async publish(file: FinishedFile, content: ObjectContent): Promise<void> {
    const { key, path } = file;
    requireObjectKey(key);
    const { bytes, sha256 } = content;
    try {
      if (file instanceof StagedDiskFile) await file.close();
      if (!(file instanceof FollowedFile && (await this.#followed(file, content))))
        await this.#ask('upload', { object: { key, bytes, sha256 }, path });
    } catch (error) {
      if (!(file instanceof StagedDiskFile)) await rm(path, { force: true });
      throw error;
    }
    // It is stored: what becomes of the copy changes nothing.
    await this.#cache.adopt(key, content, path).catch((error: unknown) => {
      this.#options.observe({ event: 'background-failed', job: 'cache', error });
      return rm(path, { force: true });
    });
    if (file instanceof StagedDiskFile) file.released();
  }

  async open(object: StoredObject, signal?: AbortSignal): Promise<LocalObject> {
    requireObjectKey(object.key);
    if (this.#removing.has(object.key)) throw unreadableObject(object.key, 'it is being removed');
    try {
      return await this.#cache.open(object, signal);
    } finally {
      this.#report();
    }
  }

  /** Nothing has to be kept here: those who read it elsewhere renew it in the catalog. */
  async hold({ key }: StoredObject): Promise<() => void> {
    requireObjectKey(key);
    if (this.#removing.has(key)) throw unreadableObject(key, 'it is being removed');
    return () => {};
  }

  get openCount(): number {
    return this.#cache.openCount;
  }

  /** Those who read it on this machine keep their copy, and others renew what they read: nothing makes the object stay. */
  async remove(key: string): Promise<boolean> {
    requireObjectKey(key);
    this.#removing.add(key);
    this.#cache.forget(key);
    try {
      await this.#ask('remove', { key });
      return true;
    } finally {
      this.#cache.forget(key);
      this.#removing.delete(key);
    }
  }

  address(key: string): string {
    requireObjectKey(key);
    const { bucket, prefix } = this.#options;
    return `s3a://${bucket}/${prefix === '' ? '' : `${prefix}/`}${key}`;
  }

  async *list(): AsyncGenerator<readonly string[], void, void> {
    try {
      for await (const keys of this.#transfers.stream<readonly string[]>('list', this.#target))
        yield keys.filter(isObjectKey);
    } finally {
      this.#report();
    }
  }

  async removeStale(before: number): Promise<number> {
    return await this.#ask<number>('stale', { before });
  }

  async verify(objects: readonly StoredObject[], options: VerifyOptions): Promise<readonly ObjectFault[]> {
    const { bytesPerSecond, signal } = options;
    const task = { objects, bytesPerSecond, catalogId: this.#options.catalogId };
    if (bytesPerSecond === null) {
      // Somebody could not read one of them, perhaps because of its copy.
      for (const { key } of objects) this.#cache.suspect(key);
      return await this.#ask('verify', task, signal);
    }
    await this.#scrubs.run('lower-priority', null, signal);
    return await this.#ask('verify', task, signal, this.#scrubs);
  }

  /** null if the bucket has none. */
  async readIdentity(): Promise<FoundIdentity | null> {
    return await this.#ask<FoundIdentity | null>('read-identity', {});
  }

  /** False if the identity is not the one that was read; null: that there was none. */
  async writeIdentity(identity: BucketIdentity, read: FoundIdentity | null): Promise<boolean> {
    return await this.#ask<boolean>('write-identity', { identity, tag: read?.tag ?? null });
  }

  async close(): Promise<void> {
    await Promise.all([this.#transfers.close(), this.#scrubs.close(), this.#compares.close()]);
    await this.#cache.close();
  }

  async #followed(file: FollowedFile, content: ObjectContent): Promise<boolean> {
    try {
      return await file.stored(content);
    } finally {
      this.#report();
    }
  }

  async #ask<Result>(
    task: string,
    payload: object,
    signal?: AbortSignal,
    pool: ThreadPool = this.#transfers,
  ): Promise<Result> {
    try {
      return await pool.run<Result>(task, { ...this.#target, ...payload }, signal);
    } finally {
      this.#report();
    }
  }

  #report(): void {
    for (const count of this.#counts.take()) this.#options.observe({ event: 's3-requests', ...count });
  }
}

interface Parts {
  readonly stagingDirectory: string;
  readonly cache: ObjectCache;
  readonly transfers: ThreadPool;
  readonly scrubs: ThreadPool;
  readonly compares: ThreadPool;
  readonly counts: RequestCounts;
  readonly target: S3Target;
}

/** What the threads need, and nothing that cannot be sent to them. */
function connectionOf(options: S3StoreOptions, requestsMax: number): S3Connection {
  const { bucket, prefix, endpoint, region, pathStyle, caFile } = options;
  const { accessKeyFile, secretKeyFile, encryption, kmsKey } = options;
  return {
    ...{ bucket, prefix, endpoint, region, pathStyle, caFile },
    ...{ accessKeyFile, secretKeyFile, encryption, kmsKey, requestsMax },
  };
}

function transferPool(name: string, threads: number): ThreadPool {
  const module = entryModule(import.meta.url, 's3-worker');
  return new ThreadPool({ name, module, threads, jobsPerThread, queueMax, queueWaitMs });
}
