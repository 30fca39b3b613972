import type { StoredObject } from '../../model/version.ts';
import type { ObjectFault } from '../../ports/object-store.ts';
import { faultsMax } from './copy-objects.ts';
import { catalogFile } from './make-backup.ts';
import type { BackupTarget } from './remove-backups.ts';
import { compareFiles } from './restore-backup.ts';

export interface BackupReport {
  readonly backups: number;
  readonly objects: number;
  readonly bytes: number;
  /** What cannot be restored, with the backup in which it was first seen. Objects that were damaged when they were backed up are not among them. */
  readonly faults: readonly BackupFault[];
}

interface BackupFault extends ObjectFault {
  readonly backup: string;
}

/** Reads everything in a directory of backups and compares it. An object that several backups share is read once. */
export async function verifyBackups(
  { directory, store }: BackupTarget,
  objectsInCopy: (file: string) => Iterable<readonly StoredObject[]>,
  onProgress: (objects: number, bytes: number) => void,
): Promise<BackupReport> {
  const signal = new AbortController().signal;
  const manifests = directory.list();
  const seen = new Set<string>();
  const faults: BackupFault[] = [];
  let bytes = 0;
  for (const manifest of manifests) {
    await compareFiles(manifest, directory);
    const neverThere = new Set(manifest.faults.map(({ key }) => key));
    for (const page of objectsInCopy(directory.file(manifest.id, catalogFile))) {
      const unseen = page.filter(({ key }) => !seen.has(key) && !neverThere.has(key));
      for (const object of unseen) {
        seen.add(object.key);
        bytes += object.bytes;
        const [fault] = await store.verify([object], { bytesPerSecond: null, signal });
        if (fault !== undefined && faults.length < faultsMax) faults.push({ ...fault, backup: manifest.id });
        onProgress(seen.size, bytes);
      }
    }
  }
  return { backups: manifests.length, objects: seen.size, bytes, faults };
}
