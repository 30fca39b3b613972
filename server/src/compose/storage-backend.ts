import type { RestoreGuard } from '../frames/background/restore-guard.ts';
import type { Catalog } from '../ports/catalog/catalog.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import type { ResultFolders } from '../ports/result-folders.ts';

/** Where engines on other machines write results. */
export interface Results {
  readonly folders: ResultFolders;
  /** Removes those that nobody uses, and that are older than this or that an earlier process of the only server left; returns how many. */
  removeStale(before: number): Promise<number>;
}

/** A catalog and a store, and what depends on whether others use them too. */
export interface StorageBackend {
  readonly catalog: Catalog;
  readonly store: ObjectStore;
  readonly results: Results;
  /** Of leases. Those of a process that is started again under the same name end at once. */
  readonly owner: string;
  /** How long objects stay after they have become garbage. */
  readonly garbageDelayMs: number;
  /** null: nobody but this process can change or restore the catalog while it runs. */
  readonly restoreGuard: RestoreGuard | null;
}
