import { existsSync } from 'node:fs';
import { GarbageHold, objectsInCopy, openCopiedKeys } from '../catalog/sqlite/maintenance/garbage-hold.ts';
import { dataPaths } from '../compose/data-paths.ts';
import { fillDirectories, openBackupStore, openStoreUnchanged, usedDirectoryId } from '../compose/store.ts';
import type { Settings } from '../config/settings.ts';
import { UsageError } from '../config/usage-error.ts';
import { productVersion } from '../config/version.ts';
import { FrameholdError } from '../model/errors.ts';
import { BackupDirectory } from './backup/backup-directory.ts';
import type { CopyProgress, CopyReport } from './backup/copy-objects.ts';
import { makeBackup } from './backup/make-backup.ts';
import type { Manifest } from './backup/manifest.ts';
import { keepNewest, removeUnused } from './backup/remove-backups.ts';
import { chooseBackup, restoreBackup } from './backup/restore-backup.ts';
import { type BackupReport, verifyBackups } from './backup/verify-backups.ts';

/** The backups in a directory, for the command line. */
export interface Backups {
  list(): readonly Manifest[];
  /** Of the data directory of the settings, also while a server runs on it. `keep`: how many of its backups stay. */
  make(
    keep: number | null,
    onProgress: (progress: CopyProgress) => void,
  ): Promise<{ readonly made: Manifest; readonly removed: readonly string[] }>;
  remove(id: string): Promise<void>;
  verify(onProgress: (objects: number, bytes: number) => void): Promise<BackupReport>;
  /** Into the data directory of the settings, which must be new. */
  restore(
    id: string | undefined,
    onProgress: (progress: CopyProgress) => void,
  ): Promise<{ readonly restored: Manifest; readonly report: CopyReport }>;
  close(): Promise<void>;
}

/** `create`: the directory is made if it does not exist. */
export async function composeBackups(settings: Settings, path: string, create: boolean): Promise<Backups> {
  if (settings['catalog.url'] !== undefined)
    throw new UsageError(
      'backup and restore are for a server with its catalog in the data directory: with catalog.url, back up PostgreSQL and the bucket.',
    );
  await using made = new AsyncDisposableStack();
  const directory = made.adopt(BackupDirectory.open(path, create), (open) => open.close());
  const store = made.adopt(await openBackupStore(path), (open) => open.close());
  const target = { directory, store };
  const rest = made.move();
  return {
    list: () => directory.list(),
    async make(keep, onProgress) {
      const { id, manifest } = await backUp(settings, target, onProgress);
      return {
        made: manifest,
        removed: keep === null ? [] : await keepNewest(target, id, keep, openCopiedKeys),
      };
    },
    async remove(id) {
      await directory.remove(id);
      await removeUnused(target, openCopiedKeys);
    },
    verify: (onProgress) => verifyBackups(target, objectsInCopy, onProgress),
    async restore(wanted, onProgress) {
      const manifest = chooseBackup(directory, wanted);
      return { restored: manifest, report: await fill(settings, manifest, target, onProgress) };
    },
    close: () => rest.disposeAsync(),
  };
}

async function backUp(
  settings: Settings,
  target: Parameters<typeof makeBackup>[1],
  onProgress: (progress: CopyProgress) => void,
): Promise<{ readonly id: string; readonly manifest: Manifest }> {
  const id = usedDirectoryId(settings);
  const { catalog, credentials, linkKey } = dataPaths(settings);
  if (!existsSync(catalog))
    throw new FrameholdError('internal', `There is no catalog in ${settings['storage.data_dir']}.`, {
      hint: 'Start a server on it once.',
    });
  await using made = new AsyncDisposableStack();
  const store = made.adopt(openStoreUnchanged(settings), (open) => open.close());
  const hold = () => GarbageHold.take(catalog);
  const source = { id, madeBy: productVersion(), hold, objectsInCopy, store, credentials, linkKey };
  return { id, manifest: await makeBackup(source, target, onProgress) };
}

async function fill(
  settings: Settings,
  manifest: Manifest,
  { directory, store }: Parameters<typeof makeBackup>[1],
  onProgress: (progress: CopyProgress) => void,
): Promise<CopyReport> {
  await using made = new AsyncDisposableStack();
  const filled = await fillDirectories(settings, `restore of ${manifest.id}`, made);
  const paths = dataPaths(settings);
  const report = await restoreBackup(
    manifest,
    { directory, store, objectsInCopy },
    { ...paths, store: filled.store },
    onProgress,
  );
  filled.finish();
  return report;
}
