import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openSqliteCatalog } from '../catalog/sqlite/sqlite-catalog.ts';
import type { Settings } from '../config/settings.ts';
import { ClaimedWork } from '../frames/background/claimed-work.ts';
import { Collection } from '../frames/background/collection.ts';
import type { RestoreGuard } from '../frames/background/restore-guard.ts';
import { FrameholdError } from '../frames/errors.ts';
import { ObjectReader } from '../frames/objects/object-reader.ts';
import type { Observe } from '../frames/observation.ts';
import type { Catalog } from '../frames/ports/catalog/catalog.ts';
import type { Clock } from '../frames/ports/clock.ts';
import type { ObjectStore } from '../frames/ports/object-store.ts';
import { announce } from '../frames/steps.ts';
import {
  type DataDirectory,
  dataDirectoryId,
  fillDataDirectory,
  openDataDirectory,
} from '../store/data-directory.ts';
import { DiskStore } from '../store/disk-store.ts';
import type { Log } from '../telemetry/log.ts';
import { dataPaths } from './data-paths.ts';
import type { Shared } from './shared.ts';

/** What keeps names, versions and objects. Only `backing` knows which catalog and which object store a server has. */
export interface Storage {
  readonly catalog: Catalog;
  readonly store: ObjectStore;
  readonly claims: ClaimedWork;
  readonly collection: Collection;
  readonly reader: ObjectReader;
  readonly restoreGuard: RestoreGuard | null;
}

/** A catalog and a store, and what depends on whether others use them too. */
export interface Backing {
  readonly catalog: Catalog;
  readonly store: ObjectStore;
  /** Of claims. Those of a process that is started again under the same name end at once. */
  readonly owner: string;
  /** How long objects stay after they have become garbage. */
  readonly garbageDelayMs: number;
  /** null: nobody but this process can change or restore the catalog while it runs. */
  readonly restoreGuard: RestoreGuard | null;
}

export interface StorageDependencies {
  readonly observe: Observe;
  readonly now: Clock;
  readonly shared: Shared | null;
  /** Another node has found stored bytes damaged. */
  readonly onDamage: () => void;
}

/** Renewed several times within the delay. Where there is none, pins protect readers, and this is only how often nothing is done. */
const renewalsPerDelay = 3;
const renewIntervalMsMax = 5 * 60_000;

/** Locks the data directory, which is created if it does not exist. */
export function lockDataDirectory(settings: Settings, made: AsyncDisposableStack): DataDirectory {
  const { directory, parquetDirectory } = dataPaths(settings);
  return made.adopt(openDataDirectory(directory, parquetDirectory, settings['storage.permissions']), (open) =>
    open.release(),
  );
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

export async function composeStorage(
  settings: Settings,
  dependencies: StorageDependencies,
  made: AsyncDisposableStack,
): Promise<Storage> {
  const { observe, now } = dependencies;
  const { catalog, store, owner, garbageDelayMs, restoreGuard } = await backing(settings, dependencies, made);
  announce('start:swept');
  const claims = new ClaimedWork(catalog, owner, now);
  await claims.endEarlier();
  const needed = { catalog, store, observe, now };
  const mayRemove = restoreGuard === null ? undefined : async () => (await restoreGuard.check()) === 'sound';
  const collection = new Collection(needed, garbageDelayMs, mayRemove);
  const intervalMs =
    garbageDelayMs === 0
      ? renewIntervalMsMax
      : Math.min(renewIntervalMsMax, garbageDelayMs / renewalsPerDelay);
  const times = { delayMs: garbageDelayMs, intervalMs };
  const reader = made.adopt(new ObjectReader(needed, times), (open) => open.close());
  return { catalog, store, claims, collection, reader, restoreGuard };
}

/** In the data directory, or elsewhere: what is needed for that is loaded only then. */
async function backing(
  settings: Settings,
  { observe, now, shared, onDamage }: StorageDependencies,
  made: AsyncDisposableStack,
): Promise<Backing> {
  if (shared !== null) {
    const { sharedBacking } = await import('./shared-storage.ts');
    return await sharedBacking(settings, { observe, now, shared, onDamage }, made);
  }
  const catalog = made.adopt(await openCatalog(settings), (open) => open.close());
  const store = made.adopt(await openDiskStore(settings), (open) => open.close());
  // Files that are open stay, and a reader that is too late asks the catalog again.
  return { catalog, store, owner: 'local', garbageDelayMs: 0, restoreGuard: null };
}

export function openDiskStore(settings: Settings): Promise<DiskStore> {
  const { directory, parquetDirectory } = dataPaths(settings);
  return DiskStore.open(directory, parquetDirectory);
}

export function openCatalog(settings: Settings): Promise<Catalog> {
  return openSqliteCatalog({ path: dataPaths(settings).catalog });
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
