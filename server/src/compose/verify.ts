import type { Settings } from '../config/settings.ts';
import { nothingVerified, type VerifyReport, verifyEverything } from '../frames/background/verify.ts';
import { FrameholdError } from '../frames/errors.ts';
import { ObjectGuard } from '../frames/objects/object-guard.ts';
import type { Catalog } from '../frames/ports/catalog/catalog.ts';
import { lockDataDirectory, openCatalog, openStoreUnchanged, requireUsedDirectories } from './storage.ts';

/** What a check of a data directory needs of a server, and nothing that changes a frame. */
export async function composeVerify(
  settings: Settings,
  progress: (objects: number, bytes: number) => void,
): Promise<VerifyReport> {
  requireUsedDirectories(settings);
  await using made = new AsyncDisposableStack();
  lockDataDirectory(settings, made);
  const opened = await tryCatalog(settings);
  if ('fault' in opened) return nothingVerified([opened.fault]);
  const catalog = made.adopt(opened.catalog, (open) => open.close());
  const store = made.adopt(openStoreUnchanged(settings), (open) => open.close());
  const guard = new ObjectGuard({
    catalog,
    store,
    observe: () => {},
    now: () => Date.now(),
    onDamage: () => {},
  });
  return await verifyEverything({ catalog, store, guard }, progress, new AbortController().signal);
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
