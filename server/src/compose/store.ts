import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../config/settings.ts';
import { FrameholdError } from '../model/errors.ts';
import { announce } from '../model/failpoints.ts';
import { idTime, orderedId } from '../model/handle.ts';
import type { IdentifiedStore } from '../ports/cluster-identity.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import type { Observe } from '../ports/observation.ts';
import {
  type DataDirectory,
  DirectoryInUse,
  dataDirectoryId,
  fillDataDirectory,
  markMigrated,
  openDataDirectory,
} from '../store/data-directory.ts';
import { DiskIdentity } from '../store/disk-identity.ts';
import { DiskResultFolders } from '../store/disk-result-folders.ts';
import { DiskStore } from '../store/disk-store.ts';
import type { BucketSight } from '../store/s3/look-at-bucket.ts';
import type { S3Connection } from '../store/s3/s3-connection.ts';
import type { S3Store } from '../store/s3/s3-store.ts';
import type { Log } from '../telemetry/log.ts';
import { dataPaths } from './data-paths.ts';
import type { Results } from './storage-backend.ts';

/** Where objects are: directories, or a bucket with copies in a directory. No other file knows the implementations. */
export interface OpenedStore {
  readonly store: ObjectStore;
  readonly results: Results;
  readonly identified: IdentifiedStore;
  readonly garbageDelayMs: number;
}

const bytesPerGigabyte = 1e9;
/** Of the free space at the start: staged files and temporary files of statements need room too. */
const defaultCacheShare = 0.5;

/** Locks the data directory, which is created if it does not exist. */
export function lockDataDirectory(settings: Settings, made: AsyncDisposableStack): DataDirectory {
  const { directory, parquetDirectory } = dataPaths(settings);
  return made.adopt(openDataDirectory(directory, parquetDirectory, settings['storage.permissions']), (open) =>
    open.release(),
  );
}

/** Whether locking it failed because a server runs on it. */
export function isDirectoryInUse(error: unknown): boolean {
  return error instanceof DirectoryInUse;
}

/** Locks it, and logs which directories others could read. */
export function composeDataDirectory(settings: Settings, log: Log, made: AsyncDisposableStack): void {
  for (const { isForeign, ...mode } of lockDataDirectory(settings, made).modes)
    log.write(isForeign ? 'warn' : 'info', {
      event: isForeign ? 'directory-open-to-others' : 'directory-mode-changed',
      ...mode,
    });
  announce('start:locked');
}

export function openDiskStore(settings: Settings): Promise<DiskStore> {
  const { directory, parquetDirectory } = dataPaths(settings);
  return DiskStore.open(directory, parquetDirectory);
}

/** In a directory that belongs to this server alone: what was there before it started is nobody's. */
export function openDiskResults(settings: Settings, made: AsyncDisposableStack): Results {
  const folders = made.adopt(new DiskResultFolders(dataPaths(settings).attempts), (open) => open.close());
  const startedAt = idTime(orderedId()) ?? 0;
  return { folders, removeStale: (before) => folders.removeStale(Math.max(before, startedAt)) };
}

/** The store as it was left: nothing is created, and nothing is removed. */
export function openStoreUnchanged(settings: Settings): ObjectStore {
  const { directory, parquetDirectory } = dataPaths(settings);
  return DiskStore.at(directory, parquetDirectory);
}

/** The store of a directory of backups: each object once for all of them. The directory must be locked. */
export function openBackupStore(directory: string): Promise<ObjectStore> {
  return DiskStore.open(directory, join(directory, 'cold'));
}

/** Locks a new data directory that a command fills; see `fillDataDirectory`. */
export async function fillDirectories(
  settings: Settings,
  purpose: string,
  made: AsyncDisposableStack,
): Promise<{ readonly store: ObjectStore; finish(): void }> {
  const { directory, parquetDirectory } = dataPaths(settings);
  const permissions = settings['storage.permissions'];
  const held = made.adopt(fillDataDirectory(directory, parquetDirectory, permissions, purpose), (open) =>
    open.release(),
  );
  const store = made.adopt(await DiskStore.open(directory, parquetDirectory), (open) => open.close());
  return { store, finish: held.finish };
}

/** No server starts on the data directory any more. */
export function leaveDirectory(settings: Settings, to: string): void {
  markMigrated(dataPaths(settings).directory, to);
}

/** The id of a data directory that a server has used. */
export function usedDirectoryId(settings: Settings): string {
  requireUsedDirectories(settings);
  return dataDirectoryId(dataPaths(settings).directory);
}

/** Throws if the settings name directories that no server has used. */
export function requireUsedDirectories(settings: Settings): void {
  const { directory, parquetDirectory } = dataPaths(settings);
  requireUsed(directory, '--data-dir', 'a data directory');
  // With another directory every Parquet file would be missing, and would be remembered as such.
  requireUsed(parquetDirectory, '--parquet-path', 'its Parquet directory');
}

/** Both directories have the file since a server first used them. */
function requireUsed(directory: string, flag: string, what: string): void {
  if (existsSync(join(directory, 'format.json'))) return;
  throw new FrameholdError('internal', `${directory} is not ${what}.`, {
    hint: `Give the one that the server uses, with ${flag}.`,
  });
}

/** Where nodes keep objects. Its copies and what it stages are in `storage.data_dir`, which must be locked. */
export async function openSharedStore(
  settings: Settings,
  { catalogId, observe }: { readonly catalogId: string; readonly observe: Observe },
  made: AsyncDisposableStack,
): Promise<OpenedStore> {
  const url = settings['storage.url'];
  const { directory } = dataPaths(settings);
  if (url === undefined) {
    const store = made.adopt(await openDiskStore(settings), (open) => open.close());
    // Only this node reads the directory, and what is open stays.
    const results = openDiskResults(settings, made);
    return { store, results, identified: new DiskIdentity(directory), garbageDelayMs: 0 };
  }
  const { openS3Store } = await import('../store/s3/s3-store.ts');
  const store = made.adopt(
    await openS3Store({
      ...s3Connection(settings),
      cacheDirectory: join(directory, 'cache'),
      cacheBytesMax: await cacheBytes(settings, directory),
      catalogId,
      observe,
    }),
    (open) => open.close(),
  );
  const { results: folders } = store;
  const results = { folders, removeStale: (before: number) => folders.removeStale(before) };
  return { store, results, identified: identityOf(store), garbageDelayMs: settings['jobs.garbage_delay_ms'] };
}

/** What can be seen of the bucket without changing it. Throws unavailable if it does not exist, refuses or does not answer. */
export async function lookAtBucket(settings: Settings, signal: AbortSignal): Promise<BucketSight> {
  const { lookAtBucket: look } = await import('../store/s3/look-at-bucket.ts');
  return await look(s3Connection(settings), signal);
}

/** Of `storage.url`, which must be set. */
function s3Connection(settings: Settings): S3Connection {
  const { host: bucket, pathname } = new URL(settings['storage.url'] ?? '');
  return {
    bucket,
    prefix: pathname.slice(1),
    endpoint: settings['storage.s3_endpoint'] ?? null,
    region: settings['storage.s3_region'] ?? null,
    pathStyle: settings['storage.s3_path_style'] ?? settings['storage.s3_endpoint'] !== undefined,
    caFile: settings['storage.s3_ca_file'] ?? null,
    accessKeyFile: settings['storage.s3_access_key_file'] ?? null,
    secretKeyFile: settings['storage.s3_secret_key_file'] ?? null,
    encryption: settings['storage.s3_encryption'],
    kmsKey: settings['storage.s3_kms_key'] ?? null,
    requestsMax: settings['storage.s3_requests_max'],
  };
}

/** The identity never goes back, and of two nodes that write it at once one does. */
function identityOf(store: S3Store): IdentifiedStore {
  return {
    readIdentity: () => store.readIdentity(),
    writeIdentity: async (identity) => {
      const found = await store.readIdentity();
      if (found === null || found.epoch < identity.epoch) await store.writeIdentity(identity, found);
    },
  };
}

async function cacheBytes(settings: Settings, directory: string): Promise<number> {
  const gigabytes = settings['storage.cache_size_gb'];
  if (gigabytes !== undefined) return gigabytes * bytesPerGigabyte;
  const { bavail, bsize } = await statfs(directory);
  return Math.floor(bavail * bsize * defaultCacheShare);
}
