import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { openPostgresCatalog } from '../catalog/postgres/postgres-catalog.ts';
import type { Settings } from '../config/settings.ts';
import { RestoreGuard } from '../frames/background/restore-guard.ts';
import type { Observe } from '../frames/observation.ts';
import type { MarkedStore } from '../frames/ports/catalog-mark.ts';
import type { Clock } from '../frames/ports/clock.ts';
import type { ObjectStore } from '../frames/ports/object-store.ts';
import { DiskMark } from '../store/disk-mark.ts';
import type { S3Store } from '../store/s3/s3-store.ts';
import { dataPaths } from './data-paths.ts';
import type { Shared } from './shared.ts';
import { type Backing, openDiskStore } from './storage.ts';

interface SharedDependencies {
  readonly observe: Observe;
  readonly now: Clock;
  readonly shared: Shared;
  readonly onDamage: () => void;
}

interface OpenedStore {
  readonly store: ObjectStore;
  readonly marks: MarkedStore;
  readonly garbageDelayMs: number;
}

const bytesPerGigabyte = 1e9;
/** Of the free space at the start: staged files and temporary files of statements need room too. */
const defaultCacheShare = 0.5;

/** The catalog in PostgreSQL; the objects in a bucket, or still in the data directory of the only node. */
export async function sharedBacking(
  settings: Settings,
  { observe, now, shared, onDamage }: SharedDependencies,
  made: AsyncDisposableStack,
): Promise<Backing> {
  const { database, mark, nodes } = shared;
  const onLookup = (durationMs: number) => observe({ event: 'catalog-lookup', durationMs });
  const catalog = made.adopt(await openPostgresCatalog(database, { onDamage, onLookup }), (open) =>
    open.close(),
  );
  const { store, marks, garbageDelayMs } = await openSharedStore(
    settings,
    { catalogId: (await mark.mark()).catalogId, observe },
    made,
  );
  const restoreGuard = made.adopt(new RestoreGuard({ catalog: mark, store: marks, observe, now }), (open) =>
    open.close(),
  );
  return { catalog, store, owner: nodes.self.id, garbageDelayMs, restoreGuard };
}

/** Where the settings say that objects are, for a catalog with this id. */
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
    return { store, marks: new DiskMark(directory), garbageDelayMs: 0 };
  }
  const { openS3Store } = await import('../store/s3/s3-store.ts');
  const { host: bucket, pathname } = new URL(url);
  const store = made.adopt(
    await openS3Store({
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
      cacheDirectory: join(directory, 'cache'),
      cacheBytesMax: await cacheBytes(settings, directory),
      catalogId,
      observe,
    }),
    (open) => open.close(),
  );
  return { store, marks: marksOf(store), garbageDelayMs: settings['jobs.garbage_delay_ms'] };
}

/** The mark never goes back, and of two nodes that write it at once one does. */
function marksOf(store: S3Store): MarkedStore {
  return {
    readMark: () => store.readMark(),
    writeMark: async (mark) => {
      const found = await store.readMark();
      if (found === null || found.epoch < mark.epoch) await store.writeMark(mark, found);
    },
  };
}

async function cacheBytes(settings: Settings, directory: string): Promise<number> {
  const gigabytes = settings['storage.cache_size_gb'];
  if (gigabytes !== undefined) return gigabytes * bytesPerGigabyte;
  const { bavail, bsize } = await statfs(directory);
  return Math.floor(bavail * bsize * defaultCacheShare);
}
