import { renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { FrameholdError } from '../../model/errors.ts';
import type { StoredObject } from '../../model/version.ts';
import type { ObjectStore } from '../../ports/object-store.ts';
import type { BackupDirectory } from './backup-directory.ts';
import { copyFile, hashFile, syncPath } from './copy-file.ts';
import { type CopyProgress, type CopyReport, copyObjects, isSound } from './copy-objects.ts';
import { catalogFile, credentialsFile, linkKeyFile } from './make-backup.ts';
import type { Manifest } from './manifest.ts';

export interface RestoreTarget {
  readonly store: ObjectStore;
  /** Paths of the files. */
  readonly catalog: string;
  readonly credentials: string;
  readonly linkKey: string;
}

/** The backup with this id. Without one the newest; if there are backups of several data directories, somebody has to choose. */
export function chooseBackup(directory: BackupDirectory, id: string | undefined): Manifest {
  if (id !== undefined) return directory.find(id);
  const all = directory.list();
  const newest = all.at(-1);
  if (newest === undefined)
    throw new FrameholdError('internal', `${directory.path} has no finished backup.`, {
      hint: 'Run framehold backup first.',
    });
  if (all.every(({ source }) => source === newest.source)) return newest;
  throw new FrameholdError('internal', `${directory.path} has backups of several data directories.`, {
    hint: `Choose one with --at; framehold backup list ${directory.path} shows them.`,
  });
}

/**
 * Everything of a backup in a new data directory, each object and file compared with its SHA-256. Repeating it after a kill compares what is there and
 * copies the rest. The catalog comes last.
 */
export async function restoreBackup(
  manifest: Manifest,
  {
    directory,
    store,
    objectsInCopy,
  }: {
    readonly directory: BackupDirectory;
    readonly store: ObjectStore;
    readonly objectsInCopy: (file: string) => Iterable<readonly StoredObject[]>;
  },
  target: RestoreTarget,
  onProgress: (progress: CopyProgress) => void,
): Promise<CopyReport> {
  await compareFiles(manifest, directory);
  const report = await copyObjects(objectsInCopy(directory.file(manifest.id, catalogFile)), {
    from: store,
    to: target.store,
    has: (object) => isSound(target.store, object),
    onProgress,
  });
  const paths = new Map([
    [linkKeyFile, target.linkKey],
    [credentialsFile, target.credentials],
    [catalogFile, target.catalog],
  ]);
  for (const [name, path] of paths) {
    if (!manifest.files.some((file) => file.name === name)) continue;
    const staged = `${path}.new`;
    rmSync(staged, { force: true });
    await copyFile(directory.file(manifest.id, name), staged);
    renameSync(staged, path);
    await syncPath(dirname(path));
  }
  return report;
}

/** Throws if the catalog or another file of the backup has changed: nothing of it could be trusted. */
export async function compareFiles({ id, files }: Manifest, directory: BackupDirectory): Promise<void> {
  for (const { name, bytes, sha256 } of files) {
    const path = directory.file(id, name);
    const found = await hashFile(path);
    if (found.bytes === bytes && found.sha256 === sha256) continue;
    throw new FrameholdError('internal', `${path} has changed since the backup was made.`, {
      hint: 'Choose another backup with --at.',
    });
  }
}
