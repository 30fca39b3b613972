import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { FrameholdError } from '../../model/errors.ts';
import type { StoredObject } from '../../model/version.ts';
import type { ObjectStore } from '../../ports/object-store.ts';
import type { BackupDirectory } from './backup-directory.ts';
import { copyFile, hashFile, syncPath } from './copy-file.ts';
import { type CopyProgress, copyObjects } from './copy-objects.ts';
import { type BackupFile, backupId, type Manifest } from './manifest.ts';

/** The data directory that is backed up; a server may be running on it. */
export interface BackupSource {
  /** Of its format.json. */
  readonly id: string;
  readonly madeBy: string;
  /** Keeps everything in the store that the catalog refers to from now on. */
  readonly hold: () => BackupHold;
  readonly objectsInCopy: (file: string) => Iterable<readonly StoredObject[]>;
  readonly store: ObjectStore;
  /** Paths of other files that are copied, if they exist. */
  readonly credentials: string;
  readonly linkKey: string;
}

interface BackupHold {
  /** False: something may have been removed since it began. */
  readonly isUnbroken: boolean;
  copyCatalog(target: string): void;
  release(): void;
}

/** Names of the files in a backup. */
export const catalogFile = 'catalog.sqlite';
export const credentialsFile = 'credentials.sqlite';
export const linkKeyFile = 'links.key';

/**
 * Copies the catalog at one moment, then the objects that it refers to and that no earlier backup has. In this order, under the hold: an object that
 * becomes garbage in the meantime stays until it is copied. Killed at any point, it leaves earlier backups as they were, and what was copied is
 * not copied again.
 */
export async function makeBackup(
  source: BackupSource,
  target: { readonly directory: BackupDirectory; readonly store: ObjectStore },
  onProgress: (progress: CopyProgress) => void,
): Promise<Manifest> {
  const { directory, store } = target;
  const folder = directory.begin();
  const hold = source.hold();
  try {
    const id = backupId(Date.now());
    const files = await copyFiles(source, hold, folder);
    const { faults, ...copied } = await copyObjects(source.objectsInCopy(join(folder, catalogFile)), {
      from: source.store,
      to: store,
      has: (object) => hasFile(store, object),
      onProgress,
    });
    if (faults.length > 0 && !hold.isUnbroken)
      throw new FrameholdError(
        'internal',
        'The backup was stopped for too long, and objects have gone since.',
        {
          hint: 'Run it again: what was copied is not copied again.',
        },
      );
    const finishedAt = new Date().toISOString();
    const { madeBy } = source;
    return await directory.finish({ id, source: source.id, madeBy, finishedAt, files, ...copied, faults });
  } finally {
    hold.release();
  }
}

async function copyFiles(source: BackupSource, hold: BackupHold, folder: string): Promise<BackupFile[]> {
  const files: BackupFile[] = [];
  const add = async (name: string) => {
    const path = join(folder, name);
    await syncPath(path);
    files.push({ name, ...(await hashFile(path)) });
  };
  hold.copyCatalog(join(folder, catalogFile));
  await add(catalogFile);
  if (existsSync(source.credentials)) {
    copyDatabase(source.credentials, join(folder, credentialsFile));
    await add(credentialsFile);
  }
  if (existsSync(source.linkKey)) {
    await copyFile(source.linkKey, join(folder, linkKeyFile));
    await add(linkKeyFile);
  }
  return files;
}

/** As it is at one moment; others may be changing it. */
function copyDatabase(source: string, target: string): void {
  const db = new DatabaseSync(source);
  try {
    db.exec('PRAGMA busy_timeout = 5000');
    db.prepare('VACUUM INTO ?').run(target);
  } finally {
    db.close();
  }
}

/** Objects are published after they were compared and synced: one of the right size is whole. */
async function hasFile(store: ObjectStore, object: StoredObject): Promise<boolean> {
  try {
    const { path, release } = await store.open(object);
    try {
      return (await stat(path)).size === object.bytes;
    } finally {
      release();
    }
  } catch {
    return false;
  }
}
