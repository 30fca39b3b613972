import { waitingForAll } from '../base/request-time.ts';
import { openSqliteCatalog } from '../catalog/sqlite/sqlite-catalog.ts';
import type { Settings } from '../config/settings.ts';
import { BacklogCount } from '../frames/background/backlog.ts';
import { Collection } from '../frames/background/collection.ts';
import { LeasedWork } from '../frames/background/leased-work.ts';
import type { RestoreGuard } from '../frames/background/restore-guard.ts';
import { ObjectReader } from '../frames/objects/object-reader.ts';
import type { Clock } from '../model/clock.ts';
import { announce } from '../model/failpoints.ts';
import type { Catalog } from '../ports/catalog/catalog.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import type { Observe } from '../ports/observation.ts';
import type { ResultFolders } from '../ports/result-folders.ts';
import { dataPaths } from './data-paths.ts';
import type { Shared } from './node.ts';
import type { StorageBackend } from './storage-backend.ts';
import { openDiskResults, openDiskStore } from './store.ts';

/** What keeps names, versions and objects. Only `backing` knows which catalog and which object store a server has. */
export interface Storage {
  readonly catalog: Catalog;
  readonly store: ObjectStore;
  readonly results: ResultFolders;
  readonly leases: LeasedWork;
  readonly collection: Collection;
  readonly reader: ObjectReader;
  readonly backlog: BacklogCount;
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

export async function composeStorage(
  settings: Settings,
  dependencies: StorageDependencies,
  made: AsyncDisposableStack,
): Promise<Storage> {
  const { observe, now } = dependencies;
  const { catalog: untimed, store, results, ...rest } = await backing(settings, dependencies, made);
  const catalog = waitingForAll('catalog', untimed);
  const { owner, garbageDelayMs, restoreGuard } = rest;
  announce('start:swept');
  const leases = new LeasedWork(catalog, owner, now);
  await leases.endEarlier();
  const needed = { catalog, store, observe, now };
  const mayRemove = restoreGuard === null ? undefined : async () => (await restoreGuard.check()) === 'sound';
  const collection = new Collection({ ...needed, results }, garbageDelayMs, mayRemove);
  const intervalMs =
    garbageDelayMs === 0
      ? renewIntervalMsMax
      : Math.min(renewIntervalMsMax, garbageDelayMs / renewalsPerDelay);
  const times = { delayMs: garbageDelayMs, intervalMs };
  const reader = made.adopt(new ObjectReader(needed, times), (open) => open.close());
  const backlog = new BacklogCount(catalog, now);
  return { catalog, store, results: results.folders, leases, collection, reader, backlog, restoreGuard };
}

/** In the data directory, or elsewhere: what is needed for that is loaded only then. */
async function backing(
  settings: Settings,
  { observe, now, shared, onDamage }: StorageDependencies,
  made: AsyncDisposableStack,
): Promise<StorageBackend> {
  if (shared !== null) {
    const { sharedBacking } = await import('./shared-storage.ts');
    return await sharedBacking(settings, { observe, now, shared, onDamage }, made);
  }
  const catalog = made.adopt(await openCatalog(settings), (open) => open.close());
  const store = made.adopt(await openDiskStore(settings), (open) => open.close());
  // Files that are open stay, and a reader that is too late asks the catalog again.
  const results = openDiskResults(settings, made);
  return { catalog, store, results, owner: 'local', garbageDelayMs: 0, restoreGuard: null };
}

export function openCatalog(settings: Settings): Promise<Catalog> {
  return openSqliteCatalog({ path: dataPaths(settings).catalog });
}
