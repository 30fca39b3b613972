import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openSqliteCatalog } from './catalog/sqlite/sqlite-catalog.ts';
import type { Settings } from './config/settings.ts';
import { nothingVerified, type VerifyReport, verifyEverything } from './frames/background/verify.ts';
import { FrameholdError } from './frames/errors.ts';
import { ObjectGuard } from './frames/objects/object-guard.ts';
import type { Catalog } from './frames/ports/catalog/catalog.ts';
import { openDataDirectory } from './store/data-directory.ts';
import { DiskStore } from './store/disk-store.ts';

/** The parts of a server that a check of its data directory needs, and nothing that changes a frame. */
export async function composeVerify(
  settings: Settings,
  progress: (objects: number, bytes: number) => void,
): Promise<VerifyReport> {
  const dataDirectory = settings['storage.data_dir'];
  const parquetDirectory = settings['storage.parquet_path'] ?? join(dataDirectory, 'cold');
  refuseForeign(dataDirectory, '--data-dir', 'a data directory');
  // With another directory every Parquet file would be missing, and would be remembered as such.
  refuseForeign(parquetDirectory, '--parquet-path', 'its Parquet directory');
  await using made = new AsyncDisposableStack();
  made.adopt(openDataDirectory(dataDirectory, parquetDirectory, settings['storage.permissions']), (open) =>
    open.release(),
  );
  const opened = await openCatalog(join(dataDirectory, 'catalog.sqlite'));
  if ('fault' in opened) return nothingVerified([opened.fault]);
  const catalog = made.adopt(opened.catalog, (open) => open.close());
  const store = made.adopt(DiskStore.at(dataDirectory, parquetDirectory), (open) => open.close());
  const guard = new ObjectGuard({
    catalog,
    store,
    observe: () => {},
    now: () => Date.now(),
    onDamage: () => {},
  });
  return await verifyEverything({ catalog, store, guard }, progress, new AbortController().signal);
}

/** Both directories have the file since a server first used them. */
function refuseForeign(directory: string, flag: string, what: string): void {
  if (existsSync(join(directory, 'format.json'))) return;
  throw new FrameholdError('internal', `${directory} is not ${what}.`, {
    hint: `Give the one that the server uses, with ${flag}.`,
  });
}

/** A catalog that does not even open is what was looked for; one of another program or a newer server is not. */
async function openCatalog(path: string): Promise<{ catalog: Catalog } | { fault: string }> {
  try {
    return { catalog: await openSqliteCatalog({ path }) };
  } catch (error) {
    if (error instanceof FrameholdError && error.hint === undefined) return { fault: error.message };
    throw error;
  }
}
