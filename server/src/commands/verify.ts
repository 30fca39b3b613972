import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { integrityBesideServer } from '../catalog/sqlite/integrity/integrity-beside-server.ts';
import { dataPaths } from '../compose/data-paths.ts';
import { openCatalog } from '../compose/storage.ts';
import {
  isDirectoryInUse,
  lockDataDirectory,
  openSharedStore,
  openStoreUnchanged,
  requireUsedDirectories,
} from '../compose/store.ts';
import type { Settings } from '../config/settings.ts';
import { checkSharedSettings } from '../config/shared-settings.ts';
import { nothingVerified, type VerifyReport, verifyEverything } from '../frames/background/verify.ts';
import { ObjectGuard } from '../frames/objects/object-guard.ts';
import type { Clock } from '../model/clock.ts';
import { FrameholdError } from '../model/errors.ts';
import type { Catalog } from '../ports/catalog/catalog.ts';
import type { IntegrityCatalog } from '../ports/catalog/integrity.ts';
import type { MaintenanceCatalog } from '../ports/catalog/maintenance.ts';
import type { ObjectStore } from '../ports/object-store.ts';

interface Verified {
  readonly catalog: IntegrityCatalog & Pick<MaintenanceCatalog, 'known'>;
  readonly store: ObjectStore;
  readonly now: Clock;
  /** Whether faults are recorded in the catalog. */
  readonly records: boolean;
}

/** What a check of everything that is stored needs of a server, and nothing that changes a frame. Servers may go on meanwhile. */
export async function composeVerify(
  settings: Settings,
  progress: (objects: number, bytes: number) => void,
): Promise<VerifyReport> {
  checkSharedSettings(settings);
  await using made = new AsyncDisposableStack();
  const opened =
    settings['catalog.url'] === undefined
      ? await openLocal(settings, made)
      : await openShared(settings, made);
  if ('fault' in opened) return nothingVerified([opened.fault]);
  const { catalog, store, now, records } = opened;
  const guard = new ObjectGuard({ catalog, store, observe: () => {}, now, onDamage: () => {} });
  const signal = new AbortController().signal;
  return { ...(await verifyEverything({ catalog, store, guard }, progress, signal)), recorded: records };
}

async function openLocal(
  settings: Settings,
  made: AsyncDisposableStack,
): Promise<Verified | { readonly fault: string }> {
  requireUsedDirectories(settings);
  const now = () => Date.now();
  const store = () => made.adopt(openStoreUnchanged(settings), (open) => open.close());
  try {
    lockDataDirectory(settings, made);
  } catch (error) {
    if (!isDirectoryInUse(error)) throw error;
    const catalog = made.adopt(integrityBesideServer(dataPaths(settings).catalog), (open) => open.close());
    return { catalog, store: store(), now, records: false };
  }
  const opened = await tryCatalog(settings);
  if ('fault' in opened) return opened;
  const catalog = made.adopt(opened.catalog, (open) => open.close());
  return { catalog, store: store(), now, records: true };
}

/** Beside the nodes: the damage epoch of the catalog lets them forget what they have kept. */
async function openShared(settings: Settings, made: AsyncDisposableStack): Promise<Verified> {
  const { composeCatalogAccess, forCommand } = await import('../compose/catalog-access.ts');
  const { database, clock, identity } = await composeCatalogAccess(settings, made, forCommand);
  const { openPostgresCatalog } = await import('../catalog/postgres/postgres-catalog.ts');
  const catalog = made.adopt(await openPostgresCatalog(database, {}), (open) => open.close());
  if (settings['storage.url'] === undefined) {
    requireUsedDirectories(settings);
    const store = made.adopt(openStoreUnchanged(settings), (open) => open.close());
    return { catalog, store, now: clock.now, records: true };
  }
  // A node may be using the data directory; what is compared comes from the bucket anyway.
  const folder = made.adopt(await mkdtemp(join(tmpdir(), 'framehold-verify-')), (path) =>
    rm(path, { recursive: true, force: true }),
  );
  const elsewhere = { ...settings, 'storage.data_dir': folder };
  const { catalogId } = await identity.identity();
  const { store } = await openSharedStore(elsewhere, { catalogId, observe: () => {} }, made);
  return { catalog, store, now: clock.now, records: true };
}

/** A catalog that does not open is a fault to report. One of another program or of a newer server is an error. */
async function tryCatalog(settings: Settings): Promise<{ catalog: Catalog } | { fault: string }> {
  try {
    return { catalog: await openCatalog(settings) };
  } catch (error) {
    if (error instanceof FrameholdError && error.hint === undefined) return { fault: error.message };
    throw error;
  }
}
