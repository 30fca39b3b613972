import type { ObjectStore } from '../../ports/object-store.ts';
import type { BackupDirectory } from './backup-directory.ts';
import { catalogFile } from './make-backup.ts';

/** Which keys a copied catalog refers to. */
export type OpenKeys = (file: string) => { has(key: string): boolean; close(): void };

export interface BackupTarget {
  readonly directory: BackupDirectory;
  readonly store: ObjectStore;
}

/** Removes all but the newest `keep` backups of a data directory; returns their ids. Those of other data directories stay. */
export async function keepNewest(
  { directory, store }: BackupTarget,
  source: string,
  keep: number,
  openKeys: OpenKeys,
): Promise<readonly string[]> {
  const own = directory.list().filter((manifest) => manifest.source === source);
  const old = own.slice(0, Math.max(0, own.length - keep)).map(({ id }) => id);
  for (const id of old) await directory.remove(id);
  // Also if none was: an earlier command may have ended in between.
  await removeUnused({ directory, store }, openKeys);
  return old;
}

/** Removes objects that no backup refers to; returns how many. */
export async function removeUnused({ directory, store }: BackupTarget, openKeys: OpenKeys): Promise<number> {
  const catalogs = directory.list().map(({ id }) => openKeys(directory.file(id, catalogFile)));
  let count = 0;
  try {
    for await (const keys of store.list())
      for (const key of keys) {
        if (catalogs.some((catalog) => catalog.has(key))) continue;
        await store.remove(key);
        count += 1;
      }
  } finally {
    for (const catalog of catalogs) catalog.close();
  }
  return count;
}
